import { randomBytes, randomUUID } from 'node:crypto'
import type { BookingsTestApp } from '@atrium/testing/bookings-test-app'
import { personClaims } from '@atrium/testing/issuer'
import type { TestApp } from '@atrium/testing/test-app'
import { newAddress, wish } from '@atrium/testing/visitors'
import { eventBody, signature } from '@atrium/testing/webhooks-test-app'

/**
 * What the service said yes to. Each of these has to be there afterwards, whatever happened
 * meanwhile.
 */
export interface Acknowledged {
  /** Slugs of tenants. */
  tenants: string[]
  /** Ids of bookings. */
  bookings: string[]
  /** Ids of payment events. */
  events: string[]
  reads: number
}

/**
 * People who read, create tenants and book, and a payment processor that emits events, until they
 * are stopped.
 */
export interface Crowd {
  readonly acknowledged: Acknowledged
  /** Responses by status and, for rejections, code: `503 unavailable`. */
  readonly answers: ReadonlyMap<string, number>
  /** Requests without any response, which a living process never causes. */
  readonly unanswered: readonly string[]
  stop(): Promise<void>
}

interface Told {
  status: number
  body: { code?: string; booking?: { id: string } }
}

/** A request to a process of the service. Rejects when no response comes. */
export async function ask(url: string, path: string, init: RequestInit = {}): Promise<Told> {
  const response = await fetch(`${url}${path}`, { ...init, signal: AbortSignal.timeout(60_000) })
  const text = await response.text()
  return { status: response.status, body: text === '' ? {} : JSON.parse(text) }
}

/** Sends a crowd to these processes, in turn; `eventTypes` are booked one start after the other. */
export function sendCrowd(
  testApp: BookingsTestApp,
  urls: readonly string[],
  eventTypes: readonly string[],
): Crowd {
  const acknowledged: Acknowledged = { tenants: [], bookings: [], events: [], reads: 0 }
  const answers = new Map<string, number>()
  const unanswered: string[] = []
  let stopped = false
  let keyedLimiter = 0
  const nextUrl = () => urls[keyedLimiter++ % urls.length] ?? ''
  const json = { 'content-type': 'application/json' }

  async function send(path: string, init: RequestInit = {}): Promise<Told | undefined> {
    try {
      const told = await ask(nextUrl(), path, init)
      const line =
        told.body.code === undefined ? String(told.status) : `${told.status} ${told.body.code}`
      answers.set(line, (answers.get(line) ?? 0) + 1)
      return told
    } catch (error) {
      unanswered.push(`${path}: ${error instanceof Error ? (error.cause ?? error) : error}`)
      return undefined
    }
  }
  const token = (email: string) => testApp.issuer.sign(personClaims(email))
  async function read(): Promise<void> {
    const told = await send('/tenants/acme', {
      headers: { authorization: `Bearer ${await token('owner@acme.test')}` },
    })
    if (told?.status === 200) acknowledged.reads++
  }
  async function createTenant(): Promise<void> {
    const slug = `storm-${randomBytes(5).toString('hex')}`
    const headers = { ...json, authorization: `Bearer ${await token('newcomer@example.test')}` }
    const told = await send('/tenants', {
      method: 'POST',
      headers,
      body: JSON.stringify({ name: slug, slug, respondAsync: true }),
    })
    if (told?.status === 201) acknowledged.tenants.push(slug)
  }
  let starts = 0
  async function book(): Promise<void> {
    const n = starts++
    const eventType = eventTypes[n % eventTypes.length] ?? ''
    const start = testApp.at(24 + Math.floor(n / eventTypes.length) * 0.5)
    const headers = {
      ...json,
      'x-atrium-booking-app': testApp.env.BOOKING_APP_SECRET ?? '',
      'x-forwarded-for': newAddress(),
      'idempotency-key': randomUUID(),
    }
    const told = await send('/api/v1/bookings', {
      method: 'POST',
      headers,
      body: JSON.stringify(wish(eventType, start)),
    })
    if (told?.status === 201 && told.body.booking) acknowledged.bookings.push(told.body.booking.id)
  }
  async function tellEvent(): Promise<void> {
    const at = Math.floor(Date.now() / 1000)
    const { id, body } = eventBody({ created: at })
    const headers = {
      ...json,
      'stripe-signature': signature(body, at, testApp.env.STRIPE_WEBHOOK_SECRET),
    }
    const told = await send('/webhooks/stripe', { method: 'POST', headers, body })
    if (told?.status === 200) acknowledged.events.push(id)
  }
  async function again(work: () => Promise<void>, pauseMs: number): Promise<void> {
    while (!stopped) {
      await work()
      await new Promise((done) => setTimeout(done, pauseMs))
    }
  }
  const people = [
    ...Array.from({ length: 4 }, () => again(read, 10)),
    ...Array.from({ length: 2 }, () => again(createTenant, 250)),
    ...Array.from({ length: 3 }, () => again(book, 40)),
    ...Array.from({ length: 2 }, () => again(tellEvent, 40)),
  ]
  return {
    acknowledged,
    answers,
    unanswered,
    async stop() {
      stopped = true
      await Promise.all(people)
    },
  }
}

/** What was acknowledged and is not there. */
export async function lost(
  testApp: TestApp,
  { tenants, bookings, events }: Omit<Acknowledged, 'reads'>,
): Promise<string[]> {
  const { db } = testApp.database
  const there = new Set<string>()
  for (const { slug } of await db.selectFrom('tenants').select('slug').execute()) there.add(slug)
  for (const { id } of await db.selectFrom('bookings').select('id').execute()) there.add(id)
  for (const { id } of await db.selectFrom('webhook_inbox').select('id').execute()) there.add(id)
  return [...tenants, ...bookings, ...events].filter((one) => !there.has(one))
}

/** Work that is left in all of the workplace, by its kind. */
export async function unfinished(
  testApp: TestApp,
): Promise<Record<'steps' | 'calendars' | 'mails' | 'events', number>> {
  const { db } = testApp.database
  const [steps, calendars, mails, events] = await Promise.all([
    db.selectFrom('provisioning_steps').select('step').where('state', '!=', 'ok').execute(),
    db
      .selectFrom('booking_hosts')
      .select('booking_id')
      .where('calendar_state', '!=', 'synced')
      .execute(),
    db.selectFrom('outbox').select('id').where('state', '!=', 'sent').execute(),
    db
      .selectFrom('webhook_inbox')
      .select('id')
      .where('state', 'in', ['received', 'failed', 'parked'])
      .execute(),
  ])
  return {
    steps: steps.length,
    calendars: calendars.length,
    mails: mails.length,
    events: events.length,
  }
}
