import { randomBytes } from 'node:crypto'
import { newAccessLink } from '@atrium/api/users/access-link'
import { invitationPath } from '@atrium/bff/invitation'
import { follow, invite, mailedToken, proveAddress } from '@atrium/testing/invitations'
import { caughtMails } from '@atrium/testing/mails'
import { recordMeasurement, rounds } from '@atrium/testing/measurements'
import { userIdOf } from '@atrium/testing/records'
import type { TestResponse } from '@atrium/testing/test-app'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, expect, it, vi } from 'vitest'
import { openFront } from './front.ts'

const front = await openFront({
  mailer: true,
  // Mails are sent when the test asks for them.
  started: false,
  sandbox: { identity: { accessTokenSeconds: 3_600 } },
})
const { testApp } = front
const { db } = testApp.database
afterAll(() => front[Symbol.asyncDispose]())

const globex = await testApp.token('owner@globex.test')
await db.updateTable('tenants').set({ seats: 0 }).execute()
await db.updateTable('plan_grants').set({ seats: 0 }).execute()
await db.updateTable('subscriptions').set({ seats: 100_000 }).execute()

const fresh = () => `reader-${randomBytes(6).toString('hex')}@elsewhere.example`
const call = (method: string, path: string, body?: object): Promise<TestResponse> =>
  testApp.request(method, `/tenants/globex${path}`, { token: globex, ...(body && { body }) })

/** Invites an address; returns the token that was mailed to it. */
async function invited(email = fresh()): Promise<{ email: string; token: string }> {
  const { body } = await invite(testApp, 'globex', { email }, globex)
  expect(body).toMatchObject({ code: null })
  return { email, token: (await mailedToken(testApp, email)) ?? '' }
}

async function measured(what: string, figure: string, reached: boolean): Promise<void> {
  await recordMeasurement({ target: 'S26', what, measured: figure, reached })
  expect({ what, figure, reached }).toMatchObject({ reached: true })
}

it('tokens are 256 bits of chance: none twice, every bit as often set as not', async () => {
  const id = await userIdOf(db, 'member@acme.test')
  const count = rounds(500, 20_000)
  const set = new Uint32Array(256)
  const seen = new Set<string>()
  for (let n = 0; n < count; n++) {
    const link = await newAccessLink(
      { config: testApp.config, db },
      { userId: id, email: 'member@acme.test' },
    )
    const token = link.slice(link.lastIndexOf('/') + 1)
    seen.add(token)
    const bytes = Buffer.from(token, 'base64url')
    expect(bytes).toHaveLength(32)
    bytes.forEach((byte, at) => {
      for (let bit = 0; bit < 8; bit++)
        set[at * 8 + bit] = (set[at * 8 + bit] ?? 0) + ((byte >> bit) & 1)
    })
  }
  const farthest = Math.max(
    ...[...set].map((ones) => Math.abs(ones - count / 2) / (Math.sqrt(count) / 2)),
  )
  await measured(
    'strength',
    `${count} tokens of 256 bits, ${count - seen.size} twice, farthest bit ${farthest.toFixed(1)} standard deviations from even`,
    seen.size === count && farthest < 6,
  )
})

it('one link opens once, whatever number of callers use it at the same time', async () => {
  const parallel = rounds(8, 100)
  const { token } = await invited()
  const responses = await Promise.all(
    Array.from({ length: parallel }, () => follow(testApp, token)),
  )
  const late = await follow(testApp, token)
  const opened = [...responses, late].filter(({ status }) => status === 200).length
  const others = new Set([...responses, late].map(({ status }) => status).filter((s) => s !== 200))
  await measured(
    'single use',
    `${parallel} at once and one later: ${opened} opened, others ${[...others].join(', ')}`,
    opened === 1 && [...others].join() === '404',
  )
})

/** Everything that is stored, apart from counts of limits and the time when something was seen. */
async function stored(): Promise<string> {
  const tables = [
    'users',
    'memberships',
    'access_links',
    'invitations',
    'identity_dues',
    'outbox',
    'web_sessions',
  ]
  const rows = await Promise.all(
    tables.map((table) => sql`select * from ${sql.table(table)} order by 1, 2`.execute(db)),
  )
  return JSON.stringify([
    rows.map((result) => result.rows),
    testApp.sandbox.identity.save(),
    await testApp.auditActions(),
  ])
}

