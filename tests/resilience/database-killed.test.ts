import { randomBytes } from 'node:crypto'
import { type ApiProcess, startApi } from '@atrium/testing/api-process'
import type { Browser } from '@atrium/testing/bff/browser'
import { startTestBff as openPortal, type TestBff as Portal } from '@atrium/testing/bff/test-bff'
import { type BookingsTestApp, startBookingsTestApp } from '@atrium/testing/bookings-test-app'
import { personClaims } from '@atrium/testing/issuer'
import { inFull, recordMeasurement, rounds } from '@atrium/testing/measurements'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type OwnServer, type ServerEnd, startOwnServer } from './own-server.ts'
import { ask, type Crowd, lost, sendCrowd, unfinished } from './visitors-and-owners.ts'

let server: OwnServer
let testApp: BookingsTestApp
let portal: Portal
let browser: Browser
let processes: ApiProcess[] = []

beforeAll(async () => {
  server = await startOwnServer()
  testApp = await startBookingsTestApp({
    manyChanges: true,
    mailer: true,
    accounts: await server.newDatabase(),
  })
  portal = await openPortal({ accounts: await server.newDatabase() })
  browser = portal.browser()
  await browser.signIn(portal.publicUrl, 'owner@acme.test')
  processes = await Promise.all([startApi(testApp), startApi(testApp)])
  // The processes go by the clock of the machine, and so do the tokens that they are shown.
  testApp.time.now = new Date()
}, 180_000)
afterAll(async () => {
  await Promise.all(processes.map((one) => one[Symbol.asyncDispose]()))
  await portal?.[Symbol.asyncDispose]()
  await testApp?.[Symbol.asyncDispose]()
  await server?.[Symbol.asyncDispose]()
}, 180_000)

const pause = (ms: number) => new Promise((done) => setTimeout(done, ms))

/** How the server ends, round by round: mostly as if the machine had taken it. */
const ends: ServerEnd[] = Array.from({ length: rounds(2, 20) }, (_, round) =>
  round === 1 ? 'SIGQUIT' : round === 2 ? 'SIGINT' : 'SIGKILL',
)

/**
 * Milliseconds until the process reads and writes again: tries at short intervals, none of which
 * waits for another.
 */
async function firstSuccesses(url: string): Promise<{ read: number; write: number }> {
  const began = performance.now()
  const owner = {
    authorization: `Bearer ${await testApp.issuer.sign(personClaims('owner@acme.test'))}`,
  }
  const newcomer = {
    authorization: `Bearer ${await testApp.issuer.sign(personClaims('newcomer@example.test'))}`,
  }
  const first = async (status: number, everyMs: number, send: () => ReturnType<typeof ask>) => {
    let since: number | undefined
    while (since === undefined && performance.now() - began < 30_000) {
      void send().then(
        (told) => {
          if (told.status === status) since ??= performance.now() - began
        },
        () => undefined,
      )
      await pause(everyMs)
    }
    return since ?? Number.POSITIVE_INFINITY
  }
  const create = () => {
    const slug = `first-${randomBytes(5).toString('hex')}`
    const body = JSON.stringify({ name: slug, slug, respondAsync: true })
    return ask(url, '/tenants', {
      method: 'POST',
      headers: { ...newcomer, 'content-type': 'application/json' },
      body,
    })
  }
  const [read, write] = await Promise.all([
    first(200, 20, () => ask(url, '/tenants/acme', { headers: owner })),
    first(201, 100, create),
  ])
  return { read, write }
}

const session = async () => (await browser.fetch(`${portal.publicUrl}/trpc/tenants.list`)).status

/**
 * Waits until the crowd has got a yes to each kind of write since the round before, so that every
 * round strikes real work.
 */
async function underWay({ acknowledged }: Crowd): Promise<void> {
  const counts = () => [
    acknowledged.tenants.length,
    acknowledged.bookings.length,
    acknowledged.events.length,
  ]
  const before = counts()
  await expect
    .poll(() => counts().every((count, kind) => count > (before[kind] ?? 0)), {
      timeout: 60_000,
      interval: 20,
    })
    .toBe(true)
  await pause(Math.random() * 300)
}

/**
 * Ends the server, and lets it come back after a moment. Returns what a signed-in person saw
 * meanwhile and how soon all went on.
 */
async function strike(
  how: ServerEnd,
): Promise<{ signedIn: number[]; successes: { read: number; write: number }[] }> {
  await server.end(how)
  const signedIn = [await session()]
  await pause(200 + Math.random() * 600)
  await server.start()
  const successes = await Promise.all(processes.map(({ url }) => firstSuccesses(url)))
  signedIn.push(await session())
  return { signedIn, successes }
}

