import fc from 'fast-check'
import { expect, it } from 'vitest'
import { joinSpans } from '../../src/scheduling/spans.ts'

const spans = fc.array(
  fc.record({ start: fc.integer({ min: -5, max: 45 }), end: fc.integer({ min: -5, max: 45 }) }),
  { maxLength: 12 },
)
const range = { start: 0, end: 40 }
const isIn = (instant: number, all: readonly { start: number; end: number }[]) =>
  all.some(({ start, end }) => instant >= start && instant < end)

it('covers the same moments of the range as the spans did, ascending, with a gap between any two', () => {
  fc.assert(
    fc.property(spans, (given) => {
      const joined = joinSpans(given, range)
      for (let instant = -6; instant < 46; instant++) {
        const inside = instant >= range.start && instant < range.end
        expect(isIn(instant, joined)).toBe(inside && isIn(instant, given))
      }
      for (const [index, span] of joined.entries()) {
        expect(span.end).toBeGreaterThan(span.start)
        const next = joined[index + 1]
        if (next) expect(next.start).toBeGreaterThan(span.end)
      }
    }),
  )
})

it('joins what touches and changes nothing that it was given', () => {
  const given = [
    { start: 10, end: 20 },
    { start: 0, end: 10 },
  ]
  expect(joinSpans(given, range)).toEqual([{ start: 0, end: 20 }])
  expect(given[1]).toEqual({ start: 0, end: 10 })
})
