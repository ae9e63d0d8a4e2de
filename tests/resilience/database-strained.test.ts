import { randomBytes } from 'node:crypto'
import { type ApiProcess, startApi } from '@atrium/testing/api-process'
import { type BookingsTestApp, startBookingsTestApp } from '@atrium/testing/bookings-test-app'
import { personClaims } from '@atrium/testing/issuer'
import { inFull, recordMeasurement } from '@atrium/testing/measurements'
import { newAddress, wish } from '@atrium/testing/visitors'
import { eventBody, signature } from '@atrium/testing/webhooks-test-app'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type OwnServer, startOwnServer } from './own-server.ts'
import { mountSmallDisk, type SmallDisk } from './small-disk.ts'
import { lost } from './visitors-and-owners.ts'

let server: OwnServer
let disk: SmallDisk | string
let testApp: BookingsTestApp
let api: ApiProcess
let admin: pg.Client

beforeAll(async () => {
  server = await startOwnServer()
  disk = await mountSmallDisk({ megabytes: 96, like: server.dataDir })
  const accounts = await server.newDatabase()
  admin = new pg.Client({ connectionString: server.adminUrl })
  await admin.connect()
  if (typeof disk !== 'string') {
    // Tables alone: the log stays elsewhere, because a server that cannot write its log ends, which
    // is what a kill is.
    await admin.query(`create tablespace small location '${disk.path}'`)
    await admin.query(
      `alter database ${pg.escapeIdentifier(new URL(accounts.appUrl).pathname.slice(1))} set tablespace small`,
    )
  }
  testApp = await startBookingsTestApp({ manyChanges: true, accounts })
  api = await startApi(testApp)
  testApp.time.now = new Date()
}, 180_000)
afterAll(async () => {
  await api?.[Symbol.asyncDispose]()
  await testApp?.[Symbol.asyncDispose]()
  await admin?.end()
  await server?.[Symbol.asyncDispose]()
  if (typeof disk === 'object') await disk[Symbol.asyncDispose]()
}, 180_000)

interface Told {
  status: number
  code: string | undefined
  retryAfter: string | null
  ms: number
}

async function ask(
  path: string,
  { email, ...init }: RequestInit & { email?: string } = {},
): Promise<Told> {
  const began = performance.now()
  const token =
    email === undefined
      ? {}
      : { authorization: `Bearer ${await testApp.issuer.sign(personClaims(email))}` }
  const headers = { 'content-type': 'application/json', ...token, ...init.headers }
  const response = await fetch(`${api.url}${path}`, {
    ...init,
    headers,
    signal: AbortSignal.timeout(60_000),
  })
  const body = (await response.json()) as { code?: string }
  return {
    status: response.status,
    code: body.code,
    retryAfter: response.headers.get('retry-after'),
    ms: performance.now() - began,
  }
}

function createTenant(slug = `strained-${randomBytes(5).toString('hex')}`): Promise<Told> {
  return ask('/tenants', {
    method: 'POST',
    email: 'newcomer@example.test',
    body: JSON.stringify({ name: slug, slug, respondAsync: true }),
  })
}

function book(eventType: string, start: Date): Promise<Told> {
  const headers = {
    'x-atrium-booking-app': testApp.env.BOOKING_APP_SECRET ?? '',
    'x-forwarded-for': newAddress(),
  }
  return ask('/api/v1/bookings', {
    method: 'POST',
    headers,
    body: JSON.stringify(wish(eventType, start)),
  })
}

const health = () => ask('/health')
const readAcme = () => ask('/tenants/acme', { email: 'owner@acme.test' })

/** Retries until a call succeeds again; milliseconds. */
async function untilItGoes(call: () => Promise<Told>): Promise<number> {
  const began = performance.now()
  await expect
    .poll(async () => (await call()).status, { timeout: 60_000, interval: 100 })
    .toBeLessThan(300)
  return performance.now() - began
}

const wrong = (responses: readonly Told[]) =>
  responses
    .filter(({ status, retryAfter }) => status !== 503 || retryAfter === null)
    .map((told) => JSON.stringify(told))

it('with every connection of the pool taken, requests are rejected in bounded time and go on by themselves', async () => {
  const hosts = await Promise.all(Array.from({ length: 12 }, () => testApp.newHost()))
  const eventTypes = await Promise.all(hosts.map((host) => testApp.newEventType(host)))
  const holder = new pg.Client({ connectionString: testApp.ownerUrl })
  await holder.connect()
  await holder.query('begin')
  for (const { id } of hosts)
    await holder.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`booking:${id}`])
  const held = eventTypes.map((eventType) => book(eventType, testApp.at(30)))
  // Each of them waits for its host's lock on a connection of its own, as far as there are any.
  await expect
    .poll(
      async () =>
        (
          await admin.query(
            `select count(*)::int as n from pg_locks where locktype = 'advisory' and not granted`,
          )
        ).rows[0].n,
      {
        timeout: 30_000,
      },
    )
    .toBeGreaterThanOrEqual(8)
  const [refused, alive, reads] = await Promise.all([
    Promise.all(Array.from({ length: 20 }, () => createTenant())),
    Promise.all(Array.from({ length: 5 }, health)),
    Promise.all(Array.from({ length: 5 }, readAcme)),
  ])
  const stuck = await Promise.all(held)
  await holder.query('rollback')
  await holder.end()
  const back = await untilItGoes(createTenant)
  const faults = [...wrong(refused), ...wrong(stuck)]
  const slowest = Math.max(...[...refused, ...stuck].map(({ ms }) => ms))
  await recordMeasurement({
    target: 'R3',
    what: 'every connection of the pool held by statements that wait',
    measured: `${refused.length + stuck.length} requests refused, ${faults.length} of them otherwise than with 503 and Retry-After, after ${Math.round(slowest / 1000)} s at most; health ${alive.every(({ status }) => status === 200) ? 'up' : 'down'}, reads by key ${reads.every(({ status }) => status === 200) ? 'go on' : 'stand still'}; goes on ${Math.round(back)} ms after the connections are free`,
    reached:
      faults.length === 0 &&
      [...alive, ...reads].every(({ status }) => status === 200) &&
      (!inFull || slowest < 30_000),
  })
  expect(faults).toEqual([])
  expect([...alive, ...reads].map(({ status }) => status)).toEqual(Array(10).fill(200))
})

