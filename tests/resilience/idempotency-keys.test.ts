import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type ApiProcess, startApi } from '@atrium/testing/api-process'
import { restRequest } from '@atrium/testing/calls'
import { type CarriedOut, carriedOut } from '@atrium/testing/carried-out'
import { openLocations, type Places } from '@atrium/testing/matrix/world'
import { recordMeasurement, rounds } from '@atrium/testing/measurements'
import { newAddress } from '@atrium/testing/visitors'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { creating } from './creating-calls.ts'

let places: Places
let server: Server
let owner: pg.Client
let child: ApiProcess
/** Two processes on one database: this one, and one of its own. */
let addresses: readonly [string, string]

beforeAll(async () => {
  places = await openLocations()
  owner = new pg.Client({ connectionString: places.testApp.ownerUrl })
  await owner.connect()
  server = createServer(places.testApp.app.listener)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  child = await startApi(places.testApp)
  addresses = [`http://127.0.0.1:${(server.address() as AddressInfo).port}`, child.url]
})
afterAll(async () => {
  await child[Symbol.asyncDispose]()
  await owner.end()
  server.closeAllConnections()
  await new Promise((done) => server.close(done))
  await places[Symbol.asyncDispose]()
})

const atOnce = rounds(16, 100)
/** Within the allowance of one address, which repeated calls take from too. */
const ofVisitors = 8

interface Reply {
  status: number
  replayed: boolean
  text: string
  code: string | undefined
}

async function post(
  address: string,
  path: string,
  body: string,
  headers: Record<string, string>,
): Promise<Reply> {
  const response = await fetch(`${address}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })
  const text = await response.text()
  const { code } = text.startsWith('{') ? (JSON.parse(text) as { code?: string }) : {}
  return {
    status: response.status,
    replayed: response.headers.get('idempotency-replayed') === 'true',
    text,
    code,
  }
}

/**
 * No effects: what is about the requests themselves, keys that the mail server makes by itself some
 * time after a domain, and tries to deliver events, which come later and more than once.
 */
const leftOut = [
  'idempotency_keys',
  'rate_limits',
  'tenant_request_counts',
  'slot_locks',
  'mail DkimSignature',
  'webhook_deliveries',
]

/** Rows of every table, and records of every kind in every upstream system. */
async function everything(): Promise<Record<string, number>> {
  const { rows: tables } = await owner.query<{ name: string }>(`
    select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition`)
  expect(tables.length).toBeGreaterThan(50)
  const each = tables.map(
    ({ name }) =>
      `select ${pg.escapeLiteral(name)} as name, count(*)::int as count from ${pg.escapeIdentifier(name)}`,
  )
  const { rows } = await owner.query<{ name: string; count: number }>(each.join(' union all '))
  const inside = rows.map(({ name, count }) => [name, count] as const)
  const outside = Object.entries(places.testApp.sandbox.state()).flatMap(([system, { records }]) =>
    Object.entries(records as object).flatMap(([kind, list]) =>
      Array.isArray(list) ? [[`${system} ${kind}`, list.length] as const] : [],
    ),
  )
  return Object.fromEntries([...inside, ...outside].filter(([name]) => !leftOut.includes(name)))
}

/**
 * The tenants that were made to call something about need no provisioning; the job engine of the
 * other process would do it meanwhile.
 */
async function leaveUnprovisioned(): Promise<void> {
  await owner.query(
    `update provisioning_steps set state = 'skipped', error = null where state in ('pending', 'error')`,
  )
  await owner.query(`update tenants set status = 'active' where status = 'pending'`)
}

function grown(
  before: Record<string, number>,
  after: Record<string, number>,
): Record<string, number> {
  return Object.fromEntries(
    Object.entries(after)
      .map(([name, count]) => [name, count - (before[name] ?? 0)] as const)
      .filter(([, more]) => more !== 0)
      .sort(([a], [b]) => a.localeCompare(b)),
  )
}

/**
 * The request of one call in a world of its own; with the effect of sending it `times` times under
 * one key, all at once.
 */
async function send(name: string, call: CarriedOut, times: number) {
  const world = await places.build(call.caller)
  const { input, token } = await call.prepare(world)
  const { path, body } = restRequest(name, input)
  const headers = {
    'idempotency-key': randomUUID(),
    // Each world's visitor has an address, and so an allowance, of its own.
    'x-atrium-booking-app': places.testApp.env.BOOKING_APP_SECRET ?? '',
    'x-forwarded-for': newAddress(),
    ...(token ? { authorization: `Bearer ${token}` } : {}),
  }
  await leaveUnprovisioned()
  const before = await everything()
  const text = JSON.stringify(body)
  const replies = await Promise.all(
    Array.from({ length: times }, (_, n) =>
      post(addresses[n % 2 === 0 ? 0 : 1], path, text, headers),
    ),
  )
  const other = await post(addresses[1], path, JSON.stringify({ ...body, another: 1 }), headers)
  return { replies, other, effect: grown(before, await everything()) }
}

const sameEffect = (one: { effect: object }, other: { effect: object }) =>
  JSON.stringify(one.effect) === JSON.stringify(other.effect)

it('carries a call out once however often it is sent at once, to two processes', async () => {
  const faults: string[] = []
  let requests = 0
  for (const { name, secretResponse, visitors } of creating) {
    const call = carriedOut(name)[0]
    if (!call) continue
    const times = visitors ? ofVisitors : atOnce
    // The sweeps of the other process may do something of their own between two counts; a doubled
    // effect shows every time.
    let [once, often] = [await send(name, call, 1), await send(name, call, times)]
    for (let tries = 1; tries < 3 && !sameEffect(once, often); tries++)
      [once, often] = [await send(name, call, 1), await send(name, call, times)]
    requests += times
    const carried = often.replies.filter((reply) => reply.status < 300 && !reply.replayed)
    const wrong: string[] = []
    if (once.replies[0]?.status !== carried[0]?.status)
      wrong.push(`once ${once.replies[0]?.status} ${once.replies[0]?.text}`)
    if (carried.length !== 1)
      wrong.push(
        `${carried.length} of ${times} were carried out: ${often.replies.map(({ status }) => status)}`,
      )
    if (!sameEffect(once, often)) {
      wrong.push(`effect ${JSON.stringify(often.effect)} instead of ${JSON.stringify(once.effect)}`)
    }
    const responses = new Set(
      often.replies
        .filter((reply) => reply !== carried[0])
        .map(({ status, text, code }) => (code ? `${status} ${code}` : text)),
    )
    // A secret is shown once: who repeats the call learns that it was carried out.
    const expected = secretResponse ? '409 idempotency_answer_withheld' : carried[0]?.text
    if (responses.size !== 1 || !responses.has(expected ?? ''))
      wrong.push(`${responses.size} answers: ${[...responses].join(' | ').slice(0, 300)}`)
    if (often.other.code !== 'idempotency_mismatch')
      wrong.push(`another body: ${often.other.status} ${often.other.code}`)
    if (wrong.length > 0) faults.push(`${name}: ${wrong.join('; ')}`)
  }
  await recordMeasurement({
    target: 'R7',
    what: `${creating.length} creating calls, each ${atOnce} times at once to two processes (visitors' ${ofVisitors} times)`,
    measured: `${requests} requests, ${creating.length - faults.length} of ${creating.length} with one effect and one answer, another body refused`,
    reached: faults.length === 0,
  })
  expect(faults).toEqual([])
})
