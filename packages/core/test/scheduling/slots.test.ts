import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import {
  type DayWindow,
  findSlots,
  isOffered,
  type SlotQuestion,
  type SlotSettings,
  type Span,
} from '../../src/scheduling/slots.ts'
import { dayOf } from '../../src/scheduling/time-zones.ts'
import { slotsByTheBook, written } from './slots-oracle.ts'

const settings: SlotSettings = {
  eventTypeId: 'intro',
  durationMinutes: 60,
  stepMinutes: 60,
  noticeMinutes: 0,
  beforeMinutes: 0,
  afterMinutes: 0,
  bookingWindow: { kind: 'open' },
  limits: {},
  hostLimits: {},
  seats: 1,
}
const hours = (...texts: string[]): DayWindow[] =>
  texts.map((text) => {
    const [start, end] = text.split('-').map((time) => {
      const [hour, minute] = time.split(':').map(Number)
      return (hour ?? 0) * 60 + (minute ?? 0)
    })
    return { start: start ?? 0, end: end ?? 0 }
  })
const everyDay = (...texts: string[]) => Array.from({ length: 7 }, () => hours(...texts))
const span = (start: string, end: string): Span => ({
  start: Date.parse(start),
  end: Date.parse(end),
})

function question(
  over: Omit<Partial<SlotQuestion>, 'settings' | 'schedule'> & {
    settings?: Partial<SlotSettings>
    zone?: string
    weekly?: DayWindow[][]
    overrides?: Record<string, DayWindow[]>
  },
): SlotQuestion {
  const {
    zone = 'UTC',
    weekly = everyDay('09:00-17:00'),
    overrides = {},
    settings: some,
    ...rest
  } = over
  return {
    schedule: {
      zone,
      weekly,
      overrides: new Map(
        Object.entries(overrides).map(([date, windows]) => [dayOf(date), windows]),
      ),
    },
    settings: { ...settings, ...some },
    busy: [],
    bookings: [],
    locks: [],
    now: Date.parse('2027-01-01T00:00:00Z'),
    range: span('2027-06-07T00:00:00Z', '2027-06-08T00:00:00Z'),
    ...rest,
  }
}
const starts = (asked: SlotQuestion) =>
  findSlots(asked).map(({ start }) => new Date(start).toISOString().replace(':00.000Z', 'Z'))
const times = (asked: SlotQuestion) => starts(asked).map((start) => start.slice(11, 16))

describe('clock changes', () => {
  const spring = span('2027-03-27T23:00:00Z', '2027-03-28T22:00:00Z')
  const autumn = span('2027-10-30T22:00:00Z', '2027-10-31T23:00:00Z')
  const twenty = { durationMinutes: 20, stepMinutes: 20 }
  test.each([
    [
      'an hour is missing',
      spring,
      '01:00-05:00',
      {},
      ['2027-03-28T00:00Z', '2027-03-28T01:00Z', '2027-03-28T02:00Z'],
    ],
    [
      'an hour comes twice',
      autumn,
      '01:00-05:00',
      {},
      [
        '2027-10-30T23:00Z',
        '2027-10-31T00:00Z',
        '2027-10-31T01:00Z',
        '2027-10-31T02:00Z',
        '2027-10-31T03:00Z',
      ],
    ],
    [
      'a window begins in the gap',
      spring,
      '02:20-04:00',
      twenty,
      ['2027-03-28T01:20Z', '2027-03-28T01:40Z'],
    ],
    ['a window vanishes in the gap', spring, '02:15-03:15', twenty, []],
    [
      'a window ends in the hour that comes twice',
      autumn,
      '01:40-02:20',
      twenty,
      ['2027-10-30T23:40Z', '2027-10-31T00:00Z'],
    ],
  ])('Paris: %s', (_name, range, window, some, expected) => {
    expect(
      starts(question({ zone: 'Europe/Paris', weekly: everyDay(window), range, settings: some })),
    ).toEqual(expected)
  })
})

