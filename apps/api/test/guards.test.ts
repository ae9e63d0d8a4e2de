import { randomBytes, randomUUID } from 'node:crypto'
import type { PartnerAccess, PartnerStatus } from '@atrium/core/partners/partner-access'
import { AppError } from '@atrium/core/platform/errors'
import { openTestDatabase, type TestDatabase } from '@atrium/testing/postgres/open-database'
import { insertTestTenant } from '@atrium/testing/records'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { TokenClaims } from '../src/platform/token.ts'
import type { RequestInfo } from '../src/rpc/caller.ts'
import { createContext } from '../src/rpc/context.ts'
import { toAppError } from '../src/rpc/errors.ts'
import * as guards from '../src/rpc/guards.ts'
import { proceduresOf, undeclaredError } from '../src/rpc/procedure.ts'
import type { Services } from '../src/rpc/services.ts'
import { router } from '../src/rpc/trpc.ts'

/** Procedures that return what their guard proved. */
const guarded = router({
  publicProcedure: guards.publicProcedure.query(() => ({})),
  signedIn: guards.signedIn.query(({ ctx }) => ctx.caller.id),
  operator: guards.operator.query(({ ctx }) => ctx.caller.id),
  signedInAbout: guards
    .signedInAbout((raw) => (raw as { slug?: string }).slug)
    .query(({ ctx }) => ({ caller: ctx.caller.email, tenant: ctx.tenant?.slug })),
  tenantReader: guards.tenantReader.query(({ ctx }) => ctx.access.tenant.slug),
  adminReader: guards.adminReader.query(({ ctx }) => ctx.access.tenant.slug),
  memberOrOperator: guards.memberOrOperator.query(({ ctx }) => ctx.access.tenant.slug),
  memberPartnerOrOperator: guards.memberPartnerOrOperator.query(
    ({ ctx }) => ctx.access.tenant.slug,
  ),
  adminOrOperator: guards.adminOrOperator.query(({ ctx }) => ctx.access.tenant.slug),
  adminPartnerOrOperator: guards.adminPartnerOrOperator.query(({ ctx }) => ctx.access.tenant.slug),
  ownerOnly: guards.ownerOnly.query(({ ctx }) => ctx.access.tenant.slug),
  ownerOrOperator: guards.ownerOrOperator.query(({ ctx }) => ctx.access.tenant.slug),
  partnerOrOperator: guards.partnerOrOperator.query(({ ctx }) => ctx.access.tenant.slug),
  operatorOfTenant: guards.operatorOfTenant.query(({ ctx }) => ctx.access.tenant.slug),
  partnerReader: guards.partnerReader.query(({ ctx }) => ctx.partnerAccess),
  partnerReportReader: guards.partnerReportReader.query(({ ctx }) => ctx.partnerAccess),
  partnerFinanceReader: guards.partnerFinanceReader.query(({ ctx }) => ctx.partnerAccess),
  partnerManager: guards.partnerManager.query(({ ctx }) => ctx.partnerAccess),
  partnerOwner: guards.partnerOwner.query(({ ctx }) => ctx.partnerAccess),
  partnerSettler: guards.partnerSettler.query(({ ctx }) => ctx.partnerAccess),
  customerManager: guards.customerManager.query(({ ctx }) => ctx.access.tenant.slug),
})
const procedures = proceduresOf(guarded)
type Guard = keyof typeof guarded

const partnerGuards = [
  'partnerReader',
  'partnerReportReader',
  'partnerFinanceReader',
  'partnerManager',
  'partnerOwner',
  'partnerSettler',
  'customerManager',
] as const satisfies Guard[]
const tenantGuards = [
  'tenantReader',
  'adminReader',
  'memberOrOperator',
  'memberPartnerOrOperator',
  'adminOrOperator',
  'adminPartnerOrOperator',
  'ownerOnly',
  'ownerOrOperator',
  'partnerOrOperator',
  'operatorOfTenant',
] as const satisfies Guard[]

/** Who somebody is to one tenant and to the partner that owns it. */
const people = [
  'nobody',
  'withoutRecord',
  'deactivatedAdmin',
  'stranger',
  'operator',
  'operatorTokenWithoutFlag',
  'flagWithPortalToken',
  'member',
  'admin',
  'owner',
  'viewer',
  'support',
  'manager',
  'partnerOwner',
  'managerOfSuspended',
  'ownerOfSuspended',
  'ownerOfTerminated',
  'foreignOwner',
  'memberAndViewer',
  'memberAndForeignOwner',
  'memberAndOperator',
  'operatorAndViewerOfSuspended',
] as const
type Person = (typeof people)[number]

