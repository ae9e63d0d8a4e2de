import type { Services } from '@atrium/api/rpc/services'
import { type BookingsTestApp, startBookingsTestApp } from '@atrium/testing/bookings-test-app'
import { inFull, recordMeasurement } from '@atrium/testing/measurements'
import { clientsWithDeadline } from '@atrium/testing/outside'
import { offered } from '@atrium/testing/visitors'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { answerRules, jobRules } from './clock-rules.ts'

let testApp: BookingsTestApp
beforeAll(async () => {
  testApp = await startBookingsTestApp({
    manyChanges: true,
    integrations: clientsWithDeadline(20_000),
  })
}, 180_000)
afterAll(() => testApp[Symbol.asyncDispose]())
beforeEach(async () => {
  await testApp.database.db.deleteFrom('rate_limits').execute()
})

/**
 * Moments at which clocks and calendars do something of their own. Years ahead, where nothing of
 * the demo data lies.
 */
const moments: Readonly<Record<string, string>> = {
  'the hour that Berlin skips': '2031-03-30T01:00:00Z',
  'the hour that Berlin has twice': '2031-10-26T01:00:00Z',
  'the hour that New York skips': '2031-03-09T07:00:00Z',
  'the half hour that Lord Howe has twice': '2031-04-05T15:00:00Z',
  'a leap day': '2032-02-29T00:00:00Z',
  'the day after a leap day': '2032-03-01T00:00:00Z',
  'the last second of a year': '2031-12-31T23:59:59Z',
  'the end of a year': '2032-01-01T00:00:00Z',
}
const everyday = ['the hour that Berlin skips', 'a leap day', 'the end of a year']
const chosen = Object.entries(moments)
  .filter(([name]) => inFull || everyday.includes(name))
  .toSorted(([, one], [, other]) => one.localeCompare(other))

/** A process whose clock shows this. */
const at = (now: Date): Services => ({ ...testApp.app.services, clock: { now: () => now } })
const second = 1_000

it('whatever a job does by the clock is done at its moment, once, also by processes whose clocks differ by ten seconds', async () => {
  const wrong: string[] = []
  let transitions = 0
  for (const [moment, text] of chosen) {
    const due = new Date(text)
    for (const rule of jobRules(testApp)) {
      const { work, state, before, after } = await rule.arrange(due)
      /** The true time, the offset of the process's clock, and the expected result. */
      const looks = [
        [-1 * second, 0, before],
        [-1 * second, -5 * second, before],
        [-6 * second, 5 * second, before],
        // The fast process does it five seconds early; it is neither undone nor repeated.
        [-5 * second, 5 * second, after],
        [-5 * second, -5 * second, after],
        [0, 0, after],
        [5 * second, -5 * second, after],
        [60 * second, 5 * second, after],
      ] as const
      for (const [offset, skew, wanted] of looks) {
        const now = new Date(due.getTime() + offset + skew)
        testApp.time.now = now
        await work(at(now))
        const found = await state()
        transitions++
        if (found !== wanted)
          wrong.push(
            `${rule.name}, ${moment}, ${offset / second} s, clock ${skew / second} s: ${found} instead of ${wanted}`,
          )
      }
    }
  }
  await recordMeasurement({
    target: 'R15',
    what: `jobs at ${chosen.length} moments (${chosen.map(([name]) => name).join(', ')}), clocks ±5 s apart`,
    measured: `${transitions} looks at ${jobRules(testApp).length} rules, ${wrong.length} wrong`,
    reached: wrong.length === 0 && transitions > 0,
  })
  expect(wrong).toEqual([])
  expect(transitions).toBe(chosen.length * jobRules(testApp).length * 8)
})

it('whatever is answered by the clock changes at its millisecond', async () => {
  const wrong: string[] = []
  let looks = 0
  for (const [moment, text] of chosen) {
    const instant = new Date(text)
    for (const rule of answerRules(testApp)) {
      const { ask, before, after, due = instant } = await rule.arrange(instant)
      const first = rule.boundary === 'first' ? due.getTime() : due.getTime() + 1
      // Tokens count in whole seconds.
      const step = rule.name.includes('token') ? second : 1
      for (const [now, wanted] of [
        [first - step, before],
        [first, after],
        [first + 60 * second, after],
      ] as const) {
        testApp.time.now = new Date(now)
        const found = await ask()
        looks++
        if (found !== wanted)
          wrong.push(
            `${rule.name}, ${moment}, ${now - due.getTime()} ms: ${found} instead of ${wanted}`,
          )
      }
    }
  }
  await recordMeasurement({
    target: 'R15',
    what: 'answers at the same moments, to the millisecond',
    measured: `${looks} answers of ${answerRules(testApp).length} rules, ${wrong.length} wrong`,
    reached: wrong.length === 0 && looks > 0,
  })
  expect(wrong).toEqual([])
  expect(looks).toBe(chosen.length * answerRules(testApp).length * 3)
})