it('programs that fetch the links of a mail change nothing', async () => {
  const { email, token } = await invited()
  const before = await stored()
  const page = `${front.urls.portal}${invitationPath}${token}`
  const requests: [string, string, Record<string, string>][] = [
    ['GET', page, {}],
    ['HEAD', page, {}],
    ['OPTIONS', page, {}],
    ['GET', `${page}?utm_source=scanner`, { 'user-agent': 'Mozilla/5.0 (compatible; Scanner)' }],
    ['GET', page, { purpose: 'prefetch', 'sec-purpose': 'prefetch;prerender' }],
    ['GET', `${front.apiUrl}/invitations/accept`, { authorization: `Bearer ${token}` }],
    ['HEAD', `${front.apiUrl}/invitations/accept`, { authorization: `Bearer ${token}` }],
    ['OPTIONS', `${front.apiUrl}/invitations/accept`, { authorization: `Bearer ${token}` }],
    ['GET', `${front.apiUrl}/trpc/invitations.accept`, { authorization: `Bearer ${token}` }],
    ['GET', `${front.apiUrl}/invitations/link`, { authorization: `Bearer ${token}` }],
    ['GET', `${front.apiUrl}/trpc/invitations.decline`, { authorization: `Bearer ${token}` }],
  ]
  const statuses: number[] = []
  for (const [method, url, headers] of requests) {
    const response = await fetch(url, { method, headers, redirect: 'manual' })
    statuses.push(response.status)
    await response.body?.cancel()
  }
  const unchanged = (await stored()) === before
  const accepted = await follow(testApp, token)
  await measured(
    'prefetch',
    `${requests.length} requests (${[...new Set(statuses)].join(', ')}): ${unchanged ? 'nothing changed' : 'something changed'}, then the link ${accepted.status}`,
    unchanged && accepted.status === 200 && accepted.body.email === email,
  )
})

it('a link is worth nothing for another address, nor anywhere else', async () => {
  const useless: string[] = []
  const open: string[] = []
  const judge = async (what: string, { status }: TestResponse) =>
    (status >= 400 ? useless : open).push(`${what}: ${status}`)
  const one = await invited()
  for (const [method, path] of [
    ['GET', '/users/me'],
    ['GET', '/tenants'],
    ['POST', '/tenants'],
    ['GET', '/tenants/globex/users'],
  ] as const)
    await judge(
      `${method} ${path}`,
      await testApp.request(method, path, {
        token: one.token,
        ...(method === 'POST' && { body: { name: 'Mine' } }),
      }),
    )
  await judge('an access token in its place', await follow(testApp, globex))
  await judge('another token', await follow(testApp, randomBytes(32).toString('base64url')))
  await judge(
    'a longer token',
    await follow(testApp, `${one.token}${randomBytes(4).toString('hex')}`),
  )
  await judge('a token in other letters', await follow(testApp, one.token.toLowerCase()))
  // The person has another address by now.
  await follow(testApp, one.token)
  const { body } = await testApp.request('GET', '/users/me', {
    token: await testApp.token(one.email),
  })
  await call('POST', `/users/${body.id}/reset-password`)
  const reset = (await mailedToken(testApp, one.email)) ?? ''
  const other = fresh()
  expect((await call('PUT', `/users/${body.id}/email`, { email: other })).status).toBe(200)
  await judge('the address changed', await follow(testApp, reset))
  await call('POST', `/users/${body.id}/reset-password`)
  expect((await mailedToken(testApp, other)) ?? '').not.toBe('')
  await judge('a newer link was mailed', await follow(testApp, reset))
  // Its time is over.
  const late = await invited()
  await db
    .updateTable('invitations')
    .set({ expires_at: new Date(Date.now() - 1_000) })
    .where('email', '=', late.email)
    .execute()
  await judge('seven days later', await follow(testApp, late.token))
  await measured('elsewhere', `${useless.length} uses: ${open.length} opened`, open.length === 0)
  expect(open).toEqual([])
})

/** A response and a page without what differs between any two. */
const shown = (text: string) => text.replaceAll(/"requestId":"[^"]*"/g, '')

it('a link that was used, has expired or never existed looks the same', async () => {
  const used = await invited()
  await follow(testApp, used.token)
  const expired = await invited()
  await db
    .updateTable('invitations')
    .set({ expires_at: new Date(Date.now() - 1_000) })
    .where('email', '=', expired.email)
    .execute()
  const tokens = [used.token, expired.token, randomBytes(32).toString('base64url')]
  const answers = new Set<string>()
  const pages = new Set<string>()
  for (const token of tokens) {
    const response = await fetch(`${front.urls.portal}${invitationPath}${token}`)
    pages.add(`${response.status} ${(await response.text()).replaceAll(/nonce[-="\w+/]*/g, '')}`)
  }
  for (const token of tokens) {
    const { status, body } = await follow(testApp, token)
    answers.add(shown(`${status} ${JSON.stringify(body)}`))
  }
  await measured(
    'which links exist',
    `${pages.size} kind of page, ${answers.size} kind of response`,
    pages.size === 1 && answers.size === 1,
  )
})