interface Place {
  slug: string
  partnerSlug: string
  token: string | undefined
}

let database: TestDatabase
/** Access tokens as the verifier reads them, by their text. */
const tokens = new Map<string, TokenClaims>()
const logged = vi.fn()
let services: Services
const places = {} as Record<Person, Place>
let terminated: Place

beforeAll(async () => {
  database = await openTestDatabase()
  const { db } = database
  services = {
    config: { tokens: { operatorAudience: 'operator', operatorIssuers: ['https://idp.test/'] } },
    database,
    tokens: {
      verify: async (token: string) => {
        const claims = tokens.get(token)
        if (!claims) throw new AppError('unauthenticated')
        return claims
      },
    },
    clock: { now: () => new Date() },
    requestCounts: { count: () => {} },
    log: { error: logged },
  } as unknown as Services

  const unique = (name: string) => `${name}-${randomBytes(5).toString('hex')}`
  const newToken = (subject: string, audience: string): string => {
    const token = unique('token')
    tokens.set(token, {
      subject,
      issuer: 'https://idp.test/',
      audiences: [audience],
      email: 'token@example.test',
      name: 'Name of the token',
      groups: undefined,
      signedInAt: undefined,
      secondFactor: false,
      issuedAt: new Date(),
      expiresAt: new Date(Date.now() + 60_000),
    })
    return token
  }
  const newPerson = async (fields: object = {}) => {
    const subject = unique('subject')
    const person = { idp_subject_id: subject, email: `${subject}@example.test`, name: 'Person' }
    const { id } = await db
      .insertInto('users')
      .values({ ...person, ...fields })
      .returning('id')
      .executeTakeFirstOrThrow()
    return { id, subject }
  }
  const open = async (status: PartnerStatus) => {
    const slug = unique('partner')
    const partner = await db
      .insertInto('partners')
      .values({ slug, name: slug, status })
      .returning(['id', 'slug'])
      .executeTakeFirstOrThrow()
    const owner = await newPerson()
    const values = { slug: unique('tenant'), partnerId: partner.id, seats: 2, ownerId: owner.id }
    const tenant = await db.transaction().execute((trx) => insertTestTenant(trx, values))
    return { partner, tenant, owner }
  }
  const [active, suspended, over, foreign] = [
    await open('active'),
    await open('suspended'),
    await open('terminated'),
    await open('active'),
  ]
  const settle = async (
    person: Person,
    {
      at = active,
      role,
      access,
      staffOf = at,
      platformAdmin = false,
      deactivated = false,
      audience = 'portal',
    }: {
      at?: typeof active
      role?: 'member' | 'admin' | 'owner'
      access?: PartnerAccess
      staffOf?: typeof active
      platformAdmin?: boolean
      deactivated?: boolean
      audience?: 'portal' | 'operator'
    },
  ) => {
    const fields = {
      platform_admin: platformAdmin,
      deactivated_at: deactivated ? new Date() : null,
      ...(access && { partner_id: staffOf.partner.id, partner_access: access }),
    }
    const { id, subject } = role === 'owner' ? at.owner : await newPerson(fields)
    if (role && role !== 'owner') {
      await db
        .insertInto('memberships')
        .values({ tenant_id: at.tenant.id, user_id: id, role, status: 'active' })
        .execute()
    }
    places[person] = {
      slug: at.tenant.slug,
      partnerSlug: at.partner.slug,
      token: newToken(subject, audience),
    }
  }
  const asOperator = { platformAdmin: true, audience: 'operator' } as const
  await settle('stranger', {})
  places.nobody = { ...places.stranger, token: undefined }
  places.withoutRecord = { ...places.stranger, token: newToken('never seen', 'portal') }
  await settle('deactivatedAdmin', { role: 'admin', deactivated: true })
  await settle('operator', asOperator)
  await settle('operatorTokenWithoutFlag', { audience: 'operator' })
  await settle('flagWithPortalToken', { platformAdmin: true })
  await settle('member', { role: 'member' })
  await settle('admin', { role: 'admin' })
  await settle('owner', { role: 'owner' })
  await settle('viewer', { access: 'viewer' })
  await settle('support', { access: 'support' })
  await settle('manager', { access: 'manager' })
  await settle('partnerOwner', { access: 'owner' })
  await settle('managerOfSuspended', { at: suspended, access: 'manager' })
  await settle('ownerOfSuspended', { at: suspended, access: 'owner' })
  await settle('ownerOfTerminated', { at: over, access: 'owner' })
  await settle('foreignOwner', { access: 'owner', staffOf: foreign })
  await settle('memberAndViewer', { role: 'member', access: 'viewer' })
  await settle('memberAndForeignOwner', { role: 'member', access: 'owner', staffOf: foreign })
  await settle('memberAndOperator', { role: 'member', ...asOperator })
  await settle('operatorAndViewerOfSuspended', { at: suspended, access: 'viewer', ...asOperator })
  terminated = {
    slug: over.tenant.slug,
    partnerSlug: over.partner.slug,
    token: places.operator.token,
  }
}, 60_000)
afterAll(async () => {
  await database[Symbol.asyncDispose]()
  // Each rejection is one that the guard declares for the description of the API.
  expect(logged).not.toHaveBeenCalledWith(expect.anything(), undeclaredError)
})

