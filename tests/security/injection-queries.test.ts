import { Writable } from 'node:stream'
import { restRoutes } from '@atrium/api/http/rest'
import { createLogger } from '@atrium/api/platform/log'
import { recordMeasurement, rounds } from '@atrium/testing/measurements'
import {
  identityUser,
  type MembersTestApp,
  startMembersTestApp,
} from '@atrium/testing/members-test-app'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { inputSchemaHas } from '@atrium/testing/text-fields'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { anyText, lineText, sample } from './hostile-texts.ts'

let testApp: TestApp
let operator: string
beforeAll(async () => {
  testApp = await startTestApp({
    provisioned: false,
    manyChanges: true,
    sandbox: { identity: { accessTokenSeconds: 3600 } },
  })
  operator = await testApp.token('operator@atrium.test')
})
afterAll(() => testApp[Symbol.asyncDispose]())

/** Lists that are searched, with one address each. */
function searches(): string[] {
  return restRoutes()
    .filter(
      ({ method, name }) => method === 'GET' && inputSchemaHas(name, 'q') && !/export/.test(name),
    )
    .map(({ path }) =>
      path
        .replace(/^(\/api\/v1)?\/partners\/\{slug\}/, '$1/partners/north')
        .replace('{slug}', 'acme')
        .replace('{tenantSlug}', 'acme'),
    )
}

