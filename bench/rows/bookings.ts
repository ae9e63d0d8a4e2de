import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { freePort } from '@atrium/db/server/free-port'
import { newAddress } from '@atrium/testing/visitors'
import { sql } from 'kysely'
import { type BookingWorkplace, startBookingWorkplace } from '../booking-workplace.ts'
import { cores, type MeasuredProcess, startProcess, untilReady } from '../measure/process.ts'
import { runRounds } from '../measure/slots.ts'
import { median } from '../measure/statistics.ts'
import type { Session } from '../session.ts'
import type { Bars, RowResult } from './result.ts'
import { callContender } from './sequence.ts'

const visitors = 1_000
/**
 * Visitors of the peer, each with a slot of their own; the time counts for all. At once they would
 * measure how soon the calendar gives up.
 */
const peerVisitors = 200
const peerAtOnce = 16
const minuteMs = 60_000
const dayMs = 86_400_000
const stepMs = 5 * minuteMs
const days = 30
const callsPerSlot = 12

const race: Bars = {
  row: 'P11',
  what: `${visitors} visitors confirm one slot`,
  peer: `${visitors} confirm a slot each, ${peerAtOnce} at a time`,
  unit: 'x',
  direction: 'at most',
  reach: 0.8,
  beyond: 0.5,
}
const listed: Bars = {
  row: 'S1',
  what: `slots of ${days} days, asked for the first time`,
  peer: 'the free/busy call in it',
  unit: 'x',
  direction: 'at most',
  reach: 2,
  beyond: 1.4,
}
// Ten segments: what a server may send before the first acknowledgement (RFC 6928).
const firstFlight = 14_600
const firstView: Bars = {
  row: 'S2',
  what: 'first view of the booking page, compressed',
  peer: `${firstFlight} bytes, one round trip`,
  unit: 'x',
  direction: 'at most',
  reach: 1,
  beyond: 0.6,
}
const scriptBytes = 30 * 1024
const script: Bars = {
  row: 'S3',
  what: 'its script, compressed',
  peer: `${scriptBytes} bytes`,
  unit: 'x',
  direction: 'at most',
  reach: 1,
  beyond: 0.5,
}

/** P11 and S1 to S3: what visitors of the booking page wait for and load. */
export async function measureBookings(
  session: Session,
  requested: ReadonlySet<string>,
): Promise<RowResult[]> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  await using workplace = await startBookingWorkplace(session, url)
  return [
    ...(requested.has('S2') || requested.has('S3')
      ? await attempt([firstView, script], () => measureFirstView(session, workplace, port))
      : []),
    ...(requested.has('S1') ? await attempt([listed], () => measureList(session, workplace)) : []),
    ...(requested.has('P11') ? await attempt([race], () => measureRace(session, workplace)) : []),
  ]
}

async function attempt(
  bars: readonly Bars[],
  measure: () => Promise<RowResult[]>,
): Promise<RowResult[]> {
  try {
    return await measure()
  } catch (error) {
    return bars.map((one) => ({
      ...one,
      values: [],
      note: error instanceof Error ? error.message : String(error),
    }))
  }
}

interface Told {
  status: number
  text: string
}

function book(
  { products, bookingSecret, eventTypeId }: BookingWorkplace,
  n: number,
  start: number,
): Promise<Told> {
  const { url } = products[n % 2] ?? products[0]
  const attendee = {
    name: 'Vera Visitor',
    email: `visitor-${randomUUID()}@example.org`,
    timeZone: 'Europe/Paris',
    locale: 'fr',
  }
  return new Promise((resolve, reject) => {
    const sent = request(
      `${url}/api/v1/bookings`,
      {
        method: 'POST',
        agent: false,
        headers: {
          'content-type': 'application/json',
          'x-atrium-booking-app': bookingSecret,
          'x-forwarded-for': newAddress(),
        },
      },
      (answer) => {
        const parts: Buffer[] = []
        answer.on('data', (part: Buffer) => parts.push(part))
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString() }),
        )
        answer.on('error', reject)
      },
    )
    sent.on('error', reject)
    sent.end(JSON.stringify({ eventTypeId, start: new Date(start).toISOString(), attendee }))
  })
}

async function visitorConcurrency(
  workplace: BookingWorkplace,
  size: number,
  atOnce: number,
  startOf: (n: number) => number,
): Promise<{ ms: number; statuses: Record<string, number> }> {
  const began = performance.now()
  const responses: Told[] = []
  let next = 0
  const visitor = async () => {
    for (let n = next++; n < size; n = next++) responses.push(await book(workplace, n, startOf(n)))
  }
  await Promise.all(Array.from({ length: atOnce }, visitor))
  const ms = performance.now() - began
  const statuses: Record<string, number> = {}
  for (const { status, text } of responses) {
    const word =
      status === 201 ? '201' : `${status} ${/"code":"(\w+)"/.exec(text)?.[1] ?? text.slice(0, 60)}`
    statuses[word] = (statuses[word] ?? 0) + 1
  }
  return { ms, statuses }
}

