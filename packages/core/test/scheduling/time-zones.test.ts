import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { timeZoneName } from '../../src/scheduling/scheduling.ts'
import {
  currentZoneName,
  dateOf,
  dayOf,
  isRepeatedTime,
  isSameTimeZone,
  isTimeZone,
  listTimeZones,
  localClock,
  monthOf,
  wallTimeOf,
  weekdayOf,
  weekOf,
  zoneSegments,
} from '../../src/scheduling/time-zones.ts'

const zones = [
  'UTC',
  'Europe/Paris',
  'America/New_York',
  'America/St_Johns',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Pacific/Apia',
  'America/Havana',
  'Africa/Casablanca',
  'Asia/Beirut',
  'Pacific/Chatham',
]
const zone = fc.constantFrom(...zones)
const instant = fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2039, 11, 31) })

describe('names', () => {
  test.each([...zones, 'europe/paris', 'Etc/GMT+5', 'EST5EDT'])('%s is a zone', (name) =>
    expect(isTimeZone(name)).toBe(true),
  )
  test.each([
    '+02:00',
    '-0500',
    'Europe/Atlantis',
    '',
    ' UTC',
    'Europe/Paris\n',
    '../etc/localtime',
    'GMT+2',
    'Europe/Paris;x',
    'Europe/',
    '/Paris',
    '5EST',
    'a'.repeat(65),
  ])('%j is none', (name) => expect(isTimeZone(name)).toBe(false))
  test.each([
    ['Europe/Kiev', 'Europe/Kyiv'],
    ['asia/calcutta', 'Asia/Kolkata'],
    ['Europe/Berlin', 'Europe/Berlin'],
    ['US/Pacific', 'US/Pacific'],
  ])('%s is called %s now', (name, current) => {
    expect(currentZoneName(name)).toBe(current)
    expect(isSameTimeZone(name, current)).toBe(true)
    expect(timeZoneName.parse(name)).toBe(current)
  })
  test('the list of zones has present names alone', () => {
    const zones = listTimeZones()
    expect(zones).toContain('Europe/Kyiv')
    expect(zones).toContain('UTC')
    for (const zone of zones) expect(currentZoneName(zone)).toBe(zone)
  })
  test('two names of one zone', () => {
    expect(isSameTimeZone('Asia/Calcutta', 'Asia/Kolkata')).toBe(true)
    expect(isSameTimeZone('Europe/Paris', 'Europe/Berlin')).toBe(false)
  })
})

describe('dates', () => {
  property.prop([fc.integer({ min: -30_000, max: 60_000 })])(
    'a day number and its date are one',
    (day) => {
      const date = Temporal.PlainDate.from('1970-01-01').add({ days: day })
      expect(dateOf(day)).toBe(date.toString())
      expect(dayOf(date.toString())).toBe(day)
      expect(weekdayOf(day)).toBe(date.dayOfWeek - 1)
      expect(monthOf(day) % 12).toBe(date.month - 1)
      expect(monthOf(day - date.day + 1 + date.daysInMonth)).toBe(monthOf(day) + 1)
      expect(monthOf(day - date.day + 1)).toBe(monthOf(day))
      expect(weekOf(day + 1) - weekOf(day)).toBe(date.dayOfWeek === 7 ? 1 : 0)
    },
  )
  test.each([
    ...['2027-02-29', '2027-13-01', '27-01-01', '2027-1-1', 'tomorrow', ''],
    ...['x2027-01-01', '2027-01-01x', '2027-01-01T00:00:00Z', '+002027-01-01'],
  ])('%j is no date', (text) => expect(() => dayOf(text)).toThrow(RangeError))
})

test.each([
  ['Europe/Paris', '2027-10-31T00:00:00Z', true],
  ['Europe/Paris', '2027-10-31T01:59:00Z', true],
  ['Europe/Paris', '2027-10-30T23:59:00Z', false],
  ['Europe/Paris', '2027-10-31T02:00:00Z', false],
  ['Australia/Lord_Howe', '2027-04-03T14:45:00Z', true],
  ['UTC', '2027-10-31T00:00:00Z', false],
])('whether the local time of %s at %s comes twice', (name, at, repeated) => {
  expect(isRepeatedTime(name, Date.parse(at))).toBe(repeated)
})

