import { Agent, createServer, request, type Server } from 'node:http'
import { type AddressInfo, isIP } from 'node:net'
import { forwardedFor } from '@atrium/bff/forwarding'
import { inFull, recordMeasurement, rounds } from '@atrium/testing/measurements'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sample } from './hostile-texts.ts'

let testApp: TestApp
let operator: string
let server: Server
const pagesAMinute = 120
/** The time stands still once the workplace is ready, so that no window ends midway. */
let now: Date | undefined

beforeAll(async () => {
  testApp = await startTestApp({
    provisioned: false,
    manyChanges: true,
    clock: { now: () => now ?? new Date() },
    sandbox: { identity: { accessTokenSeconds: 36_000 } },
  })
  operator = await testApp.token('operator@atrium.test')
  now = new Date()
  server = createServer(testApp.app.listener)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((done) => server.close(done))
  await testApp[Symbol.asyncDispose]()
})

const { stringMatching, ipV4, ipV6, oneof, constantFrom, array, tuple } = fc
const junk = oneof(
  constantFrom(
    '',
    ' ',
    'unknown',
    '_hidden',
    'localhost',
    '127.0.0.1',
    '::1',
    '::ffff:10.0.0.1',
    'fe80::1%eth0',
    '1.2.3.4:80',
    '[2001:db8::1]:443',
    '999.1.1.1',
  ),
  constantFrom(
    '1.2.3',
    '0x7f.1',
    "' or 1=1 --",
    '<script>',
    '1.2.3.4\t',
    '1.2.3.4;5.6.7.8',
    '%00',
    'a'.repeat(500),
    '::',
    '0.0.0.0',
    '2001:db8::/32',
    '1.2.3.4/8',
  ),
  stringMatching(/^[\x21-\x7e]{1,30}$/),
)
const header = array(
  oneof(
    { arbitrary: ipV4(), weight: 3 },
    { arbitrary: ipV6(), weight: 2 },
    { arbitrary: junk, weight: 3 },
  ),
  {
    minLength: 1,
    maxLength: 6,
  },
).map((parts) => parts.join(', '))

/** Names under which proxies, and people, tell an address. */
const names = [
  'x-forwarded-for',
  'x-real-ip',
  'forwarded',
  'cf-connecting-ip',
  'true-client-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'fastly-client-ip',
  'x-original-forwarded-for',
]

/** Requests over one socket; returns how many were accepted. */
async function overOneSocket(
  headers: readonly Record<string, string>[],
): Promise<{ activate: number; sockets: number; statuses: Set<number> }> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  let sockets = 0
  const count = () => (sockets += 1)
  server.on('connection', count)
  const statuses = await Promise.all(headers.map((one) => ask(agent, '/api/v1/pages/acme', one)))
  server.off('connection', count)
  agent.destroy()
  return {
    activate: statuses.filter((status) => status === 200).length,
    sockets,
    statuses: new Set(statuses),
  }
}

function ask(agent: Agent, path: string, headers: Record<string, string>): Promise<number> {
  const { port } = server.address() as AddressInfo
  return new Promise((done, failed) => {
    request({ host: '127.0.0.1', port, path, agent, headers }, (response) => {
      response.resume().once('end', () => done(response.statusCode ?? 0))
    })
      .once('error', failed)
      .end()
  })
}

async function withHops<T>(hops: number, work: () => Promise<T>): Promise<T> {
  const app = testApp.app.services
  const kept = app.config
  app.config = { ...kept, trustedProxyHops: hops }
  await testApp.database.db.deleteFrom('rate_limits').execute()
  try {
    return await work()
  } finally {
    app.config = kept
  }
}

it('counts one socket as one client, whatever it says about itself', async () => {
  const count = rounds(200, 2_000)
  const headers = sample(header, count, 91).map((value, n) => ({
    [names[n % names.length] ?? '']: value,
    'x-forwarded-for': value,
  }))
  const { activate, sockets, statuses } = await withHops(0, () => overOneSocket(headers))
  await recordMeasurement({
    target: 'S9',
    what: 'invented headers from one socket, no proxy configured',
    measured: `${count} requests with ${names.length} headers over ${sockets} socket, ${activate} let in of ${pagesAMinute} for one client`,
    reached: activate === pagesAMinute && sockets === 1,
  })
  expect([activate, sockets]).toEqual([pagesAMinute, 1])
  expect([...statuses].sort()).toEqual([200, 429])
})