/**
 * One slot for everyone against a slot for each, alternately. Any result other than one winner
 * voids the row.
 */
async function measureRace(session: Session, workplace: BookingWorkplace): Promise<RowResult[]> {
  let next = Math.ceil(Date.now() / dayMs) * dayMs + dayMs
  const values: number[] = []
  const times = { race: [] as number[], apart: [] as number[] }
  let rejections = ''
  for (let round = 1; round <= session.rounds; round++) {
    session.onRound(round)
    await session.gate.pass()
    const start = next
    next += stepMs
    const one = await visitorConcurrency(workplace, visitors, visitors, () => start)
    const { 201: won = 0, ...others } = one.statuses
    const conflicts = Object.entries(others).filter(([word]) => word.startsWith('409'))
    const lost = conflicts.reduce((sum, [, count]) => sum + count, 0)
    if (won !== 1 || lost !== visitors - 1)
      throw new Error(`one slot was answered ${JSON.stringify(one.statuses)}`)
    rejections = conflicts.map(([word, count]) => `${count} times ${word}`).join(', ')
    await expectNoOrphans(workplace, start)
    const firstOfMany = next
    next += peerVisitors * stepMs
    const many = await visitorConcurrency(
      workplace,
      peerVisitors,
      peerAtOnce,
      (n) => firstOfMany + n * stepMs,
    )
    if (many.statuses[201] !== peerVisitors)
      throw new Error(`slots of their own were answered ${JSON.stringify(many.statuses)}`)
    await settled(workplace)
    times.race.push(one.ms)
    const apart = (many.ms * visitors) / peerVisitors
    times.apart.push(apart)
    values.push(one.ms / apart)
  }
  const figure = (ms: readonly number[]) => ({ callsPerSecond: (visitors * 1000) / median(ms) })
  return [
    {
      ...race,
      values,
      note: `two processes; each time one 201, the others ${rejections}; one booking, one claim, one event in the calendar, mails of that booking alone, no lock left`,
      figures: { [race.peer]: figure(times.apart), [race.what]: figure(times.race) },
    },
  ]
}

/**
 * What the losers may have left: rows of bookings, claims, locks and mails, and events in the
 * calendar.
 */
async function expectNoOrphans(workplace: BookingWorkplace, start: number): Promise<void> {
  await settled(workplace)
  const at = new Date(start)
  const { rows } = await sql<Record<'bookings' | 'claims' | 'locks' | 'mailed' | 'loose', number>>`
    select (select count(*)::int from bookings where start_at = ${at}) as bookings,
      (select count(*)::int from booking_hosts h join bookings b on b.id = h.booking_id where b.start_at = ${at}) as claims,
      (select count(*)::int from slot_locks) as locks,
      (select count(distinct o.booking_id)::int from outbox o join bookings b on b.id = o.booking_id where b.start_at = ${at}) as mailed,
      (select count(*)::int from booking_hosts h left join bookings b on b.id = h.booking_id where b.id is null) as loose`.execute(
    workplace.database.db,
  )
  const events = workplace.eventsAt(start)
  const found = { ...rows[0], events }
  const right = { bookings: 1, claims: 1, locks: 0, mailed: 1, loose: 0, events: 1 }
  if (JSON.stringify(found) !== JSON.stringify(right))
    throw new Error(`a race left ${JSON.stringify(found)}`)
}

/** Waits until every calendar has what was booked. */
async function settled({ database }: BookingWorkplace): Promise<void> {
  for (let tries = 0; tries < 1_200; tries++) {
    const behind = await database.db
      .selectFrom('booking_hosts')
      .select('booking_id')
      .where('calendar_state', '<>', 'synced')
      .limit(1)
      .execute()
    if (behind.length === 0) return
    await new Promise((done) => setTimeout(done, 100))
  }
  throw new Error('the calendars had not got every booking after two minutes')
}

