import { afterEach, describe, expect, it, vi } from 'vitest'
import { localDate, weeksUntil } from '../src/scheduling/booking-times.ts'

afterEach(() => {
  vi.useRealTimers()
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
  ])('that takes place %i days from now at %s is the one that holds its date', (days, time, week) => {
    vi.useFakeTimers({ now: new Date(2026, 10, 22, 10) })
    const at = new Date(`${localDate(days)}T${time}`).toISOString()
    expect(weeksUntil(at)).toBe(week)
    if (days >= 0) {
      expect(localDate(days) >= localDate(7 * week)).toBe(true)
      expect(localDate(days) < localDate(7 * (week + 1))).toBe(true)
    }
  })
})
