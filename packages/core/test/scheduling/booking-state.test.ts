import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  allowedActions,
  type BookingDeadlines,
  bookingActions,
  cancelUntil,
  hasExpired,
  isLive,
  nextSequence,
  rejectionOf,
  rescheduleUntil,
} from '../../src/scheduling/booking-state.ts'
import { bookingStatuses } from '../../src/scheduling/scheduling.ts'

const minute = 60_000
const booking = (fields: Partial<BookingDeadlines> = {}): BookingDeadlines => ({
  status: 'confirmed',
  start: 100 * minute,
  end: 130 * minute,
  approvalExpiresAt: null,
  noShow: false,
  cancelCutoffMinutes: 0,
  rescheduleCutoffMinutes: 0,
  offered: true,
  visitorMoves: 0,
  ...fields,
})
const pending = (fields: Partial<BookingDeadlines> = {}) =>
  booking({ status: 'pending', approvalExpiresAt: 80 * minute, ...fields })

describe('what may be done', () => {
  it.each([
    [
      'a request',
      pending(),
      0,
      ['cancel', 'reschedule'],
      ['confirm', 'decline', 'cancel', 'reschedule', 'new_link'],
    ],
    ['a request that nobody answered in time', pending(), 80, [], []],
    ['a request whose start is here', pending({ approvalExpiresAt: 500 * minute }), 100, [], []],
    [
      'a confirmed booking',
      booking(),
      0,
      ['cancel', 'reschedule'],
      ['cancel', 'reschedule', 'new_link'],
    ],
    ['a booking that runs', booking(), 110, [], ['cancel', 'reschedule', 'new_link']],
    ['a booking that is over', booking(), 130, [], ['no_show']],
    ['one that nobody came to', booking({ noShow: true }), 130, [], []],
    ['a cancelled one', booking({ status: 'cancelled' }), 0, [], []],
    ['a declined one', booking({ status: 'declined' }), 0, [], []],
    ['an expired one', booking({ status: 'expired' }), 0, [], []],
    [
      'one that is no longer on offer',
      booking({ offered: false }),
      0,
      ['cancel'],
      ['cancel', 'reschedule', 'new_link'],
    ],
  ] as const)('with %s', (_, one, at, byVisitor, byHost) => {
    expect(allowedActions('visitor', one, at * minute)).toEqual(byVisitor)
    expect(allowedActions('host', one, at * minute)).toEqual(byHost)
  })

  it('counts the last moment of a cut-off in, to the millisecond', () => {
    const one = booking({ cancelCutoffMinutes: 10, rescheduleCutoffMinutes: 20 })
    expect([cancelUntil(one), rescheduleUntil(one)]).toEqual([90 * minute, 80 * minute])
    expect(rejectionOf('cancel', 'visitor', one, 90 * minute)).toBeUndefined()
    expect(rejectionOf('cancel', 'visitor', one, 90 * minute + 1)).toBe('cutoff_passed')
    expect(rejectionOf('reschedule', 'visitor', one, 80 * minute)).toBeUndefined()
    expect(rejectionOf('reschedule', 'visitor', one, 80 * minute + 1)).toBe('cutoff_passed')
    expect(rejectionOf('cancel', 'host', one, 129 * minute)).toBeUndefined()
  })
})

it('lets a visitor move a booking five times, and its host always', () => {
  expect(rejectionOf('reschedule', 'visitor', booking({ visitorMoves: 4 }), 0)).toBeUndefined()
  expect(rejectionOf('reschedule', 'visitor', booking({ visitorMoves: 5 }), 0)).toBe(
    'limit_reached',
  )
  expect(allowedActions('visitor', booking({ visitorMoves: 5 }), 0)).toEqual(['cancel'])
  expect(rejectionOf('reschedule', 'host', booking({ visitorMoves: 9 }), 0)).toBeUndefined()
})

it('counts the sequence only from the first invitation on', () => {
  expect(nextSequence({ sequence: 0, invited: false })).toBe(0)
  expect(nextSequence({ sequence: 0, invited: true })).toBe(1)
  expect(nextSequence({ sequence: 6, invited: true })).toBe(7)
})

describe('laws', () => {
  const moments = fc.record({
    status: fc.constantFrom(...bookingStatuses),
    start: fc.integer({ min: 0, max: 1_000 }).map((value) => value * minute),
    end: fc.integer({ min: 1_001, max: 2_000 }).map((value) => value * minute),
    approvalExpiresAt: fc.option(fc.integer({ min: 0, max: 1_000 }).map((value) => value * minute)),
    noShow: fc.boolean(),
    cancelCutoffMinutes: fc.nat(500),
    rescheduleCutoffMinutes: fc.nat(500),
    offered: fc.boolean(),
    visitorMoves: fc.nat(6),
  })
  const now = fc.integer({ min: 0, max: 2_100 * minute })

  it('nothing is done to what has ended', () => {
    fc.assert(
      fc.property(moments, now, (one, at) => {
        if (one.status === 'pending' || one.status === 'confirmed') return
        for (const by of ['visitor', 'host'] as const)
          expect(allowedActions(by, one, at)).toEqual([])
      }),
    )
  })

  it('a visitor decides about nothing, and what is live can be cancelled by its host', () => {
    fc.assert(
      fc.property(moments, now, (one, at) => {
        for (const action of ['confirm', 'decline', 'no_show', 'new_link'] as const) {
          expect(rejectionOf(action, 'visitor', one, at)).toBe('invalid_state')
        }
        expect(rejectionOf('cancel', 'host', one, at) === undefined).toBe(isLive(one, at))
        if (hasExpired(one, at)) expect(isLive(one, at)).toBe(false)
      }),
    )
  })

  it('once rejected to a visitor for the time it stays rejected', () => {
    fc.assert(
      fc.property(moments, now, fc.nat(1_000 * minute), (one, at, later) => {
        for (const action of bookingActions) {
          if (action === 'no_show' || rejectionOf(action, 'visitor', one, at) === undefined)
            continue
          expect(rejectionOf(action, 'visitor', one, at + later)).toBeDefined()
        }
      }),
    )
  })
})