it.each(inFull ? [1, 2, 3] : [2])(
  'believes as many entries from the right as there are proxies: %i',
  async (hops) => {
    const count = rounds(200, 1_000)
    const proxies = ['203.0.113.7', '198.51.100.1', '198.51.100.2'].slice(0, hops).join(', ')
    const invented = sample(header, count, 92 + hops).map((value) => ({
      'x-forwarded-for': `${value}, ${proxies}`,
    }))
    const one = await withHops(hops, () => overOneSocket(invented))
    const others = Array.from({ length: 150 }, (_, n) => ({
      'x-forwarded-for': `1.2.3.4, 203.0.113.${n}${hops > 1 ? `, ${proxies.split(', ').slice(1).join(', ')}` : ''}`,
    }))
    const many = await withHops(hops, () => overOneSocket(others))
    await recordMeasurement({
      target: 'S9',
      what: `${hops} proxies configured`,
      measured: `${count} inventions left of what the proxy wrote: ${one.activate} let in; 150 clients behind the proxy: ${many.activate} let in`,
      reached: one.activate === pagesAMinute && many.activate === 150,
    })
    expect([one.activate, many.activate]).toEqual([pagesAMinute, 150])
  },
)

it("believes nobody who does not know the booking app's secret", async () => {
  const secret = testApp.env.BOOKING_APP_SECRET ?? ''
  const wrong = [
    '',
    ' ',
    secret.slice(1),
    secret.slice(0, -1),
    `${secret} x`,
    secret.toUpperCase(),
    `${secret}0`,
    'x'.repeat(secret.length),
    'null',
    'undefined',
    '*',
    `Bearer ${secret}`,
  ]
  const headers = Array.from({ length: 200 }, (_, n) => ({
    'x-atrium-booking-app': wrong[n % wrong.length] ?? '',
    'x-forwarded-for': `198.51.100.${n}`,
  }))
  const { activate } = await withHops(0, () => overOneSocket(headers))
  const told = Array.from({ length: 150 }, (_, n) => ({
    'x-atrium-booking-app': secret,
    'x-forwarded-for': `198.51.100.${n}`,
  }))
  const known = await withHops(0, () => overOneSocket(told))
  await recordMeasurement({
    target: 'S9',
    what: 'wrong secrets of the booking app',
    measured: `${wrong.length} secrets: ${activate} of 200 let in; the right one: ${known.activate} of 150 visitors`,
    reached: activate === pagesAMinute && known.activate === 150,
  })
  expect([activate, known.activate]).toEqual([pagesAMinute, 150])
})

it('stores nothing but addresses', async () => {
  const count = rounds(40, 3_000)
  const values = sample(header, count, 97)
  const agent = new Agent({ keepAlive: true })
  const wrong: string[] = []
  for (const [n, value] of values.entries()) {
    const requestId = `forwarding-${String(n).padStart(6, '0')}`
    const status = await ask(agent, '/audit/verify?limit=1', {
      authorization: `Bearer ${operator}`,
      'x-request-id': requestId,
      'x-forwarded-for': value,
      'x-real-ip': value,
    })
    if (status !== 200) wrong.push(`${value}: ${status}`)
  }
  agent.destroy()
  const rows = await testApp.database.db
    .selectFrom('audit_events')
    .select(['actor_ip', 'metadata'])
    .where('action', '=', 'audit.verified')
    .execute()
  let told = 0
  for (const { actor_ip: stored, metadata } of rows) {
    const { requestId = '' } = metadata as { requestId?: string }
    const leftmost =
      (values[Number(requestId.replace('forwarding-', ''))] ?? '')
        .split(',')[0]
        ?.trim()
        .replace(/^\[(.*)\](:\d+)?$/, '$1') ?? ''
    const expected = isIP(leftmost) !== 0 && !leftmost.includes('%')
    if (expected) told += 1
    if (stored === null || isIP(stored) === 0 || (!expected && stored !== '127.0.0.1'))
      wrong.push(JSON.stringify([leftmost, stored]))
  }
  await recordMeasurement({
    target: 'S9',
    what: 'addresses in audit entries',
    measured: `${rows.length} entries of ${count} requests, ${told} with the address that was told, the rest with the socket's; ${wrong.length} wrong or lost`,
    reached: rows.length === count && wrong.length === 0 && told > 0,
  })
  expect(wrong.slice(0, 3)).toEqual([])
  expect(rows.length).toBe(count)
})

it('passes on what trusted proxies wrote and the peer, and nothing else', async () => {
  const count = rounds(1_000, 50_000)
  const peers = oneof(ipV4(), ipV6())
  let wrong = 0
  for (const [given, peer, hops] of sample(
    tuple(header, peers, fc.integer({ min: 0, max: 4 })),
    count,
    98,
  )) {
    const passed = forwardedFor(given, peer, hops).split(', ')
    const allowed = given
      .split(',')
      .map((entry) => entry.trim().replace(/^::ffff:(?=\d+\.)/i, ''))
      .slice(-hops)
    const ends = passed.at(-1) === peer.replace(/^::ffff:(?=\d+\.)/i, '')
    if (
      !ends ||
      passed.length > hops + 1 ||
      passed
        .slice(0, -1)
        .some((entry) => hops === 0 || isIP(entry) === 0 || !allowed.includes(entry))
    )
      wrong += 1
  }
  await recordMeasurement({
    target: 'S9',
    what: 'what portals and booking app pass on to the API',
    measured: `${count} headers, ${wrong} with an entry that no trusted proxy wrote`,
    reached: wrong === 0,
  })
  expect(wrong).toBe(0)
})
