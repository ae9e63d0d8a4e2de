import { randomBytes } from 'node:crypto'
import { demoClients } from '@atrium/core/demo'
import { insertTenant } from '@atrium/db/tenants'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { appRouter } from '../src/router.ts'
import { restRoutes } from '../src/transport/rest.ts'
import { type Outcome, overRest, overTrpc } from './calls.ts'
import { openHouse, type TestHouse } from './house.ts'
import { type Issuer, personClaims, startIssuer } from './issuer.ts'
import { aliasesRows } from './matrix/aliases.ts'
import { auditRows } from './matrix/audit.ts'
import { billingRows } from './matrix/billing.ts'
import { billingInfoRows } from './matrix/billing-info.ts'
import { brandingRows } from './matrix/branding.ts'
import { domainsRows } from './matrix/domains.ts'
import { flagsRows } from './matrix/flags.ts'
import { healthScoresRows } from './matrix/health-scores.ts'
import { listsRows } from './matrix/lists.ts'
import { mailProfileRows } from './matrix/mail-profile.ts'
import { membersRows } from './matrix/members.ts'
import { mfaRows } from './matrix/mfa.ts'
import { outboxRows } from './matrix/outbox.ts'
import { partnersRows } from './matrix/partners.ts'
import { payoutsRows } from './matrix/payouts.ts'
import { pricesRows } from './matrix/prices.ts'
import { reportsRows } from './matrix/reports.ts'
import { type Caller, callers, type Rows, type World } from './matrix/rows.ts'
import { schedulingBookRows } from './matrix/scheduling-book.ts'
import { schedulingBookingsRows } from './matrix/scheduling-bookings.ts'
import { schedulingHostsRows } from './matrix/scheduling-hosts.ts'
import { schedulingOffersRows } from './matrix/scheduling-offers.ts'
import { securityPolicyRows } from './matrix/security-policy.ts'
import { ssoRows } from './matrix/sso.ts'
import { storageRows } from './matrix/storage.ts'
import { subscriptionsRows } from './matrix/subscriptions.ts'
import { tenantsRows } from './matrix/tenants.ts'
import { usersRows } from './matrix/users.ts'
import { webhooksRows } from './matrix/webhooks.ts'

/** Every procedure with the calls that its rule tells apart. A procedure without rows fails the test, and so do rows without a procedure. */
const matrix: Rows = {
  ...aliasesRows,
  ...billingInfoRows,
  ...billingRows,
  ...webhooksRows,
  ...domainsRows,
  ...flagsRows,
  ...listsRows,
  ...schedulingBookRows,
  ...schedulingBookingsRows,
  ...schedulingHostsRows,
  ...securityPolicyRows,
  ...auditRows,
  ...brandingRows,
  ...pricesRows,
  ...subscriptionsRows,
  ...ssoRows,
  ...mailProfileRows,
  ...membersRows,
  ...mfaRows,
  ...partnersRows,
  ...outboxRows,
  ...storageRows,
  ...tenantsRows,
  ...reportsRows,
  ...usersRows,
  ...payoutsRows,
  ...healthScoresRows,
  ...schedulingOffersRows,
}

let issuer: Issuer
let house: TestHouse
const partners = { north: '', south: '', closed: '' }

const subject = () => randomBytes(32).toString('hex')
const { portal, operator } = demoClients

beforeAll(async () => {
  issuer = await startIssuer()
  house = await openHouse({
    provisioned: false,
    env: { IDP_ISSUER: issuer.url, FILES_API_URL: '', FILES_API_USER: '', FILES_API_TOKEN: '' },
  })
  const { db } = house.database
  const made = await db
    .insertInto('partners')
    .values([
      { slug: 'south', name: 'South' },
      { slug: 'closed', name: 'Closed', status: 'terminated' },
    ])
    .returning(['id', 'slug'])
    .execute()
  for (const { id, slug: name } of made) partners[name as 'south' | 'closed'] = id
  partners.north = (await db.selectFrom('partners').select('id').where('slug', '=', 'north').executeTakeFirstOrThrow()).id
}, 60_000)
afterAll(async () => {
  await house[Symbol.asyncDispose]()
  await issuer[Symbol.asyncDispose]()
})

async function person(fields: { platformAdmin?: boolean; partner?: string; deactivated?: boolean } = {}) {
  const idp = subject()
  const { id } = await house.database.db
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
    ...{ slug: name, name, plan: 'free' as const, partnerId, seats: 1, industry: null, brandColor: null, ownerId: owner },
    ...{
      billing: { company: null, vatNumber: null, country: null, email: null },
      domains: [`${name}.tenants.local`],
      platformDomain: 'tenants.local',
    },
  }
  const inserted = await house.database.db.transaction().execute((trx) => insertTenant(trx, values))
  if (!inserted) throw new Error(`${name} is taken`)
  return inserted.id
}