/** Each question is about other days, so that nothing is known from before. */
async function measureList(session: Session, workplace: BookingWorkplace): Promise<RowResult[]> {
  const first = Math.ceil(Date.now() / dayMs) * dayMs
  let n = 0
  const span = () => {
    n = (n + 1) % 300
    return [first + n * dayMs, first + (n + days) * dayMs] as const
  }
  const [product] = workplace.products
  const list = async () => {
    const [from, to] = span()
    const query = `from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}&timeZone=Europe/Paris`
    const response = await fetch(
      `${product.url}/api/v1/event-types/${workplace.halfHourId}/slots?${query}`,
      {
        headers: {
          'x-atrium-booking-app': workplace.bookingSecret,
          'x-forwarded-for': newAddress(),
        },
      },
    )
    const { slots } = (await response.json()) as { slots?: Record<string, unknown[]> }
    if (response.status !== 200 || Object.values(slots ?? {}).flat().length < 1_000)
      throw new Error(`slots answered ${response.status}`)
  }
  const ask = async () => {
    await workplace.freeBusy(...span())
  }
  const contenders = [
    callContender('peer', callsPerSlot, ask),
    callContender('peer again', callsPerSlot, ask),
    callContender('ours', callsPerSlot, list),
  ]
  for (const { measure } of contenders) await measure()
  const { measured, failures } = await runRounds(contenders, session)
  const failure = [...failures.values()][0]
  if (failure) throw new Error(failure)
  const msOf = (name: string) =>
    (measured.get(name) ?? []).map((figures) => figures.p50Ms ?? Number.NaN)
  const [a, b, own] = [msOf('peer'), msOf('peer again'), msOf('ours')]
  const figure = (ms: readonly number[]) => ({ callsPerSecond: 1_000 / median(ms) })
  return [
    {
      ...listed,
      values: own.map((ms, i) => ms / (((a[i] ?? Number.NaN) + (b[i] ?? Number.NaN)) / 2)),
      nullTest: a.map((ms, i) => ms / (b[i] ?? Number.NaN)),
      note: `free/busy ${median(a).toFixed(1)} ms, slots ${median(own).toFixed(1)} ms for ${days * 48} starts in one answer`,
      figures: { [listed.peer]: figure(a), [listed.what]: figure(own) },
    },
  ]
}

async function measureFirstView(
  session: Session,
  workplace: BookingWorkplace,
  port: number,
): Promise<RowResult[]> {
  const app: MeasuredProcess = startProcess({
    file: join(import.meta.dirname, '../../apps/booking/src/server.ts'),
    core: cores.server,
    env: {
      PORT: String(port),
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      API_URL: workplace.products[0].url,
      LOG_LEVEL: 'warn',
      BOOKING_APP_SECRET: workplace.bookingSecret,
    },
    outputFile: join(session.folder, 'booking.log'),
  })
  try {
    await untilReady(app.child, `http://127.0.0.1:${port}/health`)
    const page = await load(port, '/acme/anna/half-hour')
    const html = page.text
    const needed = [
      ...html.matchAll(/<(?:script|link)[^>]*?(?:src|href)="(\/[^"]+)"[^>]*>/g),
    ].flatMap(([tag, path]) =>
      path !== undefined && !/rel="(canonical|alternate|prev|next)"/.test(tag) ? [path] : [],
    )
    const parts = await Promise.all(needed.map((path) => load(port, path)))
    const scripts = parts
      .filter(({ type }) => type.includes('javascript'))
      .reduce((sum, { bytes }) => sum + bytes, 0)
    const note = `1 request to see and use the page; ${needed.length} more (${needed.join(', ') || 'none'}) of ${parts.reduce((sum, { bytes }) => sum + bytes, 0)} bytes`
    return [
      {
        ...firstView,
        values: [page.bytes / firstFlight],
        note: `${page.bytes} bytes with its headers; ${note}`,
      },
      { ...script, values: [scripts / scriptBytes], note: `${scripts} bytes with their headers` },
    ]
  } finally {
    await app.stop()
  }
}

/** As a browser asks: bytes on the wire with headers, and the text. */
function load(port: number, path: string): Promise<{ bytes: number; text: string; type: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        path,
        agent: false,
        headers: { 'accept-encoding': 'gzip, br', accept: 'text/html' },
      },
      (answer) => {
        const { socket } = answer
        const parts: Buffer[] = []
        answer.on('data', (part: Buffer) => parts.push(part))
        answer.on('end', () => {
          const body = Buffer.concat(parts)
          const encoding = answer.headers['content-encoding']
          if (answer.statusCode !== 200)
            return reject(new Error(`${path} answered ${answer.statusCode}`))
          const plain =
            encoding === 'br'
              ? brotliDecompressSync(body)
              : encoding === 'gzip'
                ? gunzipSync(body)
                : body
          resolve({
            bytes: socket.bytesRead,
            text: plain.toString(),
            type: answer.headers['content-type'] ?? '',
          })
        })
        answer.on('error', reject)
      },
    )
    sent.on('error', reject)
    sent.end()
  })
}
