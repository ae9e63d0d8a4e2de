import { randomBytes } from 'node:crypto'
import type { World } from './rows.ts'
import {
  adminsOrOperators,
  type Caller,
  callers,
  type Expected,
  everybody,
  operatorsOnly,
  others,
  partnersOrOperators,
  type Rows,
  slug,
} from './rows.ts'

/** No access token is the token of a mailed link, and no actor learns more than that. */
export const noLink = Object.fromEntries(
  callers.map((caller): [Caller, string] => [caller, 'not_found']),
) as Expected

const atPartner = ({ partnerSlug }: World) => ({ slug: partnerSlug })
const fresh = () => `${randomBytes(6).toString('hex')}@example.test`
const invitees = () => [{ email: fresh() }]
const unknown = { invitationId: '01900000-0000-7000-8000-000000000000' }

/** An open invitation of the tenant, of the partner's staff or of an operator. */
async function invited(
  { testApp, tenantId, partnerId }: World,
  kind: 'member' | 'staff' | 'operator',
): Promise<{ invitationId: string }> {
  const { db } = testApp.database
  await db.updateTable('tenants').set({ seats: 0 }).where('id', '=', tenantId).execute()
  const { id } = await db
    .insertInto('invitations')
    .values({
      kind,
      email: fresh(),
      name: 'Invited',
      inviter_name: 'Somebody',
      expires_at: new Date(Date.now() + 86_400_000),
      ...(kind === 'member' ? { tenant_id: tenantId, role: 'member' } : {}),
      ...(kind === 'staff' ? { partner_id: partnerId, access: 'viewer' } : {}),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { invitationId: id }
}

const ofTenant = async (world: World) => ({ ...slug(world), ...(await invited(world, 'member')) })
const ofPartner = async (world: World) => ({
  ...atPartner(world),
  ...(await invited(world, 'staff')),
})
const ofOperators = (world: World) => invited(world, 'operator')

export const invitationsRows: Rows = {
  'invitations.list': [{ input: () => ({}), expected: operatorsOnly }],
  'invitations.ofTenant': [{ input: slug, expected: adminsOrOperators }],
  'invitations.ofPartner': [{ input: atPartner, expected: partnersOrOperators }],
  'invitations.inviteMembers': [
    {
      input: async (world) => {
        await invited(world, 'member')
        return { ...slug(world), invitees: invitees() }
      },
      expected: adminsOrOperators,
    },
  ],
  'invitations.inviteStaff': [
    {
      input: (world) => ({ ...atPartner(world), access: 'viewer', invitees: invitees() }),
      expected: partnersOrOperators,
    },
  ],
  'invitations.inviteOperators': [
    { input: () => ({ invitees: invitees() }), expected: operatorsOnly },
  ],
  'invitations.resendOfTenant': [{ input: ofTenant, expected: adminsOrOperators }],
  'invitations.resendOfPartner': [{ input: ofPartner, expected: partnersOrOperators }],
  'invitations.resend': [{ input: ofOperators, expected: operatorsOnly }],
  'invitations.revokeOfTenant': [{ input: ofTenant, expected: adminsOrOperators }],
  'invitations.revokeOfPartner': [{ input: ofPartner, expected: partnersOrOperators }],
  'invitations.revoke': [{ input: ofOperators, expected: operatorsOnly }],
  'invitations.mine': [{ input: () => ({}), expected: everybody }],
  'invitations.acceptMine': [{ input: () => unknown, expected: others('not_found') }],
  'invitations.declineMine': [{ input: () => unknown, expected: others('not_found') }],
  'invitations.show': [{ input: () => ({}), expected: noLink }],
  'invitations.open': [{ input: () => ({}), expected: noLink }],
  'invitations.decline': [{ input: () => ({}), expected: noLink }],
  'invitations.accept': [{ input: () => ({}), expected: noLink }],
}