describe('midnight', () => {
  const friday = {
    zone: 'America/Chicago',
    weekly: [[], [], [], [], hours('21:00-02:00'), [], []],
    range: span('2027-06-04T12:00:00Z', '2027-06-06T12:00:00Z'),
  }
  test('a window belongs to the weekday on which it begins', () => {
    expect(starts(question(friday))).toEqual([
      '2027-06-05T02:00Z',
      '2027-06-05T03:00Z',
      '2027-06-05T04:00Z',
      '2027-06-05T05:00Z',
      '2027-06-05T06:00Z',
    ])
  })
  test('an override cuts what the night before spills into its date', () => {
    expect(
      starts(question({ ...friday, overrides: { '2027-06-05': hours('12:00-13:00') } })),
    ).toEqual(['2027-06-05T02:00Z', '2027-06-05T03:00Z', '2027-06-05T04:00Z', '2027-06-05T17:00Z'])
  })
  test('a slot crosses from one date into the next where both are open', () => {
    const asked = question({
      weekly: everyDay('00:00-01:00', '23:00-24:00'),
      settings: { durationMinutes: 120, stepMinutes: 60 },
      range: span('2027-06-07T00:00:00Z', '2027-06-09T00:00:00Z'),
    })
    expect(starts(asked)).toEqual(['2027-06-07T23:00Z', '2027-06-08T23:00Z'])
  })
  test('the same time twice is 24 hours', () => {
    expect(findSlots(question({ weekly: everyDay('08:00-08:00') }))).toHaveLength(24)
  })
  test('a date that the zone left out has no slots, whatever its override says', () => {
    const asked = question({
      zone: 'Pacific/Apia',
      weekly: everyDay('09:00-10:00'),
      overrides: { '2011-12-30': hours('00:00-24:00') },
      now: 0,
      range: span('2011-12-29T00:00:00Z', '2012-01-01T00:00:00Z'),
    })
    expect(starts(asked)).toEqual(['2011-12-29T19:00Z', '2011-12-30T19:00Z', '2011-12-31T19:00Z'])
  })
  test('a night reaches over a date that the zone left out', () => {
    const asked = question({
      zone: 'Pacific/Apia',
      weekly: everyDay(),
      overrides: { '2011-12-29': hours('22:00-02:00') },
      now: 0,
      range: span('2011-12-30T10:00:00Z', '2011-12-31T00:00:00Z'),
    })
    expect(starts(asked)).toEqual(['2011-12-30T10:00Z', '2011-12-30T11:00Z'])
  })
})

describe('the grid', () => {
  test('begins with the window, not with the clock', () => {
    expect(
      times(
        question({
          weekly: everyDay('09:10-11:00'),
          settings: { durationMinutes: 45, stepMinutes: 20 },
        }),
      ),
    ).toEqual(['09:10', '09:30', '09:50', '10:10'])
  })
  test('is not moved by what is busy, by now, or by the range', () => {
    const busy = [span('2027-06-07T09:00:00Z', '2027-06-07T09:25:00Z')]
    const asked = {
      busy,
      weekly: everyDay('09:00-12:00'),
      settings: { durationMinutes: 30, stepMinutes: 30 },
    }
    expect(times(question({ ...asked, now: Date.parse('2027-06-07T09:40:00Z') }))).toEqual([
      '10:00',
      '10:30',
      '11:00',
      '11:30',
    ])
    expect(
      times(question({ ...asked, range: span('2027-06-07T10:10:00Z', '2027-06-07T11:10:00Z') })),
    ).toEqual(['10:30', '11:00'])
  })
  test('windows of one date that touch are one', () => {
    expect(times(question({ weekly: everyDay('09:00-10:30', '10:30-12:00') }))).toEqual([
      '09:00',
      '10:00',
      '11:00',
    ])
  })
})

