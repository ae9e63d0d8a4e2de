import { randomBytes } from 'node:crypto'
import { runDunning } from '@atrium/api/billing/invoices/dunning'
import { applyDueSubscriptions } from '@atrium/api/billing/subscriptions/due'
import type { Services } from '@atrium/api/rpc/services'
import { expireBookings } from '@atrium/api/scheduling/bookings/expire'
import { sendReminders } from '@atrium/api/scheduling/bookings/remind'
import type { BookingsTestApp } from '@atrium/testing/bookings-test-app'
import { insertTestTenant, userIdOf } from '@atrium/testing/records'
import { offered, visit } from '@atrium/testing/visitors'

/** Something that a moment changes, once, by a job. */
export interface JobRule {
  readonly name: string
  /** Makes what is to change at `at`, with the workplace's time some while before it. */
  arrange(at: Date): Promise<Arranged>
}

interface Arranged {
  /** The work of a process that goes by the clock of this workplace. */
  work(services: Services): Promise<void>
  /** The content of the records, including counters of changes. */
  state(): Promise<string>
  before: string
  after: string
}

/** Something whose response changes at a certain time. */
export interface AnswerRule {
  readonly name: string
  /** `last`: the last millisecond at which it is answered as before is the moment itself. */
  readonly boundary: 'last' | 'first'
  /**
   * `due`: when it changes, where the rule cannot meet `at` itself because it counts in whole
   * minutes.
   */
  arrange(at: Date): Promise<{ ask(): Promise<string>; before: string; after: string; due?: Date }>
}

const [minute, day] = [60_000, 86_400_000]
const plus = (at: Date, ms: number) => new Date(at.getTime() + ms)
const utc = (at: Date) =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO('UTC')
const dateOf = (zoned: Temporal.ZonedDateTime) => new Date(zoned.epochMilliseconds)

/**
 * Rules that jobs carry out. What each has to come to is written down here a second time, with
 * Temporal where months are counted.
 */
export function jobRules(testApp: BookingsTestApp): readonly JobRule[] {
  const { db } = testApp.database
  return [
    { name: 'a trial ends', arrange: (at) => subscription(testApp, at, 'trial') },
    { name: 'a month of a subscription ends', arrange: (at) => subscription(testApp, at, 'month') },
    { name: 'a year of a subscription ends', arrange: (at) => subscription(testApp, at, 'year') },
    {
      name: 'a canceled subscription ends',
      arrange: (at) => subscription(testApp, at, 'canceled'),
    },
    ...[3, 7, 12, 14].map((days) => ({
      name: `day ${days} of a missed payment`,
      arrange: (at: Date) => missedPayment(testApp, at, days),
    })),
    {
      name: 'a request of a visitor expires',
      async arrange(at) {
        testApp.time.now = plus(at, -3 * day)
        const host = await testApp.newHost()
        const eventTypeId = await testApp.newEventType(host)
        const booking = await testApp.book({
          host,
          eventTypeId,
          start: plus(at, day),
          status: 'pending',
          approvalExpiresAt: at,
        })
        return {
          work: expireBookings,
          state: async () => (await testApp.history(booking)).join(),
          before: 'requested',
          after: 'requested,expired',
        }
      },
    },
    {
      name: 'a reminder is due',
      async arrange(at) {
        testApp.time.now = plus(at, -3 * day)
        const host = await testApp.newHost()
        const eventTypeId = await testApp.newEventType(host, { reminders: [90] })
        const booking = await testApp.book({ host, eventTypeId, start: plus(at, 90 * minute) })
        const reminders = async () =>
          (await testApp.mails(booking)).filter((template) => template === 'booking.reminder')
            .length
        return {
          work: sendReminders,
          async state() {
            const rows = await db
              .selectFrom('booking_reminders')
              .select('sent_at')
              .where('booking_id', '=', booking.id)
              .execute()
            return `${rows.filter(({ sent_at }) => sent_at !== null).length} of ${rows.length}, queued ${(await reminders()) > 0}`
          },
          before: '0 of 1, queued false',
          after: '1 of 1, queued true',
        }
      },
    },
  ]
}

async function newTenant(testApp: BookingsTestApp): Promise<{ id: string; slug: string }> {
  const { db } = testApp.database
  const slug = `clock-${randomBytes(6).toString('hex')}`
  const ownerId = await userIdOf(db, 'owner@acme.test')
  const tenant = await db.transaction().execute((trx) => insertTestTenant(trx, { slug, ownerId }))
  return tenant
}

