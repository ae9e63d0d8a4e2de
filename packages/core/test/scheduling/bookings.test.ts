import { describe, expect, it } from 'vitest'
import {
  bookingStart,
  bookingStartPattern,
  CancelBooking,
  CreateBooking,
  ListBookings,
} from '../../src/scheduling/bookings.ts'
import { zodIssues } from '../zod-issues.ts'

const documented = new RegExp(bookingStartPattern, 'u')

describe('the start of a booking', () => {
  it.each([
    '2026-03-01T09:00:00Z',
    '2026-03-01T09:30:00.000Z',
    '2026-03-01T09:00:00+05:30',
    '1970-01-01T00:00:00Z',
    '2026-12-31T23:00:00Z',
    '2026-05-30T09:00:00Z',
    '2100-01-29T09:00:00-03:00',
    '2200-12-31T23:59:00Z',
  ])('may be %s', (start) => {
    expect(bookingStart.safeParse(start).success).toBe(true)
    expect(start).toMatch(documented)
  })

  it.each([
    ['2026-03-01T09:00:01Z', 'minute'],
    ['2026-03-01T09:00:00.001Z', 'minute'],
    ['1969-12-31T23:59:00Z', 'far'],
    ['2201-01-01T00:00:00Z', 'far'],
    ['2026-03-01T09:00', 'offset'],
  ])('may not be %s', (start, word) => {
    expect(start).not.toMatch(documented)
    const { error } = bookingStart.safeParse(start)
    expect(error?.issues).toMatchObject([{ message: expect.stringContaining(word) }])
  })
})

describe('a booking', () => {
  const attendee = { name: 'Vera Visitor', email: 'vera@example.com', timeZone: 'Europe/Berlin' }
  const requested = {
    eventTypeId: '01a1ffa0-915e-7644-aaf6-d11f66e35098',
    start: '2026-03-01T09:00:00Z',
    attendee,
  }
  const issuesOf = (fields: object) => zodIssues(CreateBooking, { ...requested, ...fields })

  it('has neither guests nor answers unless the visitor names some', () => {
    expect(CreateBooking.parse(requested)).toEqual({
      ...requested,
      attendee: { ...attendee, locale: 'en' },
      guests: [],
      answers: {},
    })
  })

  it.each(['de', 'de-AT', 'zh-Hant-TW', 'es-419'])('is in the language %s', (locale) => {
    expect(issuesOf({ attendee: { ...attendee, locale } })).toEqual([])
  })

  it.each(['', 'd', 'de_DE', 'deutsch-', '*', 'x'.repeat(36)])('is not in %j', (locale) => {
    const issues = issuesOf({ attendee: { ...attendee, locale } })
    expect(issues).not.toEqual([])
    for (const issue of issues) expect(issue).toMatch(/^attendee\.locale: /)
  })

  it('has each guest once', () => {
    const guests = ['a@example.com', 'b@example.com', 'A@example.com', 'b@example.com']
    expect(issuesOf({ guests: guests.slice(0, 2) })).toEqual([])
    expect(issuesOf({ guests })).toEqual([
      'guests.2: a@example.com is named twice.',
      'guests.3: b@example.com is named twice.',
    ])
  })

  it.each([
    ['x'.repeat(43), true],
    [`${'aZ9_-'.repeat(8)}abc`, true],
    ['x'.repeat(42), false],
    ['x'.repeat(44), false],
    [`${'x'.repeat(42)}=`, false],
    [`${'x'.repeat(43)}\n`, false],
  ])('holds its time with the token %j: %s', (lockToken, accepted) => {
    expect(issuesOf({ lockToken })).toHaveLength(accepted ? 0 : 1)
  })

  it('is cancelled by its hosts with a reason alone', () => {
    const path = { slug: 'acme', bookingId: requested.eventTypeId }
    expect(CancelBooking.safeParse({ ...path, reason: 'Ill' }).success).toBe(true)
    expect(CancelBooking.safeParse(path).success).toBe(false)
    expect(CancelBooking.safeParse({ ...path, reason: ' ' }).success).toBe(false)
  })
})

describe('the cursor of a list of bookings', () => {
  const id = '01a1ffa0-915e-7644-aaf6-d11f66e35098'
  const accepts = (cursor: string) => ListBookings.safeParse({ slug: 'acme', cursor }).success

  it.each([`0_${id}`, `${'9'.repeat(15)}_${id}`])('may be %s', (cursor) => {
    expect(accepts(cursor)).toBe(true)
  })
  it.each(['', id, `_${id}`, `-1_${id}`, `x_${id}`, `0_${id}x`, `${'9'.repeat(16)}_${id}`, '0_1'])(
    'may not be %j',
    (cursor) => {
      expect(accepts(cursor)).toBe(false)
    },
  )
})
