import { randomBytes } from 'node:crypto'
import { randomPassword } from '@atrium/api/members/one-time-password'
import { drainOutbox } from '@atrium/api/outbox/drain'
import { recordMeasurement, rounds } from '@atrium/testing/measurements'
import { type SchedulingTestApp, startSchedulingTestApp } from '@atrium/testing/scheduling-test-app'
import { type Secret, secretsOfEnvironment, shows } from '@atrium/testing/shown-secrets'
import type { TestResponse } from '@atrium/testing/test-app'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'

let testApp: SchedulingTestApp
const secrets: Secret[] = []
const responses: { to: string; answer: TestResponse }[] = []
const urls: string[] = []

function keep(what: string, text: unknown): void {
  if (typeof text === 'string' && text.length >= 12) secrets.push({ what, text })
}

beforeAll(async () => {
  const { fetch } = globalThis
  vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
    urls.push(String(input instanceof Request ? input.url : input))
    return fetch(input, init)
  })
  testApp = await startSchedulingTestApp({
    mailer: true,
    started: true,
    env: { LOG_LEVEL: 'debug', PORTAL_URL: 'https://portal.test' },
  })
  secrets.push(...secretsOfEnvironment(testApp.env))
  for (const [name, token] of Object.entries(testApp.as)) keep(`the access token of ${name}`, token)
  for (const { password } of Object.values(testApp.people))
    keep('the password of a mailbox', password)
})
afterAll(async () => {
  await testApp[Symbol.asyncDispose]()
  vi.restoreAllMocks()
})

