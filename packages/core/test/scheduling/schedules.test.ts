import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, it, test } from 'vitest'
import {
  CreateSchedule,
  clockOf,
  type DateOverride,
  datesOnWire,
  type Hours,
  minutesOf,
  storedDates,
  storedWeek,
  toSlotSchedule,
  type WeeklyHours,
  weekdays,
  weekOnWire,
} from '../../src/scheduling/schedules.ts'
import { findSlots } from '../../src/scheduling/slots.ts'
import { zodIssues } from '../zod-issues.ts'

const hostId = '0195e6a0-0000-7000-8000-000000000001'
const given = (fields: object) => ({
  slug: 'acme',
  hostId,
  name: 'Work',
  timeZone: 'Europe/Berlin',
  weekly: {},
  ...fields,
})
const issuesOf = (fields: object) => zodIssues(CreateSchedule, given(fields))

const hours: fc.Arbitrary<Hours> = fc
  .tuple(fc.integer({ min: 0, max: 1_439 }), fc.integer({ min: 0, max: 1_440 }))
  .map(([start, end]) => ({ start: clockOf(start), end: clockOf(end) }))
const ofDay = fc.array(hours, { maxLength: 20 })
const week: fc.Arbitrary<WeeklyHours> = fc.record({
  mon: ofDay,
  tue: ofDay,
  wed: ofDay,
  thu: ofDay,
  fri: ofDay,
  sat: ofDay,
  sun: ofDay,
})
const date = fc
  .date({ min: new Date('2020-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((day) => day.toISOString().slice(0, 10))
const overrides: fc.Arbitrary<DateOverride[]> = fc.uniqueArray(
  fc.record({ date, windows: ofDay }),
  {
    selector: (entry) => entry.date,
    maxLength: 30,
  },
)

describe('what is stored comes back', () => {
  property.prop([week])('weekly hours', (weekly) => {
    expect(weekOnWire(storedWeek(weekly))).toEqual(weekly)
  })

  property.prop([overrides])('overrides, in the order of their dates', (entries) => {
    const back = datesOnWire(storedDates(entries))
    expect(back.map((entry) => entry.date)).toEqual(entries.map((entry) => entry.date).sort())
    expect(new Map(back.map((entry) => [entry.date, entry.windows]))).toEqual(
      new Map(entries.map((entry) => [entry.date, entry.windows])),
    )
  })

  property.prop([fc.integer({ min: 0, max: 1_440 })])('a time of the day', (minutes) => {
    expect(minutesOf(clockOf(minutes))).toBe(minutes)
  })

  property.prop([week, overrides])('and passes its own check', (weekly, entries) => {
    expect(CreateSchedule.parse(given({ weekly, overrides: entries }))).toMatchObject({
      weekly,
      overrides: entries,
    })
  })
})

describe('windows', () => {
  const starts = (
    window: Hours,
    from = '2027-06-04T00:00:00Z',
    to = '2027-06-06T00:00:00Z',
    closedOn: string[] = [],
  ) => {
    const weekly = {
      ...Object.fromEntries(weekdays.map((day) => [day, []])),
      fri: [window],
    } as unknown as WeeklyHours
    const schedule = toSlotSchedule({
      zone: 'UTC',
      weekly: storedWeek(weekly),
      overrides: storedDates(closedOn.map((day) => ({ date: day, windows: [] }))),
    })
    const settings = {
      eventTypeId: 'e',
      durationMinutes: 60,
      stepMinutes: 60,
      noticeMinutes: 0,
      beforeMinutes: 0,
      afterMinutes: 0,
    }
    return findSlots({
      schedule,
      settings: {
        ...settings,
        bookingWindow: { kind: 'open' },
        limits: {},
        hostLimits: {},
        seats: 1,
      },
      busy: [],
      bookings: [],
      locks: [],
      now: 0,
      range: { start: Date.parse(from), end: Date.parse(to) },
    }).map(({ start }) => new Date(start).toISOString().slice(8, 16))
  }

  test('that end before they start reach into the next day', () => {
    expect(starts({ start: '22:00', end: '02:00' })).toEqual([
      '04T22:00',
      '04T23:00',
      '05T00:00',
      '05T01:00',
    ])
  })
  test('may end at midnight, written either way', () => {
    expect(starts({ start: '22:00', end: '24:00' })).toEqual(['04T22:00', '04T23:00'])
    expect(starts({ start: '22:00', end: '00:00' })).toEqual(['04T22:00', '04T23:00'])
  })
  test('of equal times are 24 hours', () => {
    expect(starts({ start: '12:00', end: '12:00' })).toHaveLength(24)
    expect(starts({ start: '00:00', end: '24:00' })).toHaveLength(24)
    expect(starts({ start: '00:00', end: '00:00' })).toHaveLength(24)
  })
  test('of the night before end at the midnight of an overridden date', () => {
    expect(starts({ start: '22:00', end: '02:00' }, undefined, undefined, ['2027-06-05'])).toEqual([
      '04T22:00',
      '04T23:00',
    ])
  })
})

describe('rejections', () => {
  it.each([
    [{ timeZone: '+02:00' }, 'timeZone: This is not a time zone such as Europe/Berlin.'],
    [{ timeZone: 'Europe/Atlantis' }, 'timeZone: This is not a time zone such as Europe/Berlin.'],
    [
      { weekly: { mon: [{ start: '9:00', end: '17:00' }] } },
      'weekly.mon.0.start: Write the time as 09:00, from 00:00 to 23:59.',
    ],
    [
      { weekly: { mon: [{ start: '24:00', end: '17:00' }] } },
      'weekly.mon.0.start: Write the time as 09:00, from 00:00 to 23:59.',
    ],
    [
      { weekly: { mon: [{ start: '09:00', end: '24:01' }] } },
      'weekly.mon.0.end: Write the time as 17:00, at the latest 24:00.',
    ],
    [
      { weekly: { fri: Array(21).fill({ start: '09:00', end: '10:00' }) } },
      'weekly.fri: Enter at most 20 items.',
    ],
    [{ weekly: { monday: [] } }, 'weekly: Unknown field: monday.'],
    [
      { overrides: [{ date: '2027-02-30', windows: [] }] },
      'overrides.0.date: This is not a date such as 2026-01-31.',
    ],
    [
      {
        overrides: [
          { date: '2027-02-03', windows: [] },
          { date: '2027-02-03', windows: [] },
        ],
      },
      'overrides.1.date: 2027-02-03 is named twice.',
    ],
    [{ name: '  ' }, 'name: This must not be empty.'],
    [{ name: 'a\u202eb' }, 'name: Control and invisible characters are not allowed.'],
    [{ hostId: 'me' }, 'hostId: This is not a valid ID.'],
    [{ color: 'red' }, ': Unknown field: color.'],
  ])('%j', (fields, issue) => {
    expect(issuesOf(fields)).toEqual([issue])
  })

  it('takes a thousand dates and not one more', () => {
    const dates = (count: number) =>
      Array.from({ length: count }, (_, day) => ({
        date: new Date(Date.UTC(2027, 0, 1 + day)).toISOString().slice(0, 10),
        windows: [],
      }))
    expect(issuesOf({ overrides: dates(1_000) })).toEqual([])
    expect(issuesOf({ overrides: dates(1_001) })).toEqual(['overrides: Enter at most 1,000 items.'])
  })

  it('leaves days closed that are not named', () => {
    expect(
      CreateSchedule.parse(given({ weekly: { tue: [{ start: '09:00', end: '10:00' }] } })).weekly,
    ).toMatchObject({ mon: [], sun: [] })
  })
})