describe('the local clock', () => {
  property.prop([zone, instant])('shows what Temporal shows', (name, at) => {
    const clock = localClock(name, at, at)
    const wall = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(name)
    expect(dateOf(clock.dayAt(at))).toBe(wall.toPlainDate().toString())
    const minutes = wall.hour * 60 + wall.minute + (wall.second + wall.millisecond / 1000) / 60
    expect(clock.minutesAt(at)).toBeCloseTo(minutes, 6)
  })

  property.prop([zone, instant, fc.integer({ min: 0, max: 1439 })], { numRuns: 2_000 })(
    'finds the instant of a local time as Temporal does',
    (name, at, minutes) => {
      const clock = localClock(name, at, at)
      const day = Math.floor(at / 86_400_000)
      const wall = Temporal.PlainDate.from(dateOf(day)).toPlainDateTime({
        hour: Math.floor(minutes / 60),
        minute: minutes % 60,
      })
      expect(clock.instantOf(day, minutes)).toBe(
        wall.toZonedDateTime(name, { disambiguation: 'compatible' }).epochMilliseconds,
      )
    },
  )

  property.prop([zone, fc.array(fc.integer({ min: -250, max: 250 }), { maxLength: 20 })])(
    'shows the same in whatever order it is asked',
    (name, days) => {
      const middle = Date.UTC(2027, 5, 1)
      const clock = localClock(name, middle - 250 * 86_400_000, middle + 250 * 86_400_000)
      for (const day of days) {
        const at = middle + day * 86_400_000
        expect(clock.minutesAt(at)).toBe(localClock(name, at, at).minutesAt(at))
      }
    },
  )

  test.each([
    ['Europe/Paris', '2027-06-04T12:00:30Z', '2027-06-04T14:00'],
    ['Europe/Paris', '2026-12-31T23:05:00Z', '2027-01-01T00:05'],
    ['America/St_Johns', '2027-01-01T03:29:59Z', '2026-12-31T23:59'],
  ])('of %s at %s reads %s', (name, at, wall) => {
    expect(wallTimeOf(name, Date.parse(at))).toBe(wall)
  })

  test('knows three days more at both ends, across the turn of the year', () => {
    const [first, last] = [Date.UTC(2027, 0, 1), Date.UTC(2027, 11, 31)]
    const clock = localClock('UTC', first, last)
    expect(clock.dayAt(first - 3 * 86_400_000)).toBe(dayOf('2026-12-29'))
    expect(clock.dayAt(last + 3 * 86_400_000)).toBe(dayOf('2028-01-03'))
    expect(clock.instantOf(dayOf('2028-01-03'), 0)).toBe(Date.UTC(2028, 0, 3))
  })

  test.each([
    ['Europe/Paris', '2027-03-28', 140, '2027-03-28T01:20:00Z', 'in the gap'],
    ['Europe/Paris', '2027-10-31', 140, '2027-10-31T00:20:00Z', 'the first of two'],
    ['Australia/Lord_Howe', '2027-10-03', 135, '2027-10-02T15:45:00Z', 'a gap of half an hour'],
    ['Europe/Paris', '2027-12-31', 1440, '2027-12-31T23:00:00Z', 'the end of the year'],
  ])('%s %s minute %i is %s: %s', (name, date, minutes, expected) => {
    const at = Date.parse(expected)
    expect(localClock(name, at, at).instantOf(dayOf(date), minutes)).toBe(at)
  })

  test('a date that the zone left out', () => {
    const at = Date.parse('2011-12-30T12:00:00Z')
    const clock = localClock('Pacific/Apia', at, at)
    expect([29, 30, 31].map((day) => clock.hasDay(dayOf(`2011-12-${day}`)))).toEqual([
      true,
      false,
      true,
    ])
    expect(localClock('UTC', at, at).hasDay(dayOf('2011-12-30'))).toBe(true)
  })

  test('days whose midnight does not exist are days', () => {
    const at = Date.parse('2027-03-14T12:00:00Z')
    expect(localClock('America/Havana', at, at).hasDay(dayOf('2027-03-14'))).toBe(true)
  })

  test('outside of its range it rejects to guess', () => {
    const clock = localClock('UTC', 0, 0)
    expect(() => clock.dayAt(Date.UTC(1990, 0, 1))).toThrow(RangeError)
    expect(() => clock.instantOf(dayOf('1990-01-01'), 0)).toThrow(RangeError)
    expect(() => clock.dayAt(Date.UTC(1950, 0, 1))).toThrow(RangeError)
    expect(() => clock.instantOf(dayOf('1950-01-01'), 0)).toThrow(RangeError)
    expect(clock.dayAt(0)).toBe(0)
  })
})

describe('segments', () => {
  property.prop([zone, instant, fc.integer({ min: 0, max: 900 * 86_400_000 })])(
    'cover the range without gaps',
    (name, from, length) => {
      const segments = zoneSegments(name, from, from + length)
      expect(segments[0]?.from).toBeLessThanOrEqual(from)
      expect(segments.at(-1)?.to).toBeGreaterThan(from + length)
      for (const [index, segment] of segments.slice(1).entries()) {
        expect(segment.from).toBe(segments[index]?.to)
        expect(segment.offsetMs).not.toBe(segments[index]?.offsetMs)
      }
    },
  )
  test('a change at the turn of a year is recorded once', () => {
    const segments = zoneSegments('Pacific/Apia', Date.UTC(2011, 11, 1), Date.UTC(2012, 1, 1))
    expect(segments.map(({ from }) => new Date(from).toISOString())).toContain(
      '2011-12-30T10:00:00.000Z',
    )
    for (const [index, segment] of segments.slice(1).entries())
      expect(segment.from).toBe(segments[index]?.to)
  })
  test('no zone, no segments', () =>
    expect(() => zoneSegments('Europe/Atlantis', 0, 1)).toThrow(RangeError))
})