const request = (): RequestInfo => ({
  requestId: randomUUID(),
  ip: null,
  ipTrusted: false,
  peerIp: null,
  country: null,
  source: 'api',
  language: 'en',
  signal: new AbortController().signal,
  header: () => undefined,
  responseHeaders: new Map(),
  logFields: {},
})

/** What the guard proved. Throws what it rejects with. */
async function proved(guard: Guard, input: unknown, token: string | undefined): Promise<unknown> {
  const ctx = createContext(services, request(), token && `Bearer ${token}`)
  const getRawInput = async () => input
  return procedures[guard]?.({ ctx, path: guard, type: 'query', batchIndex: 0, getRawInput })
}

async function outcome(guard: Guard, input: unknown, token: string | undefined): Promise<string> {
  try {
    await proved(guard, input, token)
    return 'ok'
  } catch (error) {
    return toAppError(error).code
  }
}

function inputOf(guard: Guard, { slug, partnerSlug }: Omit<Place, 'token'>): object {
  if (!partnerGuards.some((name) => name === guard)) return { slug }
  return guard === 'customerManager'
    ? { slug: partnerSlug, tenantSlug: slug }
    : { slug: partnerSlug }
}

/** What each person gets: `rest` unless named. */
const outcomes = (
  rest: string,
  named: Readonly<Partial<Record<string, readonly Person[]>>>,
): Record<Person, string> => ({
  ...(Object.fromEntries(people.map((person) => [person, rest])) as Record<Person, string>),
  nobody: 'unauthenticated',
  deactivatedAdmin: 'user_deactivated',
  ...Object.fromEntries(
    Object.entries(named).flatMap(([code, those = []]) => those.map((person) => [person, code])),
  ),
})

const operators = ['operator', 'memberAndOperator', 'operatorAndViewerOfSuspended'] as const
const members = ['member', 'admin', 'owner', 'memberAndViewer', 'memberAndForeignOwner'] as const
const activeStaff = ['viewer', 'support', 'manager', 'partnerOwner', 'memberAndViewer'] as const
const staff = [...activeStaff, 'managerOfSuspended', 'ownerOfSuspended'] as const
const foreignStaff = ['foreignOwner', 'memberAndForeignOwner'] as const
const onlyOperators = outcomes('operator_required', {
  ok: operators,
  not_platform_admin: ['operatorTokenWithoutFlag'],
})
const managersOfPartner = {
  ok: [...operators, 'manager', 'partnerOwner'],
  access_level: ['viewer', 'support', 'memberAndViewer'],
  partner_suspended: ['managerOfSuspended', 'ownerOfSuspended'],
  not_found: foreignStaff,
  not_platform_admin: ['operatorTokenWithoutFlag'],
} as const
const ownersOfPartner = {
  ...managersOfPartner,
  ok: [...operators, 'partnerOwner'],
  access_level: ['viewer', 'support', 'manager', 'memberAndViewer', 'managerOfSuspended'],
  partner_suspended: ['ownerOfSuspended'],
} as const
const partnerStaffAnd = (rejected: readonly Person[]) =>
  outcomes('operator_required', {
    ok: [...operators, ...staff],
    access_level: rejected,
    not_found: foreignStaff,
    not_platform_admin: ['operatorTokenWithoutFlag'],
  })

