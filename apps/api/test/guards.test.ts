import { randomUUID } from 'node:crypto'
import { demoClients } from '@atrium/core/demo/demo'
import type { PartnerAccess } from '@atrium/core/partners/partner-access'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RequestInfo } from '../src/rpc/caller.ts'
import { createContext } from '../src/rpc/context.ts'
import { toAppError } from '../src/rpc/errors.ts'
import * as guards from '../src/rpc/guards.ts'
import { proceduresOf } from '../src/rpc/procedure.ts'
import { router } from '../src/rpc/trpc.ts'
import { type PartnersTestApp, startPartnersTestApp } from './partners-test-app.ts'

/** Procedures that return what their guard proved. */
const guarded = router({
  publicProcedure: guards.publicProcedure.query(() => ({})),
  signedIn: guards.signedIn.query(({ ctx }) => ctx.caller.id),
  operator: guards.operator.query(({ ctx }) => ctx.caller.id),
  signedInAbout: guards
    .signedInAbout((raw) => (raw as { slug?: string }).slug)
    .query(({ ctx }) => ctx.tenant?.slug),
  tenantReader: guards.tenantReader.query(({ ctx }) => ctx.access.tenant.slug),
  adminReader: guards.adminReader.query(({ ctx }) => ctx.access.tenant.slug),
  memberOrOperator: guards.memberOrOperator.query(({ ctx }) => ctx.access.tenant.slug),
  memberPartnerOrOperator: guards.memberPartnerOrOperator.query(
    ({ ctx }) => ctx.access.tenant.slug,
  ),
  adminOrOperator: guards.adminOrOperator.query(({ ctx }) => ctx.access.tenant.slug),
  adminPartnerOrOperator: guards.adminPartnerOrOperator.query(({ ctx }) => ctx.access.tenant.slug),
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
  'ownerOrOperator',
  'partnerOrOperator',
  'operatorOfTenant',
] as const satisfies Guard[]

/** Who somebody is to one tenant and to the partner that owns it. */
const people = [
  'nobody',
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

let testApp: PartnersTestApp
const places = {} as Record<Person, Place>
let terminated: Place

beforeAll(async () => {
  testApp = await startPartnersTestApp()
  const { db } = testApp.database
  const open = async (status: 'active' | 'suspended' | 'terminated') => {
    const partner = await testApp.newPartner({ status })
    return { partner, tenant: await testApp.newCustomer(partner.id) }
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
      operatorToken = false,
    }: {
      at?: typeof active
      role?: 'member' | 'admin' | 'owner'
      access?: PartnerAccess
      staffOf?: typeof active
      platformAdmin?: boolean
      operatorToken?: boolean
    },
  ) => {
    const { id, subject } = await testApp.newPerson(
      access && { partnerId: staffOf.partner.id, access },
      { platform_admin: platformAdmin },
    )
    if (role === 'owner') {
      await db
        .updateTable('memberships')
        .set({ user_id: id })
        .where('tenant_id', '=', at.tenant.id)
        .where('role', '=', 'owner')
        .execute()
    } else if (role) {
      await db
        .insertInto('memberships')
        .values({ tenant_id: at.tenant.id, user_id: id, role, status: 'active' })
        .execute()
    }
    const aud = operatorToken ? demoClients.operator.clientId : demoClients.portal.clientId
    places[person] = {
      slug: at.tenant.slug,
      partnerSlug: at.partner.slug,
      token: await testApp.issuer.sign({ sub: subject, aud, groups: undefined }),
    }
  }
  await settle('stranger', {})
  places.nobody = { ...places.stranger, token: undefined }
  await settle('operator', { platformAdmin: true, operatorToken: true })
  await settle('operatorTokenWithoutFlag', { operatorToken: true })
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
  await settle('memberAndOperator', { role: 'member', platformAdmin: true, operatorToken: true })
  await settle('operatorAndViewerOfSuspended', {
    at: suspended,
    access: 'viewer',
    platformAdmin: true,
    operatorToken: true,
  })
  terminated = {
    slug: over.tenant.slug,
    partnerSlug: over.partner.slug,
    token: places.operator.token,
  }
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

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
  const ctx = createContext(testApp.app.services, request(), token && `Bearer ${token}`)
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
  ['publicProcedure', { ...outcomes('ok', {}), nobody: 'ok' }],
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
      ...{ not_admin: ['member', 'memberAndForeignOwner'] },
      ...{ ok: [...operators, 'admin', 'owner', 'manager', 'partnerOwner'] },
      ...{ access_level: ['viewer', 'support', 'memberAndViewer'] },
      ...{ partner_suspended: ['managerOfSuspended', 'ownerOfSuspended'] },
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
    expect(await proved('signedInAbout', { slug }, token)).toBe(slug)
    expect(await proved('signedInAbout', { slug: 'never-made' }, token)).toBeUndefined()
    expect(await proved('signedInAbout', {}, token)).toBeUndefined()
  })
})