describe('notice, booking window and limits', () => {
  test('notice counts to the millisecond, with equality', () => {
    const now = Date.parse('2027-06-07T09:00:00Z')
    expect(times(question({ now, settings: { noticeMinutes: 120 } }))[0]).toBe('11:00')
    expect(times(question({ now: now + 1, settings: { noticeMinutes: 120 } }))[0]).toBe('12:00')
  })
  test('rolling days are counted in the zone of the schedule', () => {
    const asked = {
      zone: 'Pacific/Auckland',
      weekly: everyDay('09:00-10:00'),
      range: span('2027-06-01T00:00:00Z', '2027-06-20T00:00:00Z'),
    }
    const now = Date.parse('2027-06-06T20:00:00Z')
    expect(
      starts(
        question({ ...asked, now, settings: { bookingWindow: { kind: 'rolling', days: 1 } } }),
      ),
    ).toEqual(['2027-06-06T21:00Z', '2027-06-07T21:00Z'])
  })
  const booked = (start: string, eventTypeId = 'intro') => {
    const at = Date.parse(start)
    return {
      eventTypeId,
      start: at,
      end: at + 3_600_000,
      claimStart: at,
      claimEnd: at + 3_600_000,
      seatsTaken: 1,
    }
  }
  test('a full day, week or month is closed, however short the range', () => {
    const bookings = [booked('2027-06-01T09:00:00Z'), booked('2027-06-02T09:00:00Z')]
    expect(findSlots(question({ bookings, settings: { limits: { month: 2 } } }))).toEqual([])
    expect(findSlots(question({ bookings, settings: { limits: { week: 2 } } }))).toHaveLength(8)
    expect(
      findSlots(
        question({ bookings: [booked('2027-06-07T09:00:00Z')], settings: { limits: { day: 1 } } }),
      ),
    ).toEqual([])
  })
  test("a host's limit counts every type, a type's own only its own", () => {
    const bookings = [booked('2027-06-07T09:00:00Z', 'other')]
    expect(findSlots(question({ bookings, settings: { limits: { day: 1 } } }))).toHaveLength(7)
    expect(findSlots(question({ bookings, settings: { hostLimits: { day: 1 } } }))).toEqual([])
  })
})

describe('limits and shared starts', () => {
  const nine = Date.parse('2027-06-07T09:00:00Z')
  const visitors = (count: number, eventTypeId = 'intro') =>
    Array.from({ length: count }, () => ({
      eventTypeId,
      start: nine,
      end: nine + 3_600_000,
      claimStart: nine,
      claimEnd: nine + 3_600_000,
      seatsTaken: 1,
    }))
  test.each([
    ['the event type', { limits: { day: 1 } }],
    ['the host', { hostLimits: { week: 1 } }],
  ])(
    'a limit of %s closes other starts, and leaves the places of the shared one',
    (_name, limit) => {
      const slots = findSlots(question({ bookings: visitors(2), settings: { seats: 6, ...limit } }))
      expect(slots).toEqual([{ start: nine, end: nine + 3_600_000, seatsLeft: 4 }])
    },
  )
  test('a shared start counts once for every caller', () => {
    const settings = { seats: 6, limits: { day: 2 }, hostLimits: { day: 2 } }
    expect(findSlots(question({ bookings: visitors(5), settings }))).toHaveLength(8)
    expect(
      findSlots(question({ bookings: visitors(5, 'class'), settings: { hostLimits: { day: 2 } } })),
    ).toHaveLength(7)
    expect(
      findSlots(question({ bookings: visitors(5, 'class'), settings: { hostLimits: { day: 1 } } })),
    ).toEqual([])
  })
})