/**
 * What a call that was cut off held is free for others after a minute at most, and looked for once
 * a minute; the everyday form does not wait.
 */
async function passTheLeases(): Promise<void> {
  const { db } = testApp.database
  const lapsed = new Date(Date.now() - 1_000)
  await db
    .updateTable('booking_hosts')
    .set({ calendar_lease_until: lapsed })
    .where('calendar_lease_until', 'is not', null)
    .execute()
  await db
    .updateTable('outbox')
    .set({ lease_until: lapsed })
    .where('state', '=', 'sending')
    .execute()
  await db
    .updateTable('webhook_inbox')
    .set({ lease_until: lapsed })
    .where('lease_until', 'is not', null)
    .execute()
  const { jobs } = testApp.app.services
  await jobs.enqueueCalendars('00000000-0000-0000-0000-000000000000', 0)
  await jobs.enqueueOutbox('00000000-0000-0000-0000-000000000000', 0)
  await jobs.enqueueWebhooks()
}

it(
  'a database that is killed under load loses nothing that was acknowledged, and ends no process',
  async () => {
    const hosts = await Promise.all([testApp.newHost(), testApp.newHost(), testApp.newHost()])
    const eventTypes = await Promise.all(hosts.map((host) => testApp.newEventType(host)))
    const urls = processes.map(({ url }) => url)
    const visitorConcurrency: Crowd = sendCrowd(testApp, urls, eventTypes)
    const struck: Awaited<ReturnType<typeof strike>>[] = []
    try {
      for (const how of ends) {
        testApp.time.now = new Date()
        await underWay(visitorConcurrency)
        struck.push(await strike(how))
      }
      await pause(300)
    } finally {
      await visitorConcurrency.stop()
    }

    const ended = performance.now()
    const nothing = { steps: 0, calendars: 0, mails: 0, events: 0 }
    await expect
      .poll(
        async () => {
          if (!inFull) await passTheLeases()
          return unfinished(testApp)
        },
        { timeout: inFull ? 240_000 : 60_000, interval: 500 },
      )
      .toEqual(nothing)
      .catch(() => undefined)
    const seconds = (performance.now() - ended) / 1000
    const undone = await unfinished(testApp)
    const { tenants, bookings, events, reads } = visitorConcurrency.acknowledged
    const gone = await lost(testApp, visitorConcurrency.acknowledged)
    const slowest = Math.max(
      ...struck.flatMap(({ successes }) => successes.flatMap(({ read, write }) => [read, write])),
    )
    const alive = await Promise.all(
      urls.map((url) => ask(url, '/health').then(({ status }) => status, String)),
    )
    const unheard = processes
      .flatMap(({ log }) => log)
      .filter((line) => line.includes('unhandled promise rejection'))
    const faults = [...visitorConcurrency.answers].filter(
      ([line]) => line.startsWith('5') && !line.startsWith('503'),
    )
    const signedOut = struck.flatMap(({ signedIn }) => signedIn).filter((status) => status === 401)
    const rejected = [...visitorConcurrency.answers]
      .filter(([line]) => line.startsWith('503'))
      .map(([line, count]) => `${count} × ${line}`)
    const reached = [gone, unheard, visitorConcurrency.unanswered, faults, signedOut].every(
      (list) => list.length === 0,
    )
    await recordMeasurement({
      target: 'R3',
      what: `${ends.length} ends of the database (${[...new Set(ends)].join(', ')}) under load on two processes`,
      measured: `${tenants.length + bookings.length + events.length} writes acknowledged (${tenants.length} tenants, ${bookings.length} bookings, ${events.length} events) and ${reads} reads, ${gone.length} lost; slowest first success ${Math.round(slowest)} ms after it accepts; all work done ${seconds.toFixed(0)} s later; refused meanwhile: ${rejected.join(', ')}`,
      reached:
        reached &&
        (!inFull || slowest <= 2_000) &&
        Object.values(undone).every((count) => count === 0),
    })
    expect(alive, processes.flatMap(({ log }) => log.slice(-30)).join('\n')).toEqual([200, 200])
    expect({ gone, unheard, unanswered: visitorConcurrency.unanswered, faults, signedOut }).toEqual(
      {
        gone: [],
        unheard: [],
        unanswered: [],
        faults: [],
        signedOut: [],
      },
    )
    expect(struck.map(({ signedIn }) => signedIn.at(-1))).toEqual(ends.map(() => 200))
    expect(undone).toEqual(nothing)
    expect([tenants.length, bookings.length, events.length].every((count) => count > 0)).toBe(true)
  },
  inFull ? 3_600_000 : 180_000,
)
