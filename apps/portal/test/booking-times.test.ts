import { afterEach, describe, expect, it, vi } from 'vitest'
import { localDate, spansIn, weeksUntil } from '../src/scheduling/booking-times.ts'

afterEach(() => {
  vi.useRealTimers()
})

describe('the times of rows', () => {
  it('name the year only where it changes', () => {
    const row = (start: string, minutes: number) => ({
      start: new Date(start).toISOString(),
      end: new Date(Date.parse(start) + minutes * 60_000).toISOString(),
    })
    const rows = [
      row('2026-12-30T10:00', 30),
      row('2026-12-31T23:45', 30),
      row('2027-01-04T10:00', 30),
      row('2027-01-05T23:45', 30),
    ]
    const spans = spansIn(rows, new Date('2026-11-23T10:00'))
    expect(spans.map((span) => [...span.matchAll(/20\d\d/g)].map(([year]) => year))).toEqual([
      [],
      ['2026', '2027'],
      ['2027'],
      [],
    ])
    expect(spans[0]).toMatch(/30/)
    expect(spans[3]).toMatch(/6/)
    expect(spansIn(rows.slice(2), new Date('2027-01-02T10:00')).join()).not.toContain('2027')
  })
})

describe('the week of a booking that is to move', () => {
  it.each([
    [0, '12:00', 0],
    [6, '23:59', 0],
    [7, '00:00', 1],
    [7, '09:59', 1],
    [13, '10:01', 1],
    [206, '10:00', 29],
    [-20, '10:00', 0],
  ])(
    'that takes place %i days from now at %s is the one that holds its date',
    (days, time, week) => {
      vi.useFakeTimers({ now: new Date(2026, 10, 22, 10) })
      const at = new Date(`${localDate(days)}T${time}`).toISOString()
      expect(weeksUntil(at)).toBe(week)
      if (days >= 0) {
        expect(localDate(days) >= localDate(7 * week)).toBe(true)
        expect(localDate(days) < localDate(7 * (week + 1))).toBe(true)
      }
    },
  )
})
