import { insertAccessGrant } from '../access-grants.ts'
import { type Rows, readers, slug, type World, who } from './rows.ts'

type Kind = 'requested' | 'break_glass'

/**
 * A request of somebody else on the partner's staff, or an operator's emergency access, to the
 * tenant under test.
 */
export async function accessGrant(
  { testApp, tenantId, partnerId }: World,
  kind: Kind = 'requested',
): Promise<string> {
  const { db } = testApp.database
  const now = testApp.app.services.clock.now()
  const staff = kind === 'requested'
  const person = await db
    .insertInto('users')
    .values({
      idp_subject_id: `grantee-${crypto.randomUUID()}`,
      email: `grantee-${crypto.randomUUID()}@example.test`,
      name: 'Grantee',
      platform_admin: !staff,
      partner_id: staff ? partnerId : null,
      partner_access: staff ? 'owner' : null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return insertAccessGrant(db, now, {
    tenant_id: tenantId,
    kind,
    status: staff ? 'pending' : 'active',
    user_id: person.id,
    partner_id: staff ? partnerId : null,
    scopes: ['branding'],
  })
}

const seesTenant = who(
  readers.filter((caller) => caller !== 'member'),
  'not_found',
  { member: 'not_admin' },
)
const owners = who(['owner'], 'not_found', {
  member: 'not_owner',
  admin: 'not_owner',
  partnerStaff: 'not_owner',
  operator: 'not_owner',
})
const partners = who(['partnerStaff', 'operator'], 'operator_required', {
  foreignPartnerStaff: 'not_found',
  operatorTokenWithoutFlag: 'not_platform_admin',
})
const operators = who(['operator'], 'operator_required', {
  operatorTokenWithoutFlag: 'not_platform_admin',
})
const named = async (world: World, kind?: Kind) => ({
  slug: world.slug,
  id: await accessGrant(world, kind),
})
const endsAt = ({ testApp }: World) =>
  new Date(testApp.app.services.clock.now().getTime() + 86_400_000).toISOString()

export const accessGrantsRows: Rows = {
  'accessGrants.list': [{ input: slug, expected: seesTenant }],
  'accessGrants.ofPartner': [
    { input: ({ partnerSlug }) => ({ slug: partnerSlug }), expected: partners },
  ],
  'accessGrants.notices': [
    {
      input: slug,
      expected: who(['admin', 'owner', 'operator'], 'not_member', { member: 'not_admin' }),
    },
  ],
  'accessGrants.entries': [{ input: (world) => named(world), expected: seesTenant }],
  'accessGrants.ask': [
    {
      input: (world) => ({
        ...slug(world),
        role: 'admin',
        scopes: ['branding'],
        reason: 'A test',
        endsAt: endsAt(world),
      }),
      expected: partners,
    },
  ],
  'accessGrants.breakGlass': [
    { input: (world) => ({ ...slug(world), reason: 'A test', hours: 1 }), expected: operators },
  ],
  'accessGrants.approve': [{ input: (world) => named(world), expected: owners }],
  'accessGrants.decline': [{ input: (world) => named(world), expected: owners }],
  'accessGrants.end': [
    {
      input: (world) => named(world),
      expected: who(['owner', 'partnerStaff'], 'not_found', {
        member: 'not_admin',
        admin: 'not_owner',
        operator: 'not_owner',
      }),
    },
  ],
  'accessGrants.acknowledge': [{ input: (world) => named(world, 'break_glass'), expected: owners }],
}
