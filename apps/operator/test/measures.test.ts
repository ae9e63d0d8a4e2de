import { describe, expect, it } from 'vitest'
import { formatDuration, formatSize } from '../src/parts/measures.ts'

// The unit is "sec" or "secs", as the machine's kind of English has it.
describe('measures', () => {
  it.each([
    [0.42, /^0\.4 secs?$/],
    [119, /^119 secs?$/],
    [720, /^12 mins?$/],
    [10_800, /^3 hrs?$/],
  ])('writes %d seconds in one unit', (seconds, text) => {
    expect(formatDuration(seconds)).toMatch(text)
  })

  it.each([
    [0, '0 byte'],
    [812_000, '812 kB'],
    [1_440_000_000, '1.4 GB'],
    [3_000_000_000_000_000, '3,000 TB'],
  ])('writes %d bytes as %s', (bytes, text) => {
    expect(formatSize(bytes)).toBe(text)
  })
})
