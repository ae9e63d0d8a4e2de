import { randomBytes, randomUUID } from 'node:crypto'
import { demoClients } from '@atrium/core/demo'
import { insertTenant } from '@atrium/db/tenants'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { appRouter } from '../src/router.ts'
import { restRoutes } from '../src/transport/rest.ts'
import { type Outcome, overRest, overTrpc } from './calls.ts'
import { openHouse, type TestHouse } from './house.ts'
import { type Issuer, personClaims, startIssuer } from './issuer.ts'

const callers = [
  'nobody',
  'badToken',
  'withoutRecord',
  'member',
  'suspendedMember',
  'admin',
  'owner',
  'foreignAdmin',
  'foreignOwner',
  'partnerStaff',
  'foreignPartnerStaff',
  'terminatedPartnerStaff',
  'operatorTokenWithoutFlag',
  'flagWithPortalToken',
  'operator',
  'deactivatedAdmin',
] as const
type Caller = (typeof callers)[number]
type Expected = Record<Caller, string>

/** People of the tenant under test; created for every call anew, so that no call sees what another did. */
interface World {
  slug: string
  /** Somebody else's record. */
  other: string
  /** The caller's own record, when there is one. */
  self: string | undefined
}

interface Row {
  input: (world: World) => Record<string, unknown>
  expected: Expected
}

/** What everybody gets whom the procedure is not for; the three without a usable identity always get the same. */
const others = (code: string): Expected => ({
  ...(Object.fromEntries(callers.map((caller) => [caller, code])) as Expected),
  nobody: 'unauthenticated',
  badToken: 'unauthenticated',
  deactivatedAdmin: 'user_deactivated',
})
const who = (allowed: readonly Caller[], refusal: string, exceptions: Partial<Expected> = {}): Expected => ({
  ...others(refusal),
  ...Object.fromEntries(allowed.map((caller) => [caller, 'ok'])),
  ...exceptions,
})

const everybody = others('ok')
const operatorsOnly = who(['operator'], 'operator_required', { operatorTokenWithoutFlag: 'not_platform_admin' })
const readers: Caller[] = ['member', 'admin', 'owner', 'partnerStaff', 'operator']
const membersOrOperators = who(['member', 'admin', 'owner', 'operator'], 'not_member')
const adminsPartnersOperators = who(['admin', 'owner', 'partnerStaff', 'operator'], 'not_found', { member: 'not_admin' })
const partnersOrOperators = who(['partnerStaff', 'operator'], 'operator_required', {
  foreignPartnerStaff: 'not_found',
  operatorTokenWithoutFlag: 'not_platform_admin',
})
const slug = ({ slug: named }: World) => ({ slug: named })
const other = ({ other: id }: World) => ({ id })