describe('conflicts', () => {
  test('what touches does not overlap, and what has no length is nothing', () => {
    const busy = [
      span('2027-06-07T10:00:00Z', '2027-06-07T11:00:00Z'),
      span('2027-06-07T13:30:00Z', '2027-06-07T13:30:00Z'),
      span('2027-06-07T15:00:00Z', '2027-06-07T14:00:00Z'),
    ]
    expect(times(question({ busy }))).toEqual([
      '09:00',
      '11:00',
      '12:00',
      '13:00',
      '14:00',
      '15:00',
      '16:00',
    ])
  })
  test('buffers of two bookings add up, and reach outside of the hours', () => {
    const at = Date.parse('2027-06-07T12:00:00Z')
    const bookings = [
      {
        eventTypeId: 'other',
        start: at,
        end: at + 1_800_000,
        claimStart: at - 900_000,
        claimEnd: at + 2_700_000,
        seatsTaken: 1,
      },
    ]
    const some = { durationMinutes: 30, stepMinutes: 15, beforeMinutes: 15, afterMinutes: 15 }
    const offered = times(question({ bookings, settings: some }))
    expect(offered).toContain('09:00')
    expect(offered).toContain('11:00')
    expect(offered).not.toContain('11:15')
    expect(offered).not.toContain('12:45')
    expect(offered).toContain('13:00')
    const early = [span('2027-06-07T08:30:00Z', '2027-06-07T08:50:00Z')]
    expect(times(question({ busy: early, settings: some }))[0]).toBe('09:15')
  })
  test('locks of others block', () => {
    expect(
      times(question({ locks: [span('2027-06-07T09:30:00Z', '2027-06-07T10:00:00Z')] }))[0],
    ).toBe('10:00')
  })
  test('seats are left until they are taken, for the same start only', () => {
    const at = Date.parse('2027-06-07T10:00:00Z')
    const taken = (seatsTaken: number) => [
      {
        eventTypeId: 'intro',
        start: at,
        end: at + 3_600_000,
        claimStart: at,
        claimEnd: at + 3_600_000,
        seatsTaken,
      },
    ]
    const some = { seats: 3, stepMinutes: 30 }
    const slots = findSlots(question({ bookings: taken(2), settings: some }))
    expect(slots.find(({ start }) => start === at)?.seatsLeft).toBe(1)
    expect(slots.some(({ start }) => start === at + 1_800_000)).toBe(false)
    expect(
      findSlots(question({ bookings: taken(3), settings: some })).some(({ start }) => start === at),
    ).toBe(false)
  })
})

test('a range that ends before it begins is a mistake of the caller', () => {
  expect(() => findSlots(question({ range: { start: 10, end: 0 } }))).toThrow(RangeError)
})

const zones = [
  'UTC',
  'Europe/Paris',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Pacific/Apia',
  'America/Havana',
  'Africa/Casablanca',
]
const quarter = 15
const window = fc
  .record({ start: fc.integer({ min: 0, max: 95 }), end: fc.integer({ min: 0, max: 96 }) })
  .map(({ start, end }) => ({ start: start * quarter, end: end * quarter }))
/** Near the changes of clocks of both hemispheres, and where Samoa left a day out. */
const anchor = fc
  .constantFrom(
    '2027-03-28',
    '2027-10-31',
    '2027-03-14',
    '2027-10-03',
    '2027-04-04',
    '2011-12-30',
    '2027-12-31',
  )
  .map((date) => Date.parse(date))