describe.each<[Guard, Record<Person, string>]>([
  ['publicProcedure', { ...outcomes('ok', {}), nobody: 'ok', deactivatedAdmin: 'ok' }],
  ['signedIn', outcomes('ok', {})],
  ['signedInAbout', outcomes('ok', {})],
  ['operator', onlyOperators],
  ['tenantReader', outcomes('not_found', { ok: [...operators, ...members, ...staff] })],
  [
    'adminReader',
    outcomes('not_found', {
      ok: [...operators, 'admin', 'owner', ...staff],
      not_admin: ['member', 'memberAndForeignOwner'],
    }),
  ],
  ['memberOrOperator', outcomes('not_member', { ok: [...operators, ...members] })],
  ['memberPartnerOrOperator', outcomes('not_member', { ok: [...operators, ...members, ...staff] })],
  [
    'adminOrOperator',
    outcomes('not_member', {
      not_admin: members,
      ok: [...operators, 'admin', 'owner'],
    }),
  ],
  [
    'adminPartnerOrOperator',
    outcomes('not_found', {
      not_admin: ['member', 'memberAndForeignOwner'],
      ok: [...operators, 'admin', 'owner', 'manager', 'partnerOwner'],
      access_level: ['viewer', 'support', 'memberAndViewer'],
      partner_suspended: ['managerOfSuspended', 'ownerOfSuspended'],
    }),
  ],
  [
    'ownerOnly',
    outcomes('not_found', {
      not_owner: [...members.filter((one) => one !== 'owner'), ...staff, ...operators],
      ok: ['owner'],
    }),
  ],
  [
    'ownerOrOperator',
    outcomes('not_found', { not_owner: [...members, ...staff], ok: [...operators, 'owner'] }),
  ],
  [
    'partnerOrOperator',
    outcomes('operator_required', {
      ...managersOfPartner,
    }),
  ],
  ['operatorOfTenant', onlyOperators],
  ['partnerReader', partnerStaffAnd([])],
  ['partnerReportReader', partnerStaffAnd(['support'])],
  ['partnerFinanceReader', partnerStaffAnd(['viewer', 'support', 'memberAndViewer'])],
  ['partnerManager', outcomes('operator_required', managersOfPartner)],
  ['partnerOwner', outcomes('operator_required', ownersOfPartner)],
  ['partnerSettler', outcomes('operator_required', ownersOfPartner)],
  ['customerManager', outcomes('operator_required', managersOfPartner)],
])('%s', (guard, expected) => {
  it('lets in exactly whom it names, and tells the others why', async () => {
    const found: Partial<Record<Person, string>> = {}
    for (const person of people)
      found[person] = await outcome(guard, inputOf(guard, places[person]), places[person].token)
    expect(found).toEqual(expected)
  })
})

describe.each(tenantGuards)('%s, for a tenant that does not exist,', (guard) => {
  it('responds to each outsider as for one that does, and with not_found to operators', async () => {
    const outsiders = ['stranger', 'foreignOwner', 'operatorTokenWithoutFlag'] as const
    for (const person of outsiders) {
      const { token, ...place } = places[person]
      expect(await outcome(guard, { slug: 'never-made' }, token), person).toBe(
        await outcome(guard, inputOf(guard, place), token),
      )
    }
    for (const slug of ['never-made', 'no slug\0'])
      expect(await outcome(guard, { slug }, places.operator.token)).toBe('not_found')
  })
})

describe.each([...tenantGuards, ...partnerGuards])('%s', (guard) => {
  it.each([[undefined], [null], ['acme'], [{}], [{ slug: 7 }]])(
    'rejects the input %j, which names nothing',
    async (input) => {
      expect(await outcome(guard, input, places.operator.token)).toBe('invalid_input')
    },
  )
})

describe('a partner', () => {
  it('that does not exist looks the same to staff of another one and to operators', async () => {
    for (const guard of partnerGuards) {
      for (const partnerSlug of ['never-made', 'no slug\0']) {
        const input = inputOf(guard, { slug: places.operator.slug, partnerSlug })
        expect(await outcome(guard, input, places.operator.token), guard).toBe('not_found')
        expect(await outcome(guard, input, places.partnerOwner.token), guard).toBe('not_found')
      }
    }
  })

  it('that was terminated is still read and paid, and no longer changed, by operators', async () => {
    const found = await Promise.all(
      partnerGuards.map((guard) => outcome(guard, inputOf(guard, terminated), terminated.token)),
    )
    expect(Object.fromEntries(partnerGuards.map((guard, n) => [guard, found[n]]))).toEqual({
      partnerReader: 'ok',
      partnerReportReader: 'ok',
      partnerFinanceReader: 'ok',
      partnerManager: 'partner_terminated',
      partnerOwner: 'partner_terminated',
      partnerSettler: 'ok',
      customerManager: 'partner_terminated',
    })
  })

  it('is proved with its status, and with the level of staff alone', async () => {
    const access = (person: Person) =>
      proved('partnerReader', { slug: places[person].partnerSlug }, places[person].token)
    const { partnerSlug } = places.managerOfSuspended
    const partner = { id: expect.any(String), slug: partnerSlug, status: 'suspended' }
    expect(await access('managerOfSuspended')).toMatchObject({ partner, access: 'manager' })
    expect(await access('operatorAndViewerOfSuspended')).toMatchObject({ partner, access: null })
  })
})

