import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { bodyLimitBytes } from '@atrium/api/app'
import { residentMiB } from '@atrium/bench/measure/process'
import { type ApiProcess, startApi } from '@atrium/testing/api-process'
import { inFull, recordMeasurement, rounds } from '@atrium/testing/measurements'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { collectsWhenAsked, keptMemory } from '../kept-memory.ts'
import { type RawResponse, sendRaw } from './raw-requests.ts'

let testApp: TestApp
let api: ApiProcess
let token: string
beforeAll(async () => {
  testApp = await startTestApp({
    provisioned: false,
    manyChanges: true,
    sandbox: { identity: { accessTokenSeconds: 36_000 } },
  })
  token = await testApp.token('operator@atrium.test')
  api = await startApi(testApp, collectsWhenAsked)
})
afterAll(async () => {
  await api[Symbol.asyncDispose]()
  await testApp[Symbol.asyncDispose]()
})

const head = (method: string, path: string, headers: Record<string, string | number>) =>
  `${method} ${path} HTTP/1.1\r\nHost: api.test\r\nAuthorization: Bearer ${token}\r\n${Object.entries(
    headers,
  )
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`
const json = { 'Content-Type': 'application/json' }
const post = (
  path: string,
  body: string | Uint8Array,
  headers: Record<string, string | number> = {},
) => [head('POST', path, { ...json, 'Content-Length': Buffer.byteLength(body), ...headers }), body]
function* chunked(bytes: number): Generator<string> {
  yield head('POST', '/tenants', { ...json, 'Transfer-Encoding': 'chunked' })
  const piece = 'a'.repeat(65_536)
  for (let sent = 0; sent < bytes; sent += piece.length)
    yield `${piece.length.toString(16)}\r\n${piece}\r\n`
  yield '0\r\n\r\n'
}

const mebi = 1024 * 1024
const named = (value: string) => JSON.stringify({ name: value })
const deep = (levels: number, open: string, close: string) =>
  `{"name":${open.repeat(levels)}1${close.repeat(levels)}}`
const calls = (count: number) =>
  JSON.stringify(
    Object.fromEntries(Array.from({ length: count }, (_, n) => [n, { json: { slug: 'acme' } }])),
  )

const longArray = {
  json: { length: 1_000_000_000 },
  meta: { values: [['typed-array', 'Uint8Array']] },
}
const longArrays = (count: number) =>
  encodeURIComponent(
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [n, longArray]))),
  )

interface Attack {
  what: string
  pieces: () => Iterable<string | Uint8Array>
  expected: readonly number[]
}

/**
 * A connection that is closed under what is still being sent may be reset before its answer is
 * read: then it shows none, which is 0.
 */
const rejectedMidway = [413, 0]

