import { randomBytes } from 'node:crypto'
import { demoClients } from '@atrium/core/demo/demo'
import { type Issuer, personClaims, startIssuer } from '../issuer.ts'
import { insertTestTenant, partnerIdOf } from '../records.ts'
import { startTestApp, type TestApp, type TestAppOptions } from '../test-app.ts'
import type { Caller, World } from './rows.ts'

/** The tenant under test and one of another partner, with the people that every call needs. */
export interface Tenants {
  own: { slug: string; id: string; owner: Person }
  foreign: { slug: string; id: string; owner: Person }
  colleague: Person
  bystander: Person
}

interface Person {
  id: string
  subject: string
}

/** A test app in which tenants, partners and people of every kind are made as a call needs them. */
export interface Places extends AsyncDisposable {
  testApp: TestApp
  issuer: Issuer
  /**
   * The caller in the role that the name says, towards two tenants of two partners: tenants of its
   * own, or those given.
   */
  build(caller: Caller, tenants?: Tenants): Promise<World & { token: string | undefined }>
  tenants(): Promise<Tenants>
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
  partners.north = await partnerIdOf(db, 'north')

  async function person(
    fields: { platformAdmin?: boolean; partner?: string; deactivated?: boolean } = {},
  ): Promise<Person> {
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
    const values = { slug: name, partnerId, ownerId: owner }
    return (await db.transaction().execute((trx) => insertTestTenant(trx, values))).id
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

  async function tenants(): Promise<Tenants> {
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
    return {
      own: { slug: own, id: ownId, owner: ownOwner },
      foreign: { slug: foreign, id: foreignId, owner: foreignOwner },
      colleague,
      bystander,
    }
  }

  async function build(
    caller: Caller,
    given?: Tenants,
  ): Promise<World & { token: string | undefined }> {
    const { own, foreign, colleague, bystander } = given ?? (await tenants())
    const asPerson = async (one: Promise<Person>, aud: string = portal.clientId) => {
      const { id, subject: sub } = await one
      return { self: id, token: await issuer.sign({ sub, aud, groups: undefined }) }
    }
    const asMember = async (
      role: 'member' | 'admin',
      tenantId = own.id,
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
      suspendedMember: () => asMember('admin', own.id, 'suspended'),
      admin: () => asMember('admin'),
      owner: () => asPerson(Promise.resolve(own.owner)),
      foreignAdmin: () => asMember('admin', foreign.id),
      foreignOwner: () => asPerson(Promise.resolve(foreign.owner)),
      partnerStaff: () => asPerson(person({ partner: partners.north })),
      foreignPartnerStaff: () => asPerson(person({ partner: partners.south })),
      terminatedPartnerStaff: () => asPerson(person({ partner: partners.closed })),
      operatorTokenWithoutFlag: () => asPerson(person(), operator.clientId),
      flagWithPortalToken: () => asPerson(person({ platformAdmin: true })),
      operator: () => asPerson(person({ platformAdmin: true }), operator.clientId),
      deactivatedAdmin: () => asMember('admin', own.id, 'active', true),
    }[caller]()
    return {
      testApp,
      slug: own.slug,
      tenantId: own.id,
      partnerId: partners.north,
      partnerSlug: 'north',
      colleague: colleague.id,
      other: bystander.id,
      ...identity,
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
    tenants,
    elsewhere,
    async [Symbol.asyncDispose]() {
      await testApp[Symbol.asyncDispose]()
      await issuer[Symbol.asyncDispose]()
    },
  }
}