const anyQuestion: fc.Arbitrary<SlotQuestion> = anchor.chain((around) => {
  const near = fc
    .integer({ min: -3 * 96, max: 3 * 96 })
    .map((quarters) => around + quarters * quarter * 60_000)
  const anySpan = fc
    .record({ at: near, quarters: fc.integer({ min: -1, max: 16 }) })
    .map(({ at, quarters }) => ({ start: at, end: at + quarters * 900_000 }))
  const booking = fc
    .record({
      at: near,
      quarters: fc.integer({ min: 1, max: 8 }),
      type: fc.constantFrom('intro', 'other'),
      buffers: fc.tuple(fc.constantFrom(0, 15, 30), fc.constantFrom(0, 15, 45)),
      seatsTaken: fc.integer({ min: 1, max: 3 }),
    })
    .map(({ at, quarters, type, buffers, seatsTaken }) => ({
      eventTypeId: type,
      start: at,
      end: at + quarters * 900_000,
      claimStart: at - buffers[0] * 60_000,
      claimEnd: at + quarters * 900_000 + buffers[1] * 60_000,
      seatsTaken,
    }))
  const limits = fc.record({
    day: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
    week: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
    month: fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined }),
  })
  return fc
    .record({
      zone: fc.constantFrom(...zones),
      weekly: fc.array(fc.array(window, { maxLength: 3 }), { minLength: 7, maxLength: 7 }),
      overrides: fc.array(
        fc.tuple(fc.integer({ min: -3, max: 3 }), fc.array(window, { maxLength: 2 })),
        { maxLength: 2 },
      ),
      settings: fc.record({
        durationMinutes: fc.constantFrom(15, 30, 45, 60, 240, 1440),
        stepMinutes: fc.constantFrom(10, 15, 20, 30, 60),
        noticeMinutes: fc.constantFrom(0, 60, 1440),
        beforeMinutes: fc.constantFrom(0, 15, 60),
        afterMinutes: fc.constantFrom(0, 30),
        bookingWindow: fc.oneof(
          fc.constant({ kind: 'open' as const }),
          fc.integer({ min: 0, max: 5 }).map((days) => ({ kind: 'rolling' as const, days })),
          fc
            .tuple(fc.integer({ min: -3, max: 0 }), fc.integer({ min: 0, max: 3 }))
            .map(([from, to]) => ({
              kind: 'fixed' as const,
              from: around / 86_400_000 + from,
              to: around / 86_400_000 + to,
            })),
        ),
        limits,
        hostLimits: limits,
        seats: fc.constantFrom(1, 1, 2),
      }),
      busy: fc.array(anySpan, { maxLength: 6 }),
      bookings: fc.array(booking, { maxLength: 6 }),
      locks: fc.array(anySpan, { maxLength: 2 }),
      now: near,
      from: near,
      days: fc.integer({ min: 0, max: 4 }),
    })
    .map(({ zone, weekly, overrides, settings: some, from, days, ...rest }) => ({
      schedule: {
        zone,
        weekly,
        overrides: new Map(
          overrides.map(([offset, windows]) => [around / 86_400_000 + offset, windows]),
        ),
      },
      settings: { eventTypeId: 'intro', ...some },
      range: { start: from, end: from + days * 86_400_000 },
      ...rest,
    }))
})

describe('laws', () => {
  property.prop([anyQuestion], { numRuns: 250 })(
    'the rules, done slowly one by one, give the same',
    (asked) => {
      expect(written(findSlots(asked))).toEqual(written(slotsByTheBook(asked)))
    },
  )
  property.prop([anyQuestion, fc.integer({ min: -40, max: 300 }), fc.integer({ min: 1, max: 60 })])(
    'more busy time never adds a slot',
    (asked, offset, length) => {
      const start = asked.range.start + offset * 900_000
      const fewer = findSlots({
        ...asked,
        busy: [...asked.busy, { start, end: start + length * 60_000 }],
      })
      const before = new Map(findSlots(asked).map((slot) => [slot.start, slot.seatsLeft]))
      for (const slot of fewer) expect(before.get(slot.start)).toBe(slot.seatsLeft)
    },
  )
  property.prop([anyQuestion, fc.integer({ min: 0, max: 100 })])(
    'two halves of a range offer what the whole does',
    (asked, percent) => {
      const { start, end } = asked.range
      const middle = start + Math.round(((end - start) * percent) / 100)
      const halves = [
        ...findSlots({ ...asked, range: { start, end: middle } }),
        ...findSlots({ ...asked, range: { start: middle, end } }),
      ]
      expect(halves).toEqual(findSlots(asked))
    },
  )
  property.prop([anyQuestion])('what is listed can be booked, and nothing between', (asked) => {
    const slots = findSlots(asked)
    for (const { start } of slots.slice(0, 5)) {
      expect(isOffered(asked, start)).toBe(true)
      expect(isOffered(asked, start + 1)).toBe(false)
    }
  })
})
