import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, test } from 'vitest'
import { explainStart, explanationRules } from '../../src/scheduling/slot-explanation.ts'
import { isOffered, type SlotQuestion, type TakenSlot } from '../../src/scheduling/slots.ts'

const minute = 60_000
const midnight = Date.parse('2027-06-07T00:00:00Z')
const at = (hours: number) => midnight + hours * 60 * minute
const span = fc
  .tuple(fc.integer({ min: -10, max: 60 }), fc.integer({ min: 1, max: 8 }))
  .map(([half, length]) => ({ start: at(half / 2), end: at((half + length) / 2) }))
const taken = fc
  .record({
    half: fc.integer({ min: -10, max: 60 }),
    seats: fc.integer({ min: 1, max: 2 }),
    own: fc.boolean(),
  })
  .map(
    ({ half, seats, own }): TakenSlot => ({
      eventTypeId: own ? 'intro' : 'other',
      start: at(half / 2),
      end: at(half / 2 + 1),
      claimStart: at(half / 2),
      claimEnd: at(half / 2 + 1),
      seatsTaken: seats,
    }),
  )
const limit = fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined })
const questions = fc
  .record({
    busy: fc.array(span, { maxLength: 3 }),
    locks: fc.array(span, { maxLength: 2 }),
    held: fc.array(taken, { maxLength: 2 }),
    bookings: fc.array(taken, { maxLength: 4 }),
    window: fc.constantFrom({ kind: 'open' as const }, { kind: 'rolling' as const, days: 0 }),
    seats: fc.constantFrom(1, 3),
    notice: fc.constantFrom(0, 600),
    buffer: fc.constantFrom(0, 15),
    day: limit,
    hostDay: limit,
    zone: fc.constantFrom('UTC', 'America/New_York'),
  })
  .map(
    ({
      busy,
      locks,
      held,
      bookings,
      window,
      seats,
      notice,
      buffer,
      day,
      hostDay,
      zone,
    }): Omit<SlotQuestion, 'range'> => ({
      schedule: {
        zone,
        weekly: Array.from({ length: 7 }, () => [{ start: 480, end: 1_080 }]),
        overrides: new Map(),
      },
      settings: {
        eventTypeId: 'intro',
        durationMinutes: 60,
        stepMinutes: 30,
        noticeMinutes: notice,
        beforeMinutes: buffer,
        afterMinutes: buffer,
        bookingWindow: window,
        limits: { day },
        hostLimits: { day: hostDay },
        seats,
      },
      busy,
      locks,
      held,
      bookings,
      now: at(0),
    }),
  )

describe('the reasons for a start', () => {
  property.prop([questions, fc.integer({ min: -4, max: 120 })], { numRuns: 2_000 })(
    'all hold exactly when it is on offer',
    (question, quarter) => {
      const start = at(quarter / 4)
      const { rules } = explainStart(question, start)
      expect(rules.map(({ rule }) => rule)).toEqual(explanationRules)
      expect(rules.every(({ passed }) => passed)).toBe(isOffered(question, start))
    },
  )

  test.each([
    ['UTC', '2027-06-07'],
    ['America/New_York', '2027-06-06'],
  ])('are about the date that the start has in %s', (zone, date) => {
    const [question] = fc.sample(questions, { numRuns: 1, seed: 1 })
    if (!question) throw new Error('no question')
    const schedule = { ...question.schedule, zone }
    expect(explainStart({ ...question, schedule }, at(1)).date).toBe(date)
  })
})