it('with no connection to be had, requests are rejected at once and go on by themselves', async () => {
  await admin.query('alter role atrium_api connection limit 0')
  await admin.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'atrium_api'`,
  )
  const refused = await Promise.all([
    ...Array.from({ length: 10 }, () => createTenant()),
    ...Array.from({ length: 10 }, readAcme),
  ])
  const alive = await health()
  await admin.query('alter role atrium_api connection limit -1')
  const back = await untilItGoes(createTenant)
  const faults = wrong(refused)
  await recordMeasurement({
    target: 'R3',
    what: 'every connection of the server taken, sessions ended',
    measured: `${refused.length} requests refused, ${faults.length} of them otherwise than with 503 and Retry-After, after ${Math.round(Math.max(...refused.map(({ ms }) => ms)))} ms at most; goes on ${Math.round(back)} ms after there are connections`,
    reached: faults.length === 0 && alive.status === 200,
  })
  expect(faults).toEqual([])
  expect(alive.status).toBe(200)
})

/** Tenants that lack something of what is made in one transaction with them. */
async function halfWritten(): Promise<string[]> {
  const found = await testApp.database.db
    .selectFrom('tenants as t')
    .select('t.slug')
    .where((eb) =>
      eb.or([
        eb.not(
          eb.exists(
            eb
              .selectFrom('memberships as m')
              .select('m.role')
              .whereRef('m.tenant_id', '=', 't.id')
              .where('m.role', '=', 'owner'),
          ),
        ),
        eb.not(
          eb.exists(
            eb.selectFrom('domains as d').select('d.id').whereRef('d.tenant_id', '=', 't.id'),
          ),
        ),
        eb(
          eb
            .selectFrom('provisioning_steps as s')
            .select((s) => s.fn.countAll<number>().as('n'))
            .whereRef('s.tenant_id', '=', 't.id'),
          '<',
          3,
        ),
      ]),
    )
    .execute()
  return found.map(({ slug }) => slug)
}

it('with the disk of its tables full, writes are rejected whole, reads go on, and it heals when there is room', async () => {
  if (typeof disk === 'string') {
    process.stdout.write(`not measured: ${disk}\n`)
    if (inFull)
      await recordMeasurement({
        target: 'R3',
        what: 'disk of the database full',
        measured: `not measured: ${disk}`,
        reached: false,
      })
    return
  }
  await disk.fill()
  const kept: string[] = []
  const refused: Told[] = []
  for (let n = 0; n < 2_000 && refused.length < 20; n++) {
    const slug = `full-${randomBytes(5).toString('hex')}`
    const told = await createTenant(slug)
    if (told.status === 201) kept.push(slug)
    else refused.push(told)
  }
  const events: string[] = []
  for (let n = 0; n < 20; n++) {
    const at = Math.floor(Date.now() / 1000)
    const { id, body } = eventBody({
      created: at,
      object: {
        id: 'prod_1',
        object: 'product',
        metadata: { noise: randomBytes(60_000).toString('hex') },
      },
    })
    const told = await ask('/webhooks/stripe', {
      method: 'POST',
      body,
      headers: { 'stripe-signature': signature(body, at, testApp.env.STRIPE_WEBHOOK_SECRET) },
    })
    if (told.status === 200) events.push(id)
    else refused.push(told)
  }
  const reads = await Promise.all([health(), readAcme(), readAcme()])
  await disk.empty()
  const back = await untilItGoes(createTenant)
  const gone = await lost(testApp, { tenants: kept, bookings: [], events })
  const half = await halfWritten()
  const faults = wrong(refused)
  await recordMeasurement({
    target: 'R3',
    what: 'disk of the tables full',
    measured: `${refused.length} writes refused, ${faults.length} of them otherwise than with 503 and Retry-After, ${kept.length + events.length} found room, ${gone.length} of these lost, ${half.length} half written; reads ${reads.every(({ status }) => status === 200) ? 'go on' : 'stand still'}; goes on ${Math.round(back)} ms after there is room`,
    reached:
      [faults, gone, half].every((list) => list.length === 0) &&
      refused.length > 0 &&
      reads.every(({ status }) => status === 200),
  })
  expect(refused.length).toBeGreaterThan(0)
  expect({ faults, gone, half }).toEqual({ faults: [], gone: [], half: [] })
  expect(reads.map(({ status }) => status)).toEqual([200, 200, 200])
})