/** Zones, and a local day on which each changes its offset. */
const changes = [
  ['Europe/Berlin', '2031-03-30'],
  ['Europe/Berlin', '2031-10-26'],
  ['America/New_York', '2031-03-09'],
  ['America/New_York', '2031-11-02'],
  ['Australia/Lord_Howe', '2031-04-06'],
  ['Australia/Lord_Howe', '2031-10-05'],
  ['Africa/Casablanca', '2031-12-31'],
  ['Asia/Kolkata', '2032-02-29'],
] as const

it('hours of the night are offered as long as they last, on days with a changed clock too', async () => {
  const wrong: string[] = []
  let days = 0
  const nightly = JSON.stringify(Array.from({ length: 7 }, () => [{ start: 0, end: 300 }]))
  for (const [zone, date] of inFull ? changes : changes.slice(0, 5)) {
    const middle = Temporal.PlainDate.from(date)
    testApp.time.now = new Date(
      middle.subtract({ days: 5 }).toZonedDateTime('UTC').epochMilliseconds,
    )
    const host = await testApp.newHost({ zone })
    await testApp.database.db
      .updateTable('availability_schedules')
      .set({ zone, weekly: nightly })
      .where('host_id', '=', host.id)
      .execute()
    const eventType = await testApp.newEventType(host, { durations: [30] })
    for (const offset of [-1, 0, 1]) {
      const local = middle.add({ days: offset })
      const [opens, closes] = [0, 5].map((hour) =>
        local.toZonedDateTime({ timeZone: zone, plainTime: { hour } }),
      )
      if (!opens || !closes) throw new Error('a night has a beginning and an end')
      const wanted = Math.floor(
        (closes.epochMilliseconds - opens.epochMilliseconds) / (30 * 60_000),
      )
      const starts = await offered(
        testApp,
        eventType,
        new Date(opens.epochMilliseconds),
        new Date(closes.epochMilliseconds),
      )
      const outside = starts.filter((start) => {
        const shown = Temporal.Instant.from(start).toZonedDateTimeISO(zone)
        return shown.hour >= 5 || !shown.toPlainDate().equals(local)
      })
      days++
      if (new Set(starts).size !== wanted || starts.length !== wanted || outside.length > 0) {
        wrong.push(
          `${zone} on ${local}: ${starts.length} starts instead of ${wanted}, ${outside.length} at another hour`,
        )
      }
    }
  }
  await recordMeasurement({
    target: 'R15',
    what: 'hours that are offered around changed clocks',
    measured: `${days} days in ${new Set(changes.map(([zone]) => zone)).size} zones, ${wrong.length} wrong`,
    reached: wrong.length === 0 && days > 0,
  })
  expect(wrong).toEqual([])
})

/** The month of an instant as partitions are named. */
const monthOf = (instant: string) => instant.slice(0, 7).replace('-', '')

it('audit entries of the last and first moment of a month stand in their month, in whatever zone the session is', async () => {
  const owner = new pg.Client({ connectionString: testApp.ownerUrl })
  await owner.connect()
  const wrong: string[] = []
  let entries = 0
  try {
    await owner.query('begin')
    for (const zone of ['Pacific/Kiritimati', 'America/Los_Angeles', 'UTC']) {
      await owner.query(`set local timezone to '${zone}'`)
      await owner.query(`select audit_ensure_partitions((now() + interval '16 months')::date)`)
      const [year, month] = [new Date().getUTCFullYear(), new Date().getUTCMonth()]
      const begins = Array.from(
        { length: 15 },
        (_, n) => new Date(Date.UTC(year, month + 1 + n, 1)),
      )
      for (const first of begins) {
        const last = new Date(first.getTime() - 1).toISOString().replace('.999Z', '.999999Z')
        for (const instant of [last, first.toISOString()]) {
          const { rows } = await owner.query<{ partition: string }>(
            `insert into audit_events (at, action, outcome, actor_type, resource_type, source)
              values ($1, 'tenant.created', 'success', 'system', 'tenant', 'job') returning tableoid::regclass::text as partition`,
            [instant],
          )
          entries++
          if (rows[0]?.partition !== `audit_events_${monthOf(instant)}`)
            wrong.push(`${instant}, ${zone}: ${rows[0]?.partition}`)
        }
      }
    }
    await owner.query('rollback')
  } finally {
    await owner.end()
  }
  await recordMeasurement({
    target: 'R15',
    what: 'audit entries at the ends of months, year end and February among them',
    measured: `${entries} entries, ${wrong.length} in a wrong partition`,
    reached: wrong.length === 0 && entries > 0,
  })
  expect(wrong).toEqual([])
  expect(entries).toBe(90)
})