/** Every procedure with the calls that its rule tells apart. A procedure without rows fails the test, and so do rows without a procedure. */
const matrix: Record<string, Row[]> = {
  'audit.query': [{ input: () => ({ limit: 1 }), expected: operatorsOnly }],
  'audit.export': [{ input: () => ({ format: 'csv' }), expected: operatorsOnly }],
  'tenants.create': [
    { input: () => ({ name: 'Fresh' }), expected: everybody },
    { input: () => ({ name: 'Fresh', ownerEmail: 'owner@globex.test' }), expected: who(['operator'], 'operator_required') },
    { input: () => ({ name: 'Fresh', partnerId: partners.north }), expected: who(['operator'], 'operator_required') },
  ],
  'tenants.list': [{ input: () => ({ limit: 1 }), expected: everybody }],
  'tenants.get': [{ input: slug, expected: who(readers, 'not_found') }],
  'tenants.update': [
    { input: (world) => ({ ...slug(world), name: 'Renamed' }), expected: adminsPartnersOperators },
    {
      input: (world) => ({ ...slug(world), plan: 'business' }),
      expected: who(['partnerStaff', 'operator'], 'not_found', {
        member: 'not_admin',
        admin: 'operator_required',
        owner: 'operator_required',
      }),
    },
    {
      input: (world) => ({ ...slug(world), partnerId: null }),
      expected: who(['operator'], 'not_found', {
        member: 'not_admin',
        admin: 'operator_required',
        owner: 'operator_required',
        partnerStaff: 'operator_required',
      }),
    },
    {
      input: (world) => ({ ...slug(world), domains: [`${world.slug}.test`] }),
      expected: who(['admin', 'owner', 'operator'], 'not_found', { member: 'not_admin', partnerStaff: 'not_admin' }),
    },
  ],
  'tenants.delete': [
    {
      input: slug,
      expected: who(['owner', 'operator'], 'not_found', { member: 'not_owner', admin: 'not_owner', partnerStaff: 'not_owner' }),
    },
  ],
  'tenants.reconcile': [{ input: slug, expected: adminsPartnersOperators }],
  'tenants.suspend': [{ input: slug, expected: partnersOrOperators }],
  'tenants.resume': [{ input: slug, expected: { ...partnersOrOperators, partnerStaff: 'not_suspended', operator: 'not_suspended' } }],
  'tenants.users': [{ input: slug, expected: membersOrOperators }],
  'tenants.audit': [{ input: slug, expected: membersOrOperators }],
  'tenants.events': [{ input: slug, expected: membersOrOperators }],
  'users.me': [{ input: () => ({}), expected: everybody }],
  'users.list': [{ input: () => ({ limit: 1 }), expected: operatorsOnly }],
  'users.create': [
    { input: () => ({ idpSubjectId: randomUUID(), email: `${randomUUID()}@example.test`, name: 'New' }), expected: operatorsOnly },
  ],
  'users.invite': [{ input: () => ({ name: 'New', email: `${randomUUID()}@example.test` }), expected: operatorsOnly }],
  'users.get': [
    { input: other, expected: who(['operator'], 'not_found') },
    { input: ({ self, other: id }) => ({ id: self ?? id }), expected: { ...everybody, withoutRecord: 'not_found' } },
  ],
  'users.update': [
    { input: (world) => ({ ...other(world), phone: '+49 30 1234' }), expected: who(['operator'], 'not_found') },
    {
      input: ({ self, other: id }) => ({ id: self ?? id, phone: '+49 30 1234' }),
      expected: { ...everybody, withoutRecord: 'not_found' },
    },
    {
      input: ({ self, other: id }) => ({ id: self ?? id, partnerId: null }),
      expected: { ...operatorsOnly, withoutRecord: 'not_found' },
    },
    {
      input: ({ self, other: id }) => ({ id: self ?? id, platformAdmin: true }),
      expected: { ...operatorsOnly, withoutRecord: 'not_found' },
    },
  ],
  'users.delete': [{ input: other, expected: operatorsOnly }],
  'users.deactivate': [{ input: other, expected: operatorsOnly }],
  'users.reactivate': [{ input: other, expected: operatorsOnly }],
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
      deactivated_at: fields.deactivated ? new Date() : null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { id, subject: idp }
}

async function tenant(name: string, owner: string, partnerId: string): Promise<string> {
  const values = {
    ...{ slug: name, name, plan: 'free' as const, partnerId, seats: 1, industry: null, brandColor: null, ownerId: owner },
    ...{ billing: { company: null, vatNumber: null, country: null, email: null }, domains: [`${name}.tenants.local`] },
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
  const [ownOwner, foreignOwner, bystander] = await Promise.all([person(), person(), person()])
  const ownId = await tenant(own, ownOwner.id, partners.north)
  const foreignId = await tenant(foreign, foreignOwner.id, partners.south)
  const join = (tenantId: string, userId: string, role: 'member' | 'admin', status: 'active' | 'suspended' = 'active') =>
    db.insertInto('memberships').values({ tenant_id: tenantId, user_id: userId, role, status }).execute()
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
  return { slug: own, other: bystander.id, ...identity }
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
      for (const caller of callers) {
        const world = await build(caller)
        const answer = await wires[wire](house, name, row.input(world), world.token)
        outcomes[caller] = answer.outcome
        if (answer.outcome === 'internal') throw new Error(`${caller}: ${house.logLines.at(-2)}`)
      }
      expect(outcomes).toEqual(row.expected)
    })
  },
)

describe('a tenant that the caller may not know of', () => {
  const tenantProcedures = Object.entries(matrix).filter(([, rows]) =>
    rows.some((row) => 'slug' in row.input({ slug: 'x', other: '', self: '' })),
  )
  const outsiders = callers.filter((caller) => !['member', 'admin', 'owner', 'partnerStaff', 'operator'].includes(caller))

  it.each(tenantProcedures.map(([name]) => name))('looks like one that does not exist: %s', async (name) => {
    const row = matrix[name]?.[0]
    if (!row) throw new Error('no row')
    for (const caller of outsiders) {
      const world = await build(caller)
      for (const call of Object.values(wires)) {
        const [there, absent] = [
          await call(house, name, row.input(world), world.token),
          await call(house, name, row.input({ ...world, slug: 'never-made' }), world.token),
        ]
        expect(shown(there), `${caller} of ${name}`).toEqual(shown(absent))
      }
    }
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