/** Everybody whom an attacker might ask about, by what the platform knows of the address. */
async function knownAddresses(): Promise<Record<string, string>> {
  const insert = async (fields: { deactivated_at?: Date; platform_admin?: boolean } = {}) => {
    const email = fresh()
    const { id } = await db
      .insertInto('users')
      .values({ idp_subject_id: randomBytes(32).toString('hex'), email, name: 'Known', ...fields })
      .returning('id')
      .executeTakeFirstOrThrow()
    return { id, email }
  }
  const proved = await insert()
  await proveAddress(testApp, proved.id)
  const elsewhere = await insert()
  const acme = await db
    .selectFrom('tenants')
    .select('id')
    .where('slug', '=', 'acme')
    .executeTakeFirstOrThrow()
  await db
    .insertInto('memberships')
    .values({ tenant_id: acme.id, user_id: elsewhere.id, role: 'admin' })
    .execute()
  const invitedElsewhere = fresh()
  const admin = await testApp.token('admin@acme.test')
  await invite(testApp, 'acme', { email: invitedElsewhere }, admin)
  return {
    unknown: fresh(),
    'on record': (await insert()).email,
    proved: proved.email,
    'a member elsewhere': elsewhere.email,
    deactivated: (await insert({ deactivated_at: new Date() })).email,
    'a platform administrator': (await insert({ platform_admin: true })).email,
    'invited elsewhere': invitedElsewhere,
  }
}

const textOf = (query: unknown): string =>
  ((typeof query === 'string' ? query : (query as { text?: string }).text) ?? 'a read by key')
    .replaceAll(/["\s]+/g, ' ')
    .trim()
/** Not what begins and ends a transaction, a check of the connection, or the job engine's. */
const isOurs = (text: string) => !/^(begin|commit|select 1$)/i.test(text) && !text.includes('jobs.')

/** What the inviter sees of an invitation, what is done for it, and what is mailed. */
async function traceOf(email: string) {
  const calls = () =>
    Object.values(testApp.sandbox.state()).reduce((sum, system) => sum + system.calls.length, 0)
  const before = calls()
  const query = vi.spyOn(pg.Client.prototype, 'query')
  const { status, body, headers } = await call('POST', '/invitations', {
    invitees: [{ email }],
    role: 'admin',
  })
  const statements = query.mock.calls.map(([text]) => textOf(text)).filter(isOurs)
  query.mockRestore()
  const upstream = calls() - before
  await mailedToken(testApp, email)
  const mails = caughtMails(testApp)
    .filter(({ envelope }) => envelope.to.includes(email))
    .slice(-1)
    .map(({ subject, text, html }) => [subject, text, html])
  const plain = (text: string) =>
    text
      .replaceAll(email, 'ADDRESS')
      .replaceAll(email.split('@')[0] ?? email, 'NAME')
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'ID')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replaceAll(/\/invitation\/[\w-]{43}/g, 'LINK')
  return {
    response: plain(
      JSON.stringify([status, body, [...headers.keys()].filter((name) => name !== 'date').sort()]),
    ),
    statements: statements.join('\n'),
    upstream,
    mail: plain(JSON.stringify(mails)),
  }
}

/** What differs between an address that nobody has and the others. */
async function differences(): Promise<string[]> {
  const { unknown = '', ...others } = await knownAddresses()
  const expected = await traceOf(unknown)
  const found: string[] = []
  for (const [what, email] of Object.entries(others)) {
    const trace = await traceOf(email)
    for (const part of ['response', 'statements', 'upstream', 'mail'] as const)
      if (trace[part] !== expected[part]) found.push(`${part} for an address that is ${what}`)
  }
  return found
}

it('an invitation tells nothing about the address: response, statements, calls and mail', async () => {
  // What is read once and kept by the process is read before.
  await traceOf(fresh())
  // The process does other work now and then, such as checks of the systems.
  let lasting = await differences()
  for (let n = 0; n < 3 && lasting.length > 0; n++) {
    const again = await differences()
    lasting = lasting.filter((one) => again.includes(one))
  }
  await measured(
    'who exists',
    `responses, statements, calls and mails of 7 kinds of addresses: ${lasting.join(', ') || 'no difference'}`,
    lasting.length === 0,
  )
})