/** Oversized requests, each with its expected response. */
const attacks: readonly Attack[] = [
  {
    what: 'a body of 1 MiB and a byte',
    pieces: () => post('/tenants', named('a'.repeat(bodyLimitBytes - 10))),
    expected: [413],
  },
  {
    what: 'a body of 20 MiB',
    pieces: () => post('/tenants', 'a'.repeat(20 * mebi)),
    expected: rejectedMidway,
  },
  {
    what: 'a body that says it has 1 TiB',
    pieces: () => post('/tenants', '{}', { 'Content-Length': 1024 ** 4 }),
    expected: [413],
  },
  {
    what: 'a body of 20 MiB in chunks',
    pieces: () => chunked(20 * mebi),
    expected: rejectedMidway,
  },
  {
    what: 'a body of 5 MiB over tRPC',
    pieces: () => post('/trpc/tenants.create', 'a'.repeat(5 * mebi)),
    expected: rejectedMidway,
  },
  {
    what: 'a body of 5 MiB as payment event',
    pieces: () => post('/webhooks/stripe', 'a'.repeat(5 * mebi)),
    expected: rejectedMidway,
  },
  {
    what: 'a body of 5 MiB without a token',
    pieces: () => [
      `POST /tenants HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${5 * mebi}\r\n\r\n`,
      'a'.repeat(5 * mebi),
    ],
    expected: [...rejectedMidway, 401],
  },
  {
    what: 'a body of 5 MiB to nowhere',
    pieces: () => post('/nowhere', 'a'.repeat(5 * mebi)),
    expected: [...rejectedMidway, 404],
  },
  {
    what: 'lists 100,000 deep',
    pieces: () => post('/tenants', deep(100_000, '[', ']')),
    expected: [400],
  },
  {
    what: 'objects 100,000 deep',
    pieces: () => post('/tenants', deep(100_000, '{"a":', '}')),
    expected: [400],
  },
  {
    what: 'lists that never end',
    pieces: () => post('/tenants', '['.repeat(1_000_000)),
    expected: [400],
  },
  {
    what: 'lists 100,000 deep over tRPC',
    pieces: () => post('/trpc/tenants.create', `{"json":${deep(100_000, '[', ']')}}`),
    expected: [400],
  },
  {
    what: 'superjson with 100,000 referential marks',
    pieces: () =>
      post(
        '/trpc/tenants.create',
        `{"json":{"name":"x"},"meta":{"values":{${Array.from({ length: 50_000 }, (_, n) => `"${n}":["Date"]`).join()}}}}`,
      ),
    expected: [400],
  },
  {
    what: 'superjson that asks for an array of a billion numbers',
    pieces: () => post('/trpc/tenants.create', JSON.stringify(longArray)),
    expected: [400],
  },
  {
    what: 'the same twenty times in a batch, without a token',
    pieces: () => [
      `GET /trpc/${Array(20).fill('tenants.get').join()}?batch=1&input=${longArrays(20)} HTTP/1.1\r\nHost: a\r\n\r\n`,
    ],
    expected: [401],
  },
  {
    what: 'superjson with a path of 500,000 names',
    pieces: () =>
      post(
        '/trpc/tenants.create',
        JSON.stringify({
          json: {},
          meta: { values: { [Array(500_000).fill('a').join('.')]: ['Date'] } },
        }),
      ),
    expected: [400],
  },
  {
    what: '60,000 keys',
    pieces: () =>
      post('/tenants', `{${Array.from({ length: 60_000 }, (_, n) => `"k${n}":1`).join()}}`),
    expected: [400],
  },
  {
    what: 'a number of a million digits',
    pieces: () => post('/tenants', `{"name":${'9'.repeat(1_000_000)}}`),
    expected: [400],
  },
  {
    what: 'a text of a million characters',
    pieces: () => post('/tenants', named('a'.repeat(1_000_000))),
    expected: [400],
  },
  {
    what: 'headers of 1.1 MiB',
    pieces: () => [head('GET', '/health', { 'X-Large': 'a'.repeat(1_150_000) })],
    expected: [431],
  },
  {
    what: '5,000 headers',
    pieces: () => [
      head(
        'GET',
        '/health',
        Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`X-${n}`, 'a'])),
      ),
    ],
    expected: [431],
  },
  {
    what: 'a token of 1.1 MiB',
    pieces: () => [
      `GET /users/me HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${'a'.repeat(1_150_000)}\r\n\r\n`,
    ],
    expected: [431],
  },
  {
    what: 'a token of 1,000 kB that nobody signed',
    pieces: () => [
      `GET /users/me HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${'a'.repeat(1_000_000)}\r\n\r\n`,
    ],
    expected: [401],
  },
  {
    what: 'an address of 1.1 MiB',
    pieces: () => [head('GET', `/tenants?q=${'a'.repeat(1_150_000)}`, {})],
    expected: [431, 414, 400],
  },
  {
    what: 'an address of 14,000 characters',
    pieces: () => [head('GET', `/tenants/${'a'.repeat(12_000)}`, {})],
    expected: [404, 400, 431, 414],
  },
  {
    what: '2,000 parameters',
    pieces: () => [head('GET', `/tenants?${'q=a&'.repeat(2_000)}`, {})],
    expected: [400],
  },
  {
    what: 'a batch of 21 calls',
    pieces: () => [
      head('GET', `/trpc/${Array(21).fill('users.me').join()}?batch=1&input=%7B%7D`, {}),
    ],
    expected: [400],
  },
  {
    what: 'a batch of 200 changes',
    pieces: () => post(`/trpc/${Array(200).fill('tenants.create').join()}?batch=1`, calls(200)),
    expected: [400],
  },
  {
    what: 'a batch of 600 by POST',
    pieces: () => post(`/trpc/${Array(600).fill('users.me').join()}?batch=1`, '{}'),
    expected: [400],
  },
  {
    what: '40 MiB in 40 KiB of gzip',
    pieces: () =>
      post('/tenants', gzipSync(Buffer.alloc(40 * mebi, 32)), { 'Content-Encoding': 'gzip' }),
    expected: [400, 415],
  },
  {
    what: 'gzip in gzip',
    pieces: () =>
      post('/tenants', gzipSync(gzipSync(Buffer.alloc(40 * mebi, 32))), {
        'Content-Encoding': 'gzip, gzip',
      }),
    expected: [400, 415],
  },
  {
    what: 'two lengths',
    pieces: () => [
      head('POST', '/tenants', json).replace(
        '\r\n\r\n',
        '\r\nContent-Length: 2\r\nContent-Length: 30\r\n\r\n',
      ),
      '{}',
    ],
    expected: [400],
  },
  {
    what: 'a length and chunks',
    pieces: () => [
      head('POST', '/tenants', { ...json, 'Content-Length': 4, 'Transfer-Encoding': 'chunked' }),
      '0\r\n\r\n',
    ],
    expected: [400],
  },
  {
    what: 'a chunk that says it has 2⁶⁴ bytes',
    pieces: () => [
      head('POST', '/tenants', { ...json, 'Transfer-Encoding': 'chunked' }),
      'ffffffffffffffffff\r\n{}',
    ],
    expected: [400],
  },
  { what: 'no HTTP', pieces: () => ['\u0016\u0003\u0001 hello\r\n\r\n'], expected: [400] },
  {
    what: '8,000 ranges',
    pieces: () => [head('GET', '/openapi.json', { Range: `bytes=${'0-1,'.repeat(2_500)}0-1` })],
    expected: [200, 416, 431],
  },
  {
    what: '3,000 tenants wanted at once',
    pieces: () => [head('GET', '/tenants?limit=3000', {})],
    expected: [400],
  },
]