/** Two tenants of two partners, and the caller in the place that the name says. */
async function build(caller: Caller): Promise<World & { token: string | undefined }> {
  const { db } = house.database
  const own = `own-${randomBytes(6).toString('hex')}`
  const foreign = `foreign-${randomBytes(6).toString('hex')}`
  const [ownOwner, foreignOwner, bystander, colleague] = await Promise.all([person(), person(), person(), person()])
  const ownId = await tenant(own, ownOwner.id, partners.north)
  const foreignId = await tenant(foreign, foreignOwner.id, partners.south)
  const join = (tenantId: string, userId: string, role: 'member' | 'admin', status: 'active' | 'suspended' = 'active') =>
    db.insertInto('memberships').values({ tenant_id: tenantId, user_id: userId, role, status }).execute()
  await join(ownId, colleague.id, 'member')
  const asPerson = async (made: Promise<{ id: string; subject: string }>, aud: string = portal.clientId) => {
    const { id, subject: sub } = await made
    return { self: id, token: await issuer.sign({ sub, aud, groups: undefined }) }
  }
  const asMember = async (role: 'member' | 'admin', tenantId = ownId, status: 'active' | 'suspended' = 'active', deactivated = false) => {
    const made = await person({ deactivated })
    await join(tenantId, made.id, role, status)
    return asPerson(Promise.resolve(made))
  }
  const identity: { self: string | undefined; token: string | undefined } = await {
    nobody: async () => ({ self: undefined, token: undefined }),
    badToken: async () => ({ self: undefined, token: (await issuer.sign(personClaims('operator@atrium.test'))).slice(0, -8) }),
    withoutRecord: async () => ({
      self: undefined,
      token: await issuer.sign({ sub: subject(), aud: [portal.clientId, operator.clientId].slice(0, 1) }),
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
  return { house, slug: own, tenantId: ownId, partnerId: partners.north, colleague: colleague.id, other: bystander.id, ...identity }
}

/** Four at once unless told otherwise: every caller has a world of its own, and most of a call is waiting. */
async function forEach<Item>(items: readonly Item[], act: (item: Item) => Promise<void>, atOnce = 4): Promise<void> {
  const left = [...items]
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await act(item)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}

it('has a row for every procedure and every REST path, and none for what does not exist', () => {
  expect(Object.keys(matrix).sort()).toEqual(Object.keys(appRouter._def.procedures).sort())
  expect(
    restRoutes()
      .map((route) => route.name)
      .sort(),
  ).toEqual(Object.keys(matrix).sort())
})

const wires = { REST: overRest, tRPC: overTrpc } as const

describe.each(Object.entries(matrix).flatMap(([name, rows]) => rows.map((row, index) => ({ name, row, index }))))(
  '$name, call $index',
  ({ name, row }) => {
    it.each(Object.keys(wires) as (keyof typeof wires)[])('lets in exactly whom the contract names over %s', async (wire) => {
      const outcomes: Record<string, string> = {}
      const ask = async (caller: Caller) => {
        const world = await build(caller)
        const answer = await wires[wire](house, name, await row.input(world), world.token)
        outcomes[caller] = answer.outcome
      }
      await forEach(callers, ask, row.inTurn ? 1 : 4)
      expect(outcomes).toEqual(row.expected)
    })
  },
)

describe('a tenant that the caller may not know of', () => {
  const inPath = new Map(restRoutes().map(({ name, path }) => [name, path.replace('/api/v1', '').startsWith('/tenants/{slug}')]))
  const tenantProcedures = Object.keys(matrix).filter((name) => inPath.get(name))
  const outsiders = callers.filter((caller) => !['member', 'admin', 'owner', 'partnerStaff', 'operator'].includes(caller))

  it.each(tenantProcedures)('looks like one that does not exist: %s', async (name) => {
    const row = matrix[name]?.[0]
    if (!row) throw new Error('no row')
    await forEach(outsiders, async (caller) => {
      const world = await build(caller)
      // Once: nobody here gets so far as to change what it is about.
      const input = await row.input(world)
      for (const call of Object.values(wires)) {
        const [there, absent] = [
          await call(house, name, input, world.token),
          await call(house, name, { ...input, slug: 'never-made' }, world.token),
        ]
        expect(shown(there), `${caller} of ${name}`).toEqual(shown(absent))
      }
    })
  })

  it('takes no part in the lists of outsiders', async () => {
    for (const caller of outsiders) {
      const world = await build(caller)
      const { body } = await overRest(house, 'tenants.list', { q: world.slug }, world.token)
      expect(body.items ?? [], caller).toEqual([])
    }
  })
})

function shown({ status, outcome, body, headers }: Outcome) {
  const { requestId: _, data: __, path: ___, ...visible } = typeof body === 'string' ? { body: body.replace(/[0-9a-f-]{36}/g, '') } : body
  return { status, outcome, visible, challenge: headers.get('www-authenticate') }
}