async function subscription(
  testApp: BookingsTestApp,
  at: Date,
  what: 'trial' | 'month' | 'year' | 'canceled',
): Promise<Arranged> {
  const { db } = testApp.database
  const tenant = await newTenant(testApp)
  const trial = what === 'trial'
  const cycle = what === 'year' ? 'year' : 'month'
  const { anchor, next } = trial
    ? { anchor: plus(at, -14 * day), next: dateOf(utc(at).add({ months: 1 })) }
    : anchorOf(at, cycle)
  testApp.time.now = trial ? anchor : plus(at, -day)
  const terms = {
    tenantSlug: tenant.slug,
    plan: 'business',
    cycle,
    currency: 'eur',
    seats: 2,
    perSeatAmount: 500,
  }
  const token = await testApp.operator()
  const begins = trial ? { trialDays: 14 } : { startAt: anchor.toISOString() }
  const made = await testApp.request('POST', '/subscriptions', {
    token,
    body: { ...terms, ...begins },
  })
  if (made.status !== 201)
    throw new Error(`no subscription: ${made.status} ${JSON.stringify(made.body)}`)
  const { id } = made.body
  if (what === 'canceled')
    await testApp.request('DELETE', `/subscriptions/${id}?when=period_end`, { token })
  const version = what === 'canceled' ? 2 : 1
  return {
    work: applyDueSubscriptions,
    async state() {
      const row = await db
        .selectFrom('subscriptions')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      return `${row.status} until ${row.current_period_end?.toISOString()} v${row.version}`
    },
    before: `${what === 'trial' ? 'trialing' : 'active'} until ${at.toISOString()} v${version}`,
    after:
      what === 'canceled'
        ? `canceled until ${at.toISOString()} v${version + 1}`
        : `active until ${next.toISOString()} v${version + 1}`,
  }
}

/**
 * A beginning from which whole months or years lead to `at`, and the end of the period after it:
 * the 31st is not in every month.
 */
function anchorOf(at: Date, cycle: 'month' | 'year'): { anchor: Date; next: Date } {
  const of = (count: number) => (cycle === 'year' ? { years: count } : { months: count })
  for (let count = 1; count <= 12; count++) {
    const anchor = utc(at).subtract(of(count))
    if (anchor.add(of(count)).equals(utc(at)))
      return { anchor: dateOf(anchor), next: dateOf(anchor.add(of(count + 1))) }
  }
  throw new Error('there is no such beginning')
}

async function missedPayment(testApp: BookingsTestApp, at: Date, days: number): Promise<Arranged> {
  const { db } = testApp.database
  const tenant = await newTenant(testApp)
  const { id } = await db
    .insertInto('subscriptions')
    .values({
      tenant_id: tenant.id,
      source: 'manual',
      plan: 'business',
      cycle: 'month',
      currency: 'eur',
      per_seat_amount: 800,
      seats: 10,
      status: 'past_due',
      past_due_since: plus(at, -days * day),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const due = (until: number) => [0, 3, 7, 12].filter((one) => one <= until)
  return {
    work: runDunning,
    async state() {
      const row = await db
        .selectFrom('dunning_cases')
        .selectAll()
        .where('subscription_id', '=', id)
        .executeTakeFirst()
      return `reminded ${row?.reminded_days.join()}, ${row?.limited_at ? 'limited' : 'not limited'}`
    },
    before: `reminded ${due(days - 1).join()}, not limited`,
    after: `reminded ${due(days).join()}, ${days >= 14 ? 'limited' : 'not limited'}`,
  }
}

/** Rules that are evaluated on read. */
export function answerRules(testApp: BookingsTestApp): readonly AnswerRule[] {
  return [
    {
      name: 'a held time is free again',
      boundary: 'first',
      async arrange(at) {
        testApp.time.now = plus(at, -5 * minute)
        const eventTypeId = await testApp.newEventType(await testApp.newHost())
        const start = onTheHalfHour(plus(at, day))
        const held = await visit(testApp, 'POST', '/slot-locks', { body: { eventTypeId, start } })
        if (held.status !== 201) throw new Error(`not held: ${JSON.stringify(held.body)}`)
        const ask = async () =>
          String((await offered(testApp, eventTypeId, start, plus(start, minute))).length)
        return { ask, before: '0', after: '1' }
      },
    },
    {
      name: 'a time is too soon to be booked',
      boundary: 'last',
      async arrange(at) {
        testApp.time.now = plus(at, -day)
        // The notice is in minutes and the start in half hours, so the notice is what is left
        // between the two.
        const due = new Date(Math.ceil(at.getTime() / minute) * minute)
        const start = onTheHalfHour(plus(due, 10 * 60 * minute))
        const notice = (start.getTime() - due.getTime()) / minute
        const eventTypeId = await testApp.newEventType(await testApp.newHost(), {
          notice_minutes: notice,
        })
        const ask = async () =>
          String((await offered(testApp, eventTypeId, start, plus(start, minute))).length)
        return { ask, before: '1', after: '0', due }
      },
    },
    {
      name: 'a manage link ends',
      boundary: 'first',
      async arrange(at) {
        testApp.time.now = plus(at, -5 * day)
        const host = await testApp.newHost()
        const booking = await testApp.book({
          host,
          eventTypeId: await testApp.newEventType(host),
          start: plus(at, -day - 30 * minute),
        })
        return {
          ask: async () => String((await testApp.visit('GET', '', booking.token)).status),
          before: '200',
          after: '404',
        }
      },
    },
    {
      name: 'an access token is no longer taken, half a minute after its end',
      boundary: 'first',
      async arrange(at) {
        testApp.time.now = plus(at, -10 * minute)
        const token = await testApp.admin()
        // Ten minutes of life, and thirty seconds for clocks that differ.
        const ask = async () => {
          const now = testApp.time.now
          testApp.time.now = plus(now, 30_000)
          const { status } = await testApp.request('GET', '/tenants/acme', { token })
          testApp.time.now = now
          return String(status)
        }
        return { ask, before: '200', after: '401' }
      },
    },
  ]
}

function onTheHalfHour(at: Date): Date {
  return new Date(Math.ceil(at.getTime() / (30 * minute)) * 30 * minute)
}