/** Every text in a response. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

it('searches for the literal text', async () => {
  const paths = searches()
  expect(paths.length).toBeGreaterThanOrEqual(8)
  const token = operator
  const marked = '100% sure_thing \\ \'x\' "y"'
  await testApp.request('POST', '/tenants', { token, body: { name: marked } })
  const statements = [
    '%',
    '_',
    '\\',
    '%%',
    '__',
    '\\%',
    '\\_',
    "'",
    "''",
    "' or ''='",
    "') or 1=1 --",
    '%%%%%%%%',
    '100%',
    'e_t',
    'sure_',
    '\\ ',
    '"y"',
    '$1',
    '::text',
    '/*',
    '[a-z]',
    '.*',
    '^',
    '(',
  ]
  const values = [
    ...statements,
    ...sample(lineText, rounds(40, 900), 31).map((value) => value.slice(0, 60).toWellFormed()),
  ]
  const wrong: string[] = []
  let [asked, found] = [0, 0]
  for (const path of paths) {
    for (const q of values) {
      const { status, body } = await testApp.request('GET', `${path}?q=${encodeURIComponent(q)}`, {
        token,
      })
      asked += 1
      if (status !== 200) {
        if (status !== 400)
          wrong.push(`${path} ${JSON.stringify(q)}: ${status} ${JSON.stringify(body)}`)
        continue
      }
      const requested = q.normalize('NFC').trim().toLowerCase()
      for (const item of body.items ?? body.rows ?? []) {
        found += 1
        // Not every column that is searched is shown; the ones that are not hold no sign that means
        // something to LIKE.
        if (
          /[%_\\]/.test(requested) &&
          !textsIn(item).some((text) => text.toLowerCase().includes(requested))
        )
          wrong.push(`${path} ${JSON.stringify(q)} found ${JSON.stringify(item).slice(0, 200)}`)
      }
    }
  }
  const { body } = await testApp.request('GET', `/tenants?q=${encodeURIComponent(marked)}`, {
    token,
  })
  if (body.items.length !== 1) wrong.push(`the marked tenant was found ${body.items.length} times`)
  await recordMeasurement({
    target: 'S8',
    what: `searches in ${paths.length} lists: SQL and the wildcards of LIKE`,
    measured: `${asked} searches, ${found} rows found, ${wrong.length} that do not hold what was asked, or failures`,
    reached: wrong.length === 0 && found > 0,
  })
  expect(wrong.slice(0, 3)).toEqual([])
  expect(found).toBeGreaterThan(0)
})

it('writes one line of JSON per entry, whatever it contains', async () => {
  const count = rounds(300, 10_000)
  const texts = sample(anyText, count, 32)
  let written = ''
  const log = createLogger(
    'info',
    new Writable({
      write: (chunk, _, done) => {
        written += String(chunk)
        done()
      },
    }),
  )
  for (const [n, text] of texts.entries()) {
    if (n % 3 === 0) log.info({ n, text, [text]: 1 }, text)
    else if (n % 3 === 1)
      log.error({ n, text, err: new Error(text, { cause: new Error(text) }) }, 'failed')
    else log.warn({ n, text, nested: { list: [text] } }, `about ${text}`)
  }
  const lines = written.split('\n')
  const last = lines.pop()
  const wrong: string[] = []
  for (const [n, line] of lines.entries()) {
    const entry = parsed(line)
    if (entry?.n !== n || (entry.text !== texts[n]?.toWellFormed() && entry?.text !== texts[n]))
      wrong.push(line.slice(0, 200))
  }
  // The service's own lines about requests whose address and headers say whatever the caller likes.
  const before = testApp.logLines.length
  for (const text of texts.slice(0, rounds(60, 1_000))) {
    const headers = {
      'x-request-id': text.replace(/[^\x21-\x7e]/g, '').slice(0, 200) || 'x',
      'user-agent': text.replace(/[^\x20-\x7e]/g, ''),
      'x-atrium-source': 'x',
    }
    await testApp.request(
      'GET',
      `/tenants/${encodeURIComponent(text.toWellFormed())}?q=${encodeURIComponent(text.toWellFormed())}`,
      {
        token: operator,
        headers,
      },
    )
  }
  const own = testApp.logLines.slice(before)
  for (const line of own)
    if (!line.endsWith('\n') || line.slice(0, -1).includes('\n') || parsed(line)?.msg === undefined)
      wrong.push(line.slice(0, 200))
  await recordMeasurement({
    target: 'S8',
    what: 'log lines',
    measured: `${count} values in ${lines.length} lines, ${own.length} lines about requests; ${wrong.length} that are no line of JSON with its own fields`,
    reached: wrong.length === 0 && lines.length === count && last === '' && own.length > 0,
  })
  expect(wrong.slice(0, 3)).toEqual([])
  expect([lines.length, last]).toEqual([count, ''])
})

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

it('responds only with its own headers', async () => {
  const count = rounds(100, 2_000)
  const wrong: string[] = []
  for (const text of sample(lineText, count, 33)) {
    const latin = text.replace(/[^\x20-\x7e\xa0-\xff]/g, '').trim()
    const { headers } = await testApp.request(
      'GET',
      `/tenants/acme?${encodeURIComponent(text)}=${encodeURIComponent(text)}`,
      {
        token: operator,
        headers: {
          'x-request-id': latin,
          origin: latin,
          referer: latin,
          'accept-language': latin,
          'x-forwarded-for': latin,
          cookie: latin,
        },
      },
    )
    for (const [name, value] of headers) {
      const isId =
        name === 'x-request-id' &&
        (/^[0-9a-f-]{36}$/.test(value) ||
          (value === latin && /^[A-Za-z0-9._:@-]{8,128}$/.test(value)))
      if (!isId && latin.length > 3 && value.includes(latin)) wrong.push(`${name}: ${value}`)
      if (name === 'x-request-id' && !isId) wrong.push(`${name}: ${value}`)
      if (name === 'set-cookie') wrong.push(`${name}: ${value}`)
    }
  }
  await recordMeasurement({
    target: 'S8',
    what: 'headers of answers',
    measured: `${count} requests, ${wrong.length} headers with words of the caller`,
    reached: wrong.length === 0,
  })
  expect(wrong.slice(0, 3)).toEqual([])
})

it('hands names to identity provider, mail server and file server as they are', async () => {
  await using members: MembersTestApp = await startMembersTestApp({
    manyChanges: true,
    sandbox: { identity: { accessTokenSeconds: 7200 } },
  })
  const count = rounds(8, 250)
  const wrong: string[] = []
  let made = 0
  for (const [n, text] of sample(lineText, count, 34).entries()) {
    const sent = text.slice(0, 60).toWellFormed().normalize('NFC').trim()
    const response = await members.call('POST', '/users', { email: `hostile-${n}`, name: sent })
    if (response.status === 400) continue
    expect(response.status, JSON.stringify(response.body)).toBe(201)
    made += 1
    const { member } = response.body
    const stored = [
      member.name,
      (await identityUser(members, member.email))?.name,
      accountOf(members, member.email)?.description,
      fileUserOf(members, member.email)?.displayName,
    ]
    if (stored.some((name) => name !== sent)) wrong.push(JSON.stringify([sent, stored]))
  }
  await recordMeasurement({
    target: 'S8',
    what: 'names of members at identity provider, mail server (JMAP) and file server',
    measured: `${count} names, ${made} members made, ${wrong.length} that stand anywhere otherwise`,
    reached: wrong.length === 0 && made > count / 2,
  })
  expect(wrong.slice(0, 3)).toEqual([])
  expect(made).toBeGreaterThan(count / 2)
})

function accountOf({ sandbox }: TestApp, address: string) {
  const { Account } = sandbox.state().mail.records as {
    Account: { emailAddress: string; description: string | null }[]
  }
  return Account.find((account) => account.emailAddress === address)
}

function fileUserOf({ sandbox }: TestApp, address: string) {
  const { users } = sandbox.state().files.records as {
    users: { mail: string; displayName: string }[]
  }
  return users.find((user) => user.mail === address)
}