describe('a customer', () => {
  it('of another partner is none of this one, for its staff and for operators', async () => {
    const { partnerSlug, token } = places.manager
    const input = { slug: partnerSlug, tenantSlug: places.managerOfSuspended.slug }
    expect(await outcome('customerManager', input, token)).toBe('not_found')
    expect(await outcome('customerManager', input, places.operator.token)).toBe('not_found')
    const unnamed = { slug: partnerSlug }
    expect(await outcome('customerManager', unnamed, token)).toBe('invalid_input')
  })
})

describe('a call that may name a tenant', () => {
  it('gets the tenant where it names one that exists, and none otherwise', async () => {
    const { slug, token } = places.stranger
    const caller = expect.stringMatching(/^subject-/)
    expect(await proved('signedInAbout', { slug }, token)).toEqual({ caller, tenant: slug })
    for (const input of [{ slug: 'never-made' }, {}])
      expect(await proved('signedInAbout', input, token)).toEqual({ caller, tenant: undefined })
  })
})

describe('a call whose input names nothing', () => {
  it('is told which field is missing', async () => {
    const { partnerSlug, token } = places.operator
    const fieldsOf = async (guard: Guard, input: object) =>
      proved(guard, input, token).catch((error: unknown) =>
        toAppError(error).issues?.map(({ path }) => path),
      )
    expect(await fieldsOf('tenantReader', {})).toEqual(['slug'])
    expect(await fieldsOf('customerManager', { slug: partnerSlug })).toEqual(['tenantSlug'])
  })
})

describe('the caller of a request', () => {
  const open = (token: string | undefined) => {
    const info = request()
    return { info, ctx: createContext(services, info, token && `Bearer ${token}`) }
  }

  it('is the stored person, and what the token says of one who was never seen', async () => {
    expect(await open(places.withoutRecord.token).ctx.readCaller()).toMatchObject({
      id: undefined,
      subject: 'never seen',
      email: 'token@example.test',
      name: 'Name of the token',
      platformAdmin: false,
      operator: false,
      partner: undefined,
    })
    const { ctx } = open(places.manager.token)
    expect(await ctx.readCaller()).toMatchObject({
      id: expect.any(String),
      email: expect.stringMatching(/^subject-/),
      name: 'Person',
      partner: { access: 'manager' },
    })
  })

  it('is read once per request and tenant, and again in the next request', async () => {
    const read = vi.spyOn(database, 'read')
    const callers = () =>
      read.mock.calls.filter(([{ name }]) => name.startsWith('find_caller')).length
    const { slug, token } = places.member
    const { ctx } = open(token)
    for (const input of [slug, slug, 'never-made']) await ctx.readCallerIn(input)
    await ctx.readCaller()
    await ctx.readCaller()
    expect(callers()).toBe(3)
    await open(token).ctx.readCaller()
    expect(callers()).toBe(4)
    read.mockRestore()
  })

  it('is named in the line of the log, with the tenant and the operator’s rights', async () => {
    const logOf = async (person: Person, slug: string) => {
      const { info, ctx } = open(places[person].token)
      const { caller } = await ctx.readCallerIn(slug)
      const first = { ...info.logFields }
      const again = open(places[person].token)
      await again.ctx.readCallerWithTenant(slug)
      expect(again.info.logFields).toEqual(first)
      return { ...first, ...(first.userId && { userId: first.userId === caller.id }) }
    }
    const { slug } = places.operator
    expect(await logOf('operator', slug)).toEqual({ userId: true, tenant: slug, operator: true })
    expect(await logOf('member', slug)).toEqual({ userId: true, tenant: slug })
    expect(await logOf('withoutRecord', 'no slug\0')).toEqual({})
  })

  it('has no record of a tenant that does not exist', async () => {
    const found = await open(places.withoutRecord.token).ctx.readCallerWithTenant('never-made')
    expect(found).toMatchObject({ caller: { subject: 'never seen' }, tenant: undefined })
  })
})

it.each([
  ['Bearer abc', 'abc'],
  ['bearer abc', 'abc'],
  ['Basic abc', undefined],
  ['Negotiate Bearer abc', undefined],
  ['', undefined],
  [undefined, undefined],
])('the header Authorization: %j bears the token %j', async (header, token) => {
  const ctx = createContext(services, request(), header)
  expect(ctx.bearerToken()).toBe(token)
  await expect(ctx.verifyToken()).rejects.toMatchObject({ code: 'unauthenticated' })
})
