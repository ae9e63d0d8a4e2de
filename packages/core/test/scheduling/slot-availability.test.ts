import { describe, expect, it } from 'vitest'
import { calendarRetryDelay } from '../../src/scheduling/scheduling.ts'
import { GetSlots, TakeSlotLock } from '../../src/scheduling/slot-availability.ts'

const id = '0195e6a0-0000-7000-8000-000000000001'

describe('a question for slots', () => {
  it.each([
    ['2027-06-04', true],
    ['2027-06-04T10:00:00Z', true],
    ['2027-06-04T12:00:00+02:00', true],
    ['2027-06-31', false],
    ['2027-06-04T10:00', false],
    ['tomorrow', false],
    ['', false],
  ])('begins and ends at a date or an instant: %j is taken: %s', (edge, taken) => {
    const question = { id, from: '2027-06-01', to: '2027-06-30', timeZone: 'Europe/Berlin' }
    expect(GetSlots.safeParse({ ...question, from: edge }).success).toBe(taken)
    expect(GetSlots.safeParse({ ...question, to: edge }).success).toBe(taken)
  })
})

describe('the start of a booking', () => {
  it.each([
    ['2027-06-04T10:00:00Z', true],
    ['2027-06-04T10:00:30Z', false],
    ['2027-06-04', false],
    ['1969-12-31T23:59:00Z', false],
    ['2200-01-01T00:00:00Z', true],
    ['2300-01-01T00:00:00Z', false],
  ])('is a whole minute that clocks are known for: %j is taken: %s', (start, taken) => {
    expect(TakeSlotLock.safeParse({ eventTypeId: id, start }).success).toBe(taken)
  })
})

it('writes a calendar again after growing waits, six times', () => {
  const waits = [1, 2, 3, 4, 5, 6].map((failures) => calendarRetryDelay(failures) ?? 0)
  expect(waits).toEqual(waits.toSorted((a, b) => a - b))
  expect(waits[0]).toBe(15)
  expect(calendarRetryDelay(7)).toBeUndefined()
})