it('rejects what is too much of anything, and stays as it was', async () => {
  const wrong: string[] = []
  async function round(): Promise<void> {
    for (const { what, pieces, expected } of attacks) {
      const response = await sendRaw(api.url, pieces(), { limitMs: 10_000 }).catch(
        (error: Error): RawResponse => ({ status: -1, text: error.message, ms: 0 }),
      )
      if (!expected.includes(response.status))
        wrong.push(`${what}: ${response.status} ${response.text.slice(0, 200)}`)
      if (/node_modules|\.ts:\d|at Object|SyntaxError/.test(response.text))
        wrong.push(`${what}: shows ${response.text.slice(0, 300)}`)
    }
  }
  // A process that has just begun grows by what it loads and compiles when it is first used.
  const warming = rounds(1, 4)
  for (let n = 0; n < warming; n++) await round()
  const before = await residentMiB(api.pid)
  const keptBefore = await keptMemory(api)
  let highest = 0
  const again = rounds(1, 12)
  for (let n = 0; n < again; n++) {
    await round()
    highest = Math.max(highest, await residentMiB(api.pid))
  }
  const alive = await fetch(`${api.url}/health`)
  const grown = (await keptMemory(api)) - keptBefore
  await recordMeasurement({
    target: 'S11',
    what: `${attacks.length} kinds of too much, to a process over sockets`,
    measured: `${attacks.length * (again + warming)} requests, ${wrong.length} answered otherwise than 413, 431, 400 and the like; memory that stays ${keptBefore.toFixed(0)} MiB, ${grown > 0 ? '+' : ''}${grown.toFixed(1)} MiB after; with what waits to be thrown away ${before.toFixed(0)} MiB, at most ${highest.toFixed(0)} MiB; alive: ${alive.status}`,
    reached: wrong.length === 0 && alive.ok && (!inFull || grown <= 20),
  })
  expect([...new Set(wrong)]).toEqual([])
  expect(alive.status).toBe(200)
})

function* slowly(text: string): Generator<string> {
  for (const character of text) yield character
}

it('cuts off who sends a head or a body drop by drop', async () => {
  // In full at the process with its own limits, 15 s for a head and 30 s for all; else at its
  // listener with shorter ones.
  const server = createServer(
    { headersTimeout: 400, requestTimeout: 800, connectionsCheckingInterval: 100 },
    testApp.app.listener,
  )
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const url = inFull ? api.url : `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const options = { pauseMs: inFull ? 1_000 : 40, limitMs: inFull ? 60_000 : 15_000 }
  const slow: [string, Iterable<string>][] = [
    ['a head', slowly(head('GET', '/users/me', { 'X-Slow': 'a'.repeat(200) }))],
    [
      'a body',
      [
        head('POST', '/tenants', { ...json, 'Content-Length': 400 }),
        ...slowly(named('a'.repeat(380))),
      ],
    ],
    [
      'a body in chunks',
      [
        head('POST', '/tenants', { ...json, 'Transfer-Encoding': 'chunked' }),
        ...Array.from({ length: 300 }, () => '1\r\na\r\n'),
      ],
    ],
    [
      'a payment event',
      [
        head('POST', '/webhooks/stripe', { ...json, 'Content-Length': 400 }),
        ...slowly('{"a":"'.padEnd(380, 'a')),
      ],
    ],
  ]
  try {
    const idle = Array.from({ length: rounds(50, 500) }, (_, n) =>
      sendRaw(
        url,
        [
          n % 2 === 0
            ? 'GET /users/me HTTP/1.1\r\nHost: a\r\n'
            : head('POST', '/tenants', { ...json, 'Content-Length': 9 }),
        ],
        options,
      ),
    )
    const responses = await Promise.all(
      slow.map(async ([what, pieces]) => ({ what, ...(await sendRaw(url, pieces, options)) })),
    )
    const held = await Promise.all(idle)
    const alive = await fetch(`${url}/health`)
    const all = [...responses, ...held]
    const cut = all.filter(({ status }) => status === 408).length
    const longest = Math.max(...all.map(({ ms }) => ms)) / 1000
    await recordMeasurement({
      target: 'S11',
      what: `slow senders, ${inFull ? 'at the process' : 'at its listener with short limits'}`,
      measured: `${all.length} connections, ${cut} cut off with 408, the last after ${longest.toFixed(1)} s; alive: ${alive.status}`,
      reached: cut === all.length && alive.ok && (!inFull || longest <= 40),
    })
    expect(all.filter(({ status }) => status !== 408)).toEqual([])
    expect(alive.status).toBe(200)
  } finally {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  }
})
