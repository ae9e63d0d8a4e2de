import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isLive } from '../../src/scheduling/booking-state.ts'
import {
  type BookingCommand,
  type DecidedBooking,
  decideTransition,
} from '../../src/scheduling/booking-transitions.ts'
import { bookingParties, bookingStatuses } from '../../src/scheduling/scheduling.ts'

const minute = 60_000
const now = new Date(50 * minute)
const booking = (fields: Partial<DecidedBooking> = {}): DecidedBooking => ({
  status: 'confirmed',
  start: 100 * minute,
  end: 130 * minute,
  approvalExpiresAt: null,
  noShow: false,
  cancelCutoffMinutes: 0,
  rescheduleCutoffMinutes: 0,
  offered: true,
  visitorMoves: 0,
  sequence: 3,
  invited: true,
  visitorConfirmed: false,
  ...fields,
})
const request = (fields: Partial<DecidedBooking> = {}) =>
  booking({ status: 'pending', sequence: 0, invited: false, ...fields })

describe('a command', () => {
  it('confirms a request, which invites its visitor', () => {
    expect(decideTransition({ action: 'confirm' }, 'host', request(), now)).toEqual({
      outcome: 'changed',
      event: 'confirmed',
      patch: { status: 'confirmed', invited: true, confirmedAt: now },
      releasesTime: false,
    })
  })

  it('declines a request and releases its time, without a new sequence', () => {
    expect(
      decideTransition({ action: 'decline', reason: 'No time' }, 'host', request(), now),
    ).toEqual({
      outcome: 'changed',
      event: 'declined',
      patch: { status: 'declined', endedAt: now, endedBy: 'host', reason: 'No time' },
      releasesTime: true,
    })
  })

  it('cancels a booking and releases its time, once', () => {
    expect(decideTransition({ action: 'cancel' }, 'visitor', booking(), now)).toEqual({
      outcome: 'changed',
      event: 'cancelled',
      patch: {
        status: 'cancelled',
        sequence: 4,
        endedAt: now,
        endedBy: 'visitor',
        reason: null,
      },
      releasesTime: true,
    })
    const cancelled = booking({ status: 'cancelled' })
    expect(decideTransition({ action: 'cancel' }, 'visitor', cancelled, now)).toEqual({
      outcome: 'unchanged',
    })
  })

  it('moves a booking to another time, and leaves it at its own', () => {
    const move = { action: 'reschedule', start: 200 * minute, end: 230 * minute } as const
    expect(decideTransition(move, 'visitor', booking(), now)).toEqual({
      outcome: 'changed',
      event: 'rescheduled',
      patch: {
        sequence: 4,
        startAt: new Date(200 * minute),
        endAt: new Date(230 * minute),
      },
      releasesTime: false,
    })
    const there = booking({ start: move.start, end: move.end })
    expect(decideTransition(move, 'visitor', there, now)).toEqual({ outcome: 'unchanged' })
    expect(decideTransition(move, 'visitor', booking({ visitorMoves: 5 }), now)).toEqual({
      outcome: 'rejected',
      rejection: 'limit_reached',
    })
  })

  it('lets a request expire when its time is over, and not before', () => {
    const due = request({ approvalExpiresAt: now.getTime() })
    expect(decideTransition({ action: 'expire' }, 'system', due, now)).toEqual({
      outcome: 'changed',
      event: 'expired',
      patch: { status: 'expired', endedAt: now, endedBy: 'system' },
      releasesTime: true,
    })
    expect(decideTransition({ action: 'expire' }, 'system', request(), now)).toEqual({
      outcome: 'unchanged',
    })
  })

  it('marks a no-show after the end, once', () => {
    const mark = (fields: Partial<DecidedBooking>) =>
      decideTransition({ action: 'no_show' }, 'host', booking(fields), now)
    expect(mark({}).outcome).toBe('rejected')
    expect(mark({ noShow: true }).outcome).toBe('rejected')
    expect(mark({ end: now.getTime() })).toMatchObject({
      event: 'no_show',
      patch: { noShow: true },
    })
    expect(mark({ end: now.getTime(), noShow: true }).outcome).toBe('unchanged')
  })

  it('invites the guests of a booking that is not over, once', () => {
    const invite = (fields: Partial<DecidedBooking>) =>
      decideTransition({ action: 'invite_guests' }, 'visitor', booking(fields), now)
    expect(invite({})).toMatchObject({
      event: 'guests_invited',
      patch: { visitorConfirmedAt: now },
    })
    expect(invite({ visitorConfirmed: true }).outcome).toBe('unchanged')
    expect(invite({ end: now.getTime() }).outcome).toBe('rejected')
  })
})

describe('for every command', () => {
  const token = new Uint8Array([1])
  const commands = fc.constantFrom<BookingCommand>(
    { action: 'confirm' },
    { action: 'decline' },
    { action: 'cancel' },
    { action: 'expire' },
    { action: 'reschedule', start: 300 * minute, end: 330 * minute },
    { action: 'no_show' },
    { action: 'new_link', manageHash: token, manageSealed: token },
    { action: 'invite_guests' },
  )
  const bookings = fc.record({
    status: fc.constantFrom(...bookingStatuses),
    start: fc.integer({ min: 0, max: 100 }).map((value) => value * minute),
    end: fc.integer({ min: 101, max: 200 }).map((value) => value * minute),
    approvalExpiresAt: fc.option(fc.integer({ min: 0, max: 100 }).map((value) => value * minute)),
    noShow: fc.boolean(),
    cancelCutoffMinutes: fc.nat(50),
    rescheduleCutoffMinutes: fc.nat(50),
    offered: fc.boolean(),
    visitorMoves: fc.nat(6),
    sequence: fc.nat(9),
    invited: fc.boolean(),
    visitorConfirmed: fc.boolean(),
  })
  const moments = fc.integer({ min: 0, max: 210 }).map((value) => new Date(value * minute))

  it('a booking that ended stays as it is', () => {
    fc.assert(
      fc.property(commands, fc.constantFrom(...bookingParties), bookings, moments, (...given) => {
        const [command, by, one, at] = given
        if (one.status === 'pending' || one.status === 'confirmed') return
        expect(decideTransition(command, by, one, at).outcome).not.toBe('changed')
      }),
    )
  })

  it('time is released exactly where a booking ends, and the sequence never falls', () => {
    fc.assert(
      fc.property(commands, fc.constantFrom(...bookingParties), bookings, moments, (...given) => {
        const [command, by, one, at] = given
        const decision = decideTransition(command, by, one, at)
        if (decision.outcome !== 'changed') return
        const { patch, releasesTime } = decision
        expect(releasesTime).toBe(patch.endedAt !== undefined)
        expect(patch.sequence ?? one.sequence).toBeGreaterThanOrEqual(one.sequence)
        const after = { ...one, status: patch.status ?? one.status }
        if (releasesTime) expect(isLive(after, at.getTime())).toBe(false)
      }),
    )
  })
})
