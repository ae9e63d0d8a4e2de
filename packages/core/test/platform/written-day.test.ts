import { expect, it } from 'vitest'
import { writtenDay, writtenMoment } from '../../src/platform/written-day.ts'

it('writes days and moments in UTC, in the language of the reader', () => {
  const at = new Date('2026-07-28T23:05:09Z')
  expect(writtenDay(at, 'en')).toBe('28 July 2026')
  expect(writtenDay(at, 'de')).toBe('28. Juli 2026')
  expect(writtenMoment(at, 'en')).toBe('28 July 2026 at 23:05 UTC')
  expect(writtenMoment(at, 'de')).toBe('28. Juli 2026 um 23:05 UTC')
})
