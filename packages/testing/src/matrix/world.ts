import { randomBytes } from 'node:crypto'
import { demoClients } from '@atrium/core/demo/demo'
import { insertTenant } from '@atrium/db/tenants/tenants'
import { type Issuer, personClaims, startIssuer } from '../issuer.ts'
import { startTestApp, type TestApp, type TestAppOptions } from '../test-app.ts'
import type { Caller, World } from './rows.ts'

/** A test app in which tenants, partners and people of every kind are made as a call needs them. */
export interface Places extends AsyncDisposable {
  testApp: TestApp
  issuer: Issuer
  /** Two tenants of two partners, and the caller in the place that the name says. */
  build(caller: Caller): Promise<World & { token: string | undefined }>
  /** A tenant and a partner of its own that no caller belongs to; `self` is none of them. */
  elsewhere(): Promise<World>
}

const subject = () => randomBytes(32).toString('hex')
const { portal, operator } = demoClients

export async function openLocations(options: TestAppOptions = {}): Promise<Places> {
  const issuer = await startIssuer()
  const testApp = await startTestApp({
    provisioned: false,
    manyChanges: true,
    ...options,
    env: {
      IDP_ISSUER: issuer.url,
      FILES_API_URL: '',
      FILES_API_USER: '',
      FILES_API_TOKEN: '',
      ...options.env,
    },
  })
  const { db } = testApp.database
  const partners = { north: '', south: '', closed: '' }
  const made = await db
    .insertInto('partners')
    .values([
      { slug: 'south', name: 'South' },
      { slug: 'closed', name: 'Closed', status: 'terminated' },
    ])
    .returning(['id', 'slug'])
    .execute()
  for (const { id, slug: name } of made) partners[name as 'south' | 'closed'] = id
  partners.north = (
    await db
      .selectFrom('partners')
      .select('id')
      .where('slug', '=', 'north')
      .executeTakeFirstOrThrow()
  ).id

  async function person(
    fields: { platformAdmin?: boolean; partner?: string; deactivated?: boolean } = {},
  ) {
    const idp = subject()
    const { id } = await db
      .insertInto('users')
      .values({
        idp_subject_id: idp,
        email: `${idp.slice(0, 20)}@example.test`,
        name: 'Person',
        platform_admin: fields.platformAdmin ?? false,
        partner_id: fields.partner ?? null,
        partner_access: fields.partner ? 'owner' : null,
        deactivated_at: fields.deactivated ? new Date() : null,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    return { id, subject: idp }
  }

  async function tenant(name: string, owner: string, partnerId: string): Promise<string> {
    const values = {
      ...{
        slug: name,
        name,
        plan: 'free' as const,
        partnerId,
        seats: 1,
        industry: null,
        brandColor: null,
        ownerId: owner,
      },
      ...{
        billing: { company: null, vatNumber: null, country: null, email: null },
        domains: [`${name}.tenants.local`],
        platformDomain: 'tenants.local',
      },
    }
    const inserted = await db.transaction().execute((trx) => insertTenant(trx, values))
    if (!inserted) throw new Error(`${name} is taken`)
    return inserted.id
  }

  const join = (
    tenantId: string,
    userId: string,
    role: 'member' | 'admin',
    status: 'active' | 'suspended' = 'active',
  ) =>
    db
      .insertInto('memberships')
      .values({ tenant_id: tenantId, user_id: userId, role, status })
      .execute()

  async function build(caller: Caller): Promise<World & { token: string | undefined }> {
    const own = `own-${randomBytes(6).toString('hex')}`
    const foreign = `foreign-${randomBytes(6).toString('hex')}`
    const [ownOwner, foreignOwner, bystander, colleague] = await Promise.all([
      person(),
      person(),
      person(),
      person(),
    ])
    const ownId = await tenant(own, ownOwner.id, partners.north)
    const foreignId = await tenant(foreign, foreignOwner.id, partners.south)
    await join(ownId, colleague.id, 'member')
    const asPerson = async (
      one: Promise<{ id: string; subject: string }>,
      aud: string = portal.clientId,
    ) => {
      const { id, subject: sub } = await one
      return { self: id, token: await issuer.sign({ sub, aud, groups: undefined }) }
    }
    const asMember = async (
      role: 'member' | 'admin',
      tenantId = ownId,
      status: 'active' | 'suspended' = 'active',
      deactivated = false,
    ) => {
      const one = await person({ deactivated })
      await join(tenantId, one.id, role, status)
      return asPerson(Promise.resolve(one))
    }
    const identity: { self: string | undefined; token: string | undefined } = await {
      nobody: async () => ({ self: undefined, token: undefined }),
      badToken: async () => ({
        self: undefined,
        token: (await issuer.sign(personClaims('operator@atrium.test'))).slice(0, -8),
      }),
      withoutRecord: async () => ({
        self: undefined,
        token: await issuer.sign({
          sub: subject(),
          aud: [portal.clientId, operator.clientId].slice(0, 1),
        }),
      }),
      member: () => asMember('member'),
      suspendedMember: () => asMember('admin', ownId, 'suspended'),
      admin: () => asMember('admin'),
      owner: () => asPerson(Promise.resolve(ownOwner)),
      foreignAdmin: () => asMember('admin', foreignId),
      foreignOwner: () => asPerson(Promise.resolve(foreignOwner)),
      partnerStaff: () => asPerson(person({ partner: partners.north })),
      foreignPartnerStaff: () => asPerson(person({ partner: partners.south })),
      terminatedPartnerStaff: () => asPerson(person({ partner: partners.closed })),
      operatorTokenWithoutFlag: () => asPerson(person(), operator.clientId),
      flagWithPortalToken: () => asPerson(person({ platformAdmin: true })),
      operator: () => asPerson(person({ platformAdmin: true }), operator.clientId),
      deactivatedAdmin: () => asMember('admin', ownId, 'active', true),
    }[caller]()
    return {
      ...{ testApp, slug: own, tenantId: ownId, partnerId: partners.north, partnerSlug: 'north' },
      ...{ colleague: colleague.id, other: bystander.id, ...identity },
    }
  }

  async function elsewhere(): Promise<World> {
    const slug = `elsewhere-${randomBytes(6).toString('hex')}`
    const partnerSlug = `far-${randomBytes(6).toString('hex')}`
    const [owner, bystander, colleague] = await Promise.all([person(), person(), person()])
    const partner = await db
      .insertInto('partners')
      .values({ slug: partnerSlug, name: 'Far' })
      .returning('id')
      .executeTakeFirstOrThrow()
    const tenantId = await tenant(slug, owner.id, partner.id)
    await join(tenantId, colleague.id, 'member')
    return {
      testApp,
      slug,
      tenantId,
      partnerId: partner.id,
      partnerSlug,
      colleague: colleague.id,
      other: bystander.id,
      self: undefined,
    }
  }

  return {
    testApp,
    issuer,
    build,
    elsewhere,
    async [Symbol.asyncDispose]() {
      await testApp[Symbol.asyncDispose]()
      await issuer[Symbol.asyncDispose]()
    },
  }
}
