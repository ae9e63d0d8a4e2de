import { overRest, overTrpc, procedureNames, routeOf } from '@atrium/testing/calls'
import { insertServiceToken } from '@atrium/testing/service-tokens'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { everythingWritten } from '@atrium/testing/written'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { appRouter } from '../src/router.ts'
import { proceduresOf } from '../src/rpc/procedure.ts'

let testApp: TestApp
let token: string
let ownerToken: string
let serviceToken: string
let userId: string

beforeAll(async () => {
  testApp = await startTestApp({
    manyChanges: true,
    sandbox: { identity: { accessTokenSeconds: 3600 } },
  })
  token = await testApp.token('operator@atrium.test')
  ownerToken = await testApp.token('owner@acme.test')
  ;({ token: serviceToken } = await insertServiceToken(testApp, { kind: 'platform' }))
  userId = (await testApp.request('GET', '/users/me', { token: ownerToken })).body.id
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

interface Schema {
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  anyOf?: Schema[]
  allOf?: Schema[]
  items?: Schema
  enum?: unknown[]
  minimum?: number
  maximum?: number
  default?: unknown
}

/** The JSON schema of what a procedure takes, from the schemas that it checks with. */
function inputSchema(name: string): Schema {
  const schema = proceduresOf(appRouter)[name]?._def.inputs.at(-1)
  if (!schema) throw new Error(`${name} takes no input`)
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema
  return json.anyOf?.find((one) => one.properties) ?? json
}

/** The least that a procedure takes, so that exactly one fault is under test at a time. */
const least: Record<string, Record<string, unknown>> = {
  'addressClaims.list': { domain: 'acme.tenants.local' },
  'addressClaims.start': { domain: 'acme.tenants.local', email: 'bo@acme.tenants.local' },
  'addressClaims.withdraw': { domain: 'acme.tenants.local', email: 'bo@acme.tenants.local' },
  'tenants.create': { name: 'Nothing' },
  'users.create': { idpSubjectId: 'nobody', email: 'nobody@example.test', name: 'Nobody' },
  'users.invite': { email: 'nobody@example.test', name: 'Nobody' },
  'invitations.inviteMembers': { invitees: [{ email: 'nobody@example.test' }] },
  'invitations.inviteStaff': {
    access: 'viewer',
    invitees: [{ email: 'nobody@example.test' }],
  },
  // Of no invitation.
  'invitations.resend': { invitationId: '0197f7a4-2c1e-7000-8000-000000000001' },
  'invitations.resendOfTenant': { invitationId: '0197f7a4-2c1e-7000-8000-000000000001' },
  'invitations.resendOfPartner': { invitationId: '0197f7a4-2c1e-7000-8000-000000000001' },
  'invitations.revoke': { invitationId: '0197f7a4-2c1e-7000-8000-000000000001' },
  'invitations.revokeOfTenant': { invitationId: '0197f7a4-2c1e-7000-8000-000000000001' },
  'invitations.revokeOfPartner': { invitationId: '0197f7a4-2c1e-7000-8000-000000000001' },
  'invitations.acceptMine': { invitationId: '0197f7a4-2c1e-7000-8000-000000000001' },
  'invitations.declineMine': { invitationId: '0197f7a4-2c1e-7000-8000-000000000001' },
  'invitations.inviteOperators': { invitees: [{ email: 'nobody@example.test' }] },
  'accessGrants.ask': {
    role: 'reader',
    scopes: ['branding'],
    reason: 'Nothing.',
    endsAt: '2030-01-01T00:00:00Z',
  },
  'accessGrants.breakGlass': { reason: 'Nothing.', hours: 1 },
  'branding.preview': { template: 'member.welcome' },
  'domains.setDmarc': { domain: 'acme.tenants.local', policy: 'none' },
  'members.startImport': { csv: 'email\nnobody\n', dryRun: true },
  'flags.create': { key: 'nothing' },
  'flags.evaluateByOfrep': { context: { targetingKey: 'acme' } },
  'flags.evaluateOneByOfrep': { key: 'nothing', context: { targetingKey: 'acme' } },
  'flags.update': { key: 'nothing', version: 1, state: 'on', note: 'Nothing.' },
  'partners.update': { name: 'Nothing' },
  'scheduling.hosts.connect': { mode: 'mint' },
  'scheduling.pages.host': { hostSlug: 'nobody' },
  'scheduling.pages.eventType': { hostSlug: 'nobody', eventSlug: 'nothing' },
  'payouts.hold': { reason: 'Nothing.' },
  'payouts.fail': { reason: 'Nothing.' },
  'payouts.void': { reason: 'Nothing.' },
  'payouts.pay': { reference: 'Nothing' },
  'payouts.consent': { agreed: true },
  'partnerTransfers.preview': { code: 'nothing' },
  'partnerTransfers.accept': { code: 'nothing' },
  'prices.update': { note: 'Nothing.' },
  'priceMigrations.start': { from: '2030-01-01', reason: 'Nothing at all.' },
  'priceMigrations.stop': { reason: 'Nothing at all.' },
  'priceMigrations.stopSubscriber': {
    subscriptionId: '0197f7a4-2c1e-7000-8000-000000000001',
    reason: 'Nothing at all.',
  },
  'subscriptions.update': { seats: 1 },
  'reports.signupCohortRows': { month: '2026-01' },
  'reports.churnCohortRows': { month: '2026-01' },
  'partnerReports.signupCohortRows': { month: '2026-01' },
  'partnerReports.churnCohortRows': { month: '2026-01' },
  'billing.invoiceDocument': { invoiceId: '0197f7a4-2c1e-7000-8000-000000000001' },
  'documents.list': { invoiceId: '0197f7a4-2c1e-7000-8000-000000000001' },
  'documents.download': { documentId: '0197f7a4-2c1e-7000-8000-000000000001' },
  'documents.setTenantAddress': { line1: 'Nothing 1', city: 'Nowhere' },
  'bookkeeping.get': { month: '2026-01' },
  'bookkeeping.export': { month: '2026-01' },
  'operatorInvoices.correct': {
    requestId: '0197f7a4-2c1e-7000-8000-000000000001',
    kind: 'void',
    reason: 'Nothing at all.',
  },
  'documents.setPartnerAddress': { line1: 'Nothing 1', city: 'Nowhere' },
  'billing.payInvoice': { invoiceId: '0197f7a4-2c1e-7000-8000-000000000001' },
  'serviceTokens.create': { name: 'Nothing', scopes: ['members:read'], expiresInDays: 1 },
  'serviceTokens.createOfPartner': { name: 'Nothing', scopes: ['partners:read'], expiresInDays: 1 },
  'serviceTokens.createOfPlatform': { name: 'Nothing', scopes: ['users:read'], expiresInDays: 1 },
  'webhookEndpoints.create': { url: 'https://nothing.example.test/' },
  'webhookEndpoints.createOfPartner': { url: 'https://nothing.example.test/' },
  'webhookEndpoints.createOfPlatform': { url: 'https://nothing.example.test/' },
  'webhookEndpoints.replay': { eventId: '0197f7a4-2c1e-7000-8000-000000000001' },
  'webhookEndpoints.replayOfPartner': { eventId: '0197f7a4-2c1e-7000-8000-000000000001' },
  'webhookEndpoints.replayOfPlatform': { eventId: '0197f7a4-2c1e-7000-8000-000000000001' },
  'sso.create': { name: 'Nothing', redirectUris: ['https://nothing.example.test/callback'] },
}
function leastInput(name: string): Record<string, unknown> {
  const { properties = {} } = inputSchema(name)
  const { path } = routeOf(name)
  return {
    ...least[name],
    ...('slug' in properties && name !== 'tenants.create'
      ? { slug: path.startsWith('/partners/') ? 'north' : 'acme' }
      : {}),
    ...(path.includes('{tenantSlug}') ? { tenantSlug: 'acme' } : {}),
    ...('id' in properties ? { id: userId } : {}),
  }
}

const unsafe = {
  NUL: 'a\u0000b',
  'lone surrogate': 'a\ud800b',
  'bidirectional override': 'a\u202eb',
  'left-to-right mark': 'a\u200eb',
  'line break': 'a\r\nb',
  noncharacter: 'a\uffffb',
  'far too long': 'a'.repeat(5_000),
}

const wrongTypes: Record<string, unknown[]> = {
  string: [7, true, {}, [], ['a']],
  number: [{}, [], 'x', true],
  integer: [{}, [], 'x', 1.5],
  boolean: ['yes', 1, {}, []],
  object: ['x', 7, true],
  array: ['x', 7, {}],
}

/**
 * Fields that hold a text of many lines, by procedure: there a line break is no fault, nor is the
 * length that is one elsewhere.
 */
const longTexts: Record<string, readonly string[]> = {
  'branding.preview': ['draft.html', 'draft.text'],
  'invitations.inviteMembers': ['message'],
  'invitations.inviteOperators': ['message'],
  'invitations.inviteStaff': ['message'],
  'members.startImport': ['csv'],
  'scheduling.book.create': ['note'],
  'scheduling.book.forTenant': ['note'],
  'scheduling.bookings.cancel': ['reason'],
  'scheduling.bookings.decline': ['reason'],
  'scheduling.bookings.reschedule': ['reason'],
  'scheduling.eventTypes.create': ['description'],
  'scheduling.eventTypes.update': ['description'],
  'scheduling.hosts.create': ['description'],
  'scheduling.hosts.update': ['description'],
  'scheduling.hosts.updatePage': ['intro'],
}

/** Objects that hold whatever the caller likes, by procedure. */
const openObjects: Record<string, string> = {
  'flags.evaluateByOfrep': 'context',
  'flags.evaluateOneByOfrep': 'context',
}

/** Open to the owner of the tenant alone; everything else is open to an operator. */
const ofOwners: ReadonlySet<string> = new Set([
  'serviceTokens.create',
  'serviceTokens.rotate',
  ...['create', 'replay', 'rotate', 'test', 'update'].map((name) => `webhookEndpoints.${name}`),
  'accessGrants.acknowledge',
  'accessGrants.approve',
  'accessGrants.decline',
])

interface Fault {
  label: string
  path: string
  input: Record<string, unknown>
}

/**
 * Every single fault that the schema knows of. `coerced` numbers take what JavaScript would turn
 * into one, so those are left out.
 */
function faultsOf(schema: Schema, base: Record<string, unknown>): Fault[] {
  const faults: Fault[] = [
    { label: 'an unknown key', path: 'surprise', input: { ...base, surprise: 1 } },
  ]
  faults.push({
    label: 'constructor as a key',
    path: 'constructor',
    input: { ...base, constructor: 1 },
  })
  for (const field of schema.required ?? []) {
    const { [field]: _, ...rest } = base
    faults.push({ label: `${field} missing`, path: field, input: rest })
  }
  for (const [field, property] of Object.entries(schema.properties ?? {})) {
    for (const { label, path, value } of valueFaults(field, property))
      faults.push({ label, path, input: { ...base, [field]: value } })
  }
  return faults
}

function valueFaults(
  path: string,
  schema: Schema,
): { label: string; path: string; value: unknown }[] {
  const branches = schema.anyOf ?? [schema]
  const kinds = branches.flatMap(({ type }) => type ?? [])
  const faults: { label: string; path: string; value: unknown }[] = []
  const add = (label: string, value: unknown) =>
    faults.push({ label: `${path}: ${label}`, path, value })
  if (!kinds.includes('null')) add('null', null)
  const kind = kinds.find((one) => one !== 'null')
  for (const value of wrongTypes[kind ?? ''] ?? []) add(JSON.stringify(value), value)
  for (const branch of branches) {
    if (branch.enum) add('a word that is none of the choices', 'surprise')
    else if (branch.type === 'string')
      for (const [label, value] of Object.entries(unsafe)) add(label, value)
    if (branch.type === 'integer' && branch.minimum !== undefined)
      add('below the least', branch.minimum - 1)
    if (
      branch.type === 'integer' &&
      branch.maximum !== undefined &&
      branch.maximum < Number.MAX_SAFE_INTEGER
    )
      add('above the most', branch.maximum + 1)
    if (branch.properties) {
      for (const [name, inner] of Object.entries(branch.properties)) {
        for (const fault of valueFaults(name, inner)) {
          faults.push({
            label: `${path}.${fault.label}`,
            path: `${path}.${fault.path}`,
            value: { [name]: fault.value },
          })
        }
      }
      faults.push({
        label: `${path}: an unknown key`,
        path: `${path}.surprise`,
        value: { surprise: 1 },
      })
    }
    if (branch.type === 'array' && branch.items) {
      for (const fault of valueFaults('0', branch.items)) {
        faults.push({ label: `${path}.${fault.label}`, path: `${path}.0`, value: [fault.value] })
      }
      add(
        'far too many',
        Array.from({ length: 500 }, () => 'a.example.com'),
      )
    }
  }
  return faults
}

/** Looked up as they stand, so one that cannot exist is unknown, not invalid. */
const namesInPath = [
  'slug',
  'domain',
  'key',
  'id',
  'tenantSlug',
  'hostSlug',
  'eventSlug',
  'documentId',
  'payoutId',
  'invoiceId',
  'subscriptionId',
  'userId',
]

/** The wording of the validation library. */
const forProgrammers = /^(Invalid|Too small|Too big|Unrecognized)\b/

/** What a fault may answer. */
function acceptable(
  response: {
    status: number
    outcome: string
    body: { issues?: { path: string; message: string }[] }
  },
  fault: Fault,
  name: string,
): boolean {
  const inPath = routeOf(name).path.includes(`{${fault.path}}`)
  if (inPath && namesInPath.includes(fault.path) && response.outcome === 'not_found') return true
  // Without a manage token nothing is said of what comes with it, and whoever goes on trying is
  // told nothing at all.
  if (
    name.startsWith('scheduling.manage.') &&
    ['not_found', 'rate_limited'].includes(response.outcome)
  )
    return true
  const issues = response.body.issues ?? []
  return (
    response.status === 400 &&
    response.outcome === 'invalid_input' &&
    issues.every(({ message }) => !forProgrammers.test(message)) &&
    issues.some(({ path }) => path === fault.path || path.startsWith(`${fault.path}.`))
  )
}

describe.each(procedureNames)('%s', (name) => {
  it('rejects every single fault of its input, names the field, and does nothing', async () => {
    const base = leastInput(name)
    const caller =
      name === 'serviceTokens.current' ? serviceToken : ofOwners.has(name) ? ownerToken : token
    const isText = ({ path, label }: Fault) =>
      longTexts[name]?.includes(path) && /: (line break|far too long)$/.test(label)
    const isOpen = ({ label }: Fault) => label === `${openObjects[name]}: an unknown key`
    const faults = faultsOf(inputSchema(name), base).filter(
      (fault) => !isText(fault) && !isOpen(fault),
    )
    const before = await everythingWritten(testApp)
    const wrong: string[] = []
    // Both wires check with the same schema: REST gets one fault of each kind.
    const overRestAlready = new Set<string>()
    for (const fault of faults) {
      const responses = [await overTrpc(testApp, name, fault.input, caller)]
      const { method, path } = routeOf(name)
      const kind = fault.label.slice(fault.label.lastIndexOf(': ') + 1)
      const overBody = method !== 'GET' && method !== 'DELETE' && !path.includes(`{${fault.path}}`)
      if (overBody && !overRestAlready.has(kind)) {
        overRestAlready.add(kind)
        responses.push(await overRest(testApp, name, fault.input, caller))
      }
      for (const response of responses) {
        if (!acceptable(response, fault, name))
          wrong.push(
            `${fault.label}: ${response.status} ${response.outcome} ${JSON.stringify(response.body?.issues)}`,
          )
      }
    }
    expect(wrong).toEqual([])
    expect(await everythingWritten(testApp)).toEqual(before)
  })
})

describe('an address with odd characters', () => {
  it.each([
    '%00',
    'a%00b',
    '%ED%A0%80',
    '%E2%80%AE',
    '..%2f..',
    '%F0%9F%92%A9',
    'A'.repeat(300),
    'acme%20',
    'ACME',
    'аcme',
  ])('names no tenant: %s', async (slug) => {
    for (const [method, path] of [
      ['GET', `/tenants/${slug}`],
      ['POST', `/tenants/${slug}/suspend`],
      ['GET', `/tenants/${slug}/users`],
      ['DELETE', `/tenants/${slug}`],
    ] as const) {
      const response = await testApp.request(method, path, { token })
      expect([404, 400], `${method} ${path}`).toContain(response.status)
    }
    const response = await testApp.request('GET', `/users/${slug}`, { token })
    expect(response).toMatchObject({
      status: 400,
      body: { code: 'invalid_input', issues: [{ path: 'id' }] },
    })
  })
})

describe('parameters of a query', () => {
  it.each([
    'limit=0',
    'limit=-1',
    'limit=201',
    'limit=x',
    'limit=1.5',
    'limit=',
    'cursor=x',
    'cursor=00000000-0000-0000-0000-00000000000g',
    'status=gone',
    'q=',
    'surprise=1',
    'plan[]=free',
  ])('GET /tenants?%s is refused and the parameter named', async (query) => {
    const response = await testApp.request('GET', `/tenants?${query}`, { token })
    expect(response).toMatchObject({
      status: 400,
      body: { code: 'invalid_input', issues: [{ path: query.split('=')[0] }] },
    })
  })

  it('may not come twice', async () => {
    const response = await testApp.request('GET', '/tenants?limit=1&limit=2', { token })
    expect(response).toMatchObject({ status: 400, body: { issues: [{ path: 'limit' }] } })
  })

  it('may not stand in for the address', async () => {
    const response = await testApp.request('GET', '/tenants/acme?slug=globex', { token })
    expect(response).toMatchObject({ status: 400, body: { issues: [{ path: 'slug' }] } })
    const body = await testApp.request('PATCH', '/tenants/acme', {
      token,
      body: { slug: 'globex', name: 'x' },
    })
    expect(body).toMatchObject({ status: 400, body: { issues: [{ path: 'slug' }] } })
  })

  it('with an unfinished escape is no parameter that is known', async () => {
    expect((await testApp.request('GET', '/tenants?q=%E0%A4%A', { token })).status).toBeLessThan(
      500,
    )
  })
})