async function call(
  method: string,
  path: string,
  options: { token?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<TestResponse> {
  const answer = await testApp.request(method, path, options)
  responses.push({ to: `${method} ${path}`, answer })
  return answer
}

/**
 * Everything that creates, accepts or shows a secret, once. Responses may be rejections: those are
 * checked most closely.
 */
async function useSecrets(round: number): Promise<void> {
  const { admin, operator } = testApp.as
  const unique = randomBytes(4).toString('hex')
  const member = await call('POST', '/tenants/acme/users', {
    token: admin,
    body: { email: `secret-${unique}`, name: 'Secret' },
  })
  keep('a one-time password', member.body.oneTimePassword)
  const id = member.body.member?.id
  const reset = await call('POST', `/tenants/acme/users/${id}/reset-password`, {
    token: admin,
    headers: { 'idempotency-key': unique },
  })
  keep('a password that was reset', reset.body.oneTimePassword ?? reset.body.tempPassword)
  const invited = await call('POST', '/users/invite', {
    token: operator,
    body: { email: `invited-${unique}@example.test`, name: 'Invited' },
  })
  for (const [name, value] of Object.entries(invited.body))
    if (/password|link|token/i.test(name)) keep(`${name} of an invitation`, value)
  const app = await call('POST', '/tenants/acme/sso-apps', {
    token: admin,
    body: { name: `App ${unique}`, redirectUris: ['https://app.example.test/callback'] },
  })
  keep('a client secret', app.body.clientSecret)

  const host = await testApp.newHost(
    testApp.people[(['owner', 'admin', 'member'] as const)[round % 3] ?? 'owner'],
  )
  const path = `/api/v1/tenants/acme/hosts/${host.id}`
  const entered = `canary-entered-${unique}`
  keep('an app password that was entered', entered)
  await call('PUT', `${path}/mail-credential`, {
    token: admin,
    body: { mode: 'enter', username: testApp.people.member.address, secret: entered },
  })
  await call('PUT', `${path}/mail-credential`, { token: admin, body: { mode: 'mint' } })
  const stored = await testApp.database.db
    .selectFrom('mail_credentials')
    .select('secret')
    .where('host_id', '=', host.id)
    .executeTakeFirst()
  if (stored && testApp.config.keyring)
    keep(
      'an app password that was made',
      testApp.config.keyring.decrypt(stored.secret, `mail_credentials.secret:${host.id}`),
    )
  await call('POST', `${path}/mail-credential/check`, { token: admin })
  await bookAndManage(host.id)

  const forged = `canary-token-${unique}`
  keep('a token that is none', forged)
  for (const authorization of [
    `Bearer ${forged}`,
    `Basic ${Buffer.from(`x:${forged}`).toString('base64')}`,
    forged,
  ])
    await call('GET', '/users/me', { headers: { authorization } })
  const misplaced = `canary-misplaced-${unique}`
  keep('a secret in a place that takes none', misplaced)
  await call('POST', '/tenants', {
    token: operator,
    body: { name: 'x', password: misplaced, token: { nested: misplaced } },
  })
  await call('POST', '/tenants', { token: operator, body: `{"name":"${misplaced}` })
  await call('GET', `/users/me?token=${misplaced}&password=${misplaced}`, {
    token: admin,
    headers: { cookie: `session=${misplaced}`, 'x-api-key': misplaced },
  })
  await call('POST', '/webhooks/stripe', {
    body: { id: misplaced },
    headers: { 'stripe-signature': `t=1,v1=${misplaced}` },
  })
  await testApp.clear()
}

async function bookAndManage(hostId: string): Promise<void> {
  const settings = {
    hostId,
    title: 'Meeting',
    durations: [30],
    locationKind: 'in_person',
    location: 'Room 1',
  }
  const { body: eventType } = await testApp.call('POST', '/event-types', settings)
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
  const slots = await call(
    'GET',
    `/api/v1/event-types/${eventType.id}/slots?from=${day(1)}&to=${day(9)}&timeZone=UTC`,
  )
  const [first] = Object.values<{ start: string }[]>(slots.body.slots ?? {}).flat()
  if (!first) return
  const held = await call('POST', '/api/v1/slot-locks', {
    body: { eventTypeId: eventType.id, start: first.start },
  })
  keep('the token of a hold', held.body.lockToken)
  const attendee = {
    name: 'Vera',
    email: `vera-${randomBytes(4).toString('hex')}@example.org`,
    timeZone: 'UTC',
  }
  const booked = await call('POST', '/api/v1/bookings', {
    body: {
      eventTypeId: eventType.id,
      start: first.start,
      attendee,
      lockToken: held.body.lockToken,
    },
  })
  keep('the token of a manage link', booked.body.manageToken)
  await call('GET', '/api/v1/manage/booking', { token: booked.body.manageToken })
  await call('GET', `/api/v1/manage/booking?token=${booked.body.manageToken}`)
  await call('POST', '/api/v1/manage/booking/cancel', {
    token: booked.body.manageToken,
    body: { reason: 'Ill' },
  })
}

const faults = [
  undefined,
  { system: 'identity', mode: 'error', status: 500 },
  { system: 'mail', mode: 'garbage' },
  { system: 'identity', mode: 'shape' },
  { system: 'mail', mode: 'reset' },
  { system: 'files', mode: 'error', status: 403 },
  { system: 'mail', mode: 'error', status: 401 },
  { system: 'identity', mode: 'reset' },
] as const

/** What may show a secret: the response that returns it, and the mail with a visitor's own link. */
const handsOut: Readonly<Record<string, RegExp>> = {
  'a one-time password': /^POST \/tenants\/acme\/users$/,
  'a password that was reset': /reset-password$/,
  'a client secret': /^POST \/tenants\/acme\/sso-apps$/,
  'the token of a hold': /^POST \/api\/v1\/slot-locks$/,
  'the token of a manage link': /^POST \/api\/v1\/bookings$/,
}
const isHandedOut = ({ what }: Secret, to: string) =>
  handsOut[what]?.test(to) || (what.endsWith('of an invitation') && to === 'POST /users/invite')

async function tablesText(): Promise<Map<string, string>> {
  const { rows } = await sql<{ schema: string; name: string }>`
    select n.nspname as schema, c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and not c.relispartition and n.nspname not in ('pg_catalog', 'information_schema')
      and has_table_privilege(c.oid, 'select')`.execute(testApp.database.db)
  const texts = new Map<string, string>()
  for (const { schema, name } of rows) {
    const found = await sql<{
      row: string
    }>`select t::text as row from ${sql.table(`${schema}.${name}`)} t`.execute(testApp.database.db)
    texts.set(`${schema}.${name}`, found.rows.map(({ row }) => row).join('\n'))
  }
  return texts
}

it('shows no secret anywhere but to whom it is handed', async () => {
  const runs = rounds(faults.length, faults.length * 12)
  for (let round = 0; round < runs; round++) {
    const fault = faults[round % faults.length]
    if (fault) testApp.sandbox.fault({ ...fault, times: 6 })
    await useSecrets(round)
    testApp.sandbox.clearFaults()
  }
  await drainOutbox(testApp.app.services)
  await testApp.app.services.background.settled()
  keep('a password that nobody was given', randomPassword())
  const kinds = new Set(secrets.map(({ what }) => what))
  const tables = await tablesText()
  const log = testApp.logLines.join('')
  const calls = JSON.stringify(Object.values(testApp.sandbox.state()).map((system) => system.calls))
  const shown: string[] = []
  for (const secret of new Map(secrets.map((one) => [one.text, one])).values()) {
    const { what } = secret
    const holds = (place: string) => shows(place, secret)
    if (holds(log)) shown.push(`${what}: log`)
    for (const [name, place] of tables) if (holds(place)) shown.push(`${what}: table ${name}`)
    if (urls.some(holds)) shown.push(`${what}: address of a call`)
    if (holds(calls)) shown.push(`${what}: calls of an upstream system`)
    for (const { to, answer } of responses) {
      const told = `${JSON.stringify(answer.body)}${JSON.stringify([...answer.headers])}`
      if (holds(told) && !isHandedOut(secret, to))
        shown.push(`${what}: answer ${answer.status} to ${to.slice(0, 80)}`)
    }
  }
  const rejections = responses.filter(({ answer }) => answer.status >= 400).length
  await recordMeasurement({
    target: 'S15',
    what: 'secrets of a whole run, in logs, tables, jobs, answers and addresses',
    measured: `${secrets.length} secrets of ${kinds.size} kinds looked for in ${testApp.logLines.length} log lines, ${tables.size} tables, ${responses.length} answers (${rejections} refusals), ${urls.length} addresses of calls: ${shown.length} found`,
    reached: shown.length === 0 && kinds.size >= 14,
  })
  expect([...new Set(shown)]).toEqual([])
  expect([...kinds].sort()).toEqual(expect.arrayContaining(Object.keys(handsOut)))
  expect([...kinds]).toEqual(
    expect.arrayContaining([
      'an app password that was made',
      'an app password that was entered',
      'a token that is none',
    ]),
  )
  expect([...tables.keys()].some((name) => name.startsWith('jobs.'))).toBe(true)
  expect(rejections).toBeGreaterThan(10)
})
