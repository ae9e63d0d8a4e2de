import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { afterAnchor, periodEnd } from '../src/payments/periods.ts'
import { prorate } from '../src/payments/proration.ts'

const day = 86_400

describe('proration', () => {
  it.each([
    ['10 to 14 seats at 8.00, 10 of 30 days left', 8_000, 11_200, 30, 20, -2_667, 3_733],
    ['5.00 to 20.00 after 1 of 30 days', 500, 2_000, 30, 1, -483, 1_933],
    ['to nothing', 1_000, 0, 30, 15, -500, 0],
    ['from nothing', 0, 1_000, 30, 15, 0, 500],
    ['at the first second', 800, 1_600, 30, 0, -800, 1_600],
    ['at the last one', 800, 1_600, 30, 30, 0, 0],
  ])('%s', (_case, before, after, days, passed, credit, charge) => {
    expect(
      prorate({ before, after, periodStart: 0, periodEnd: days * day, at: passed * day }),
    ).toEqual({ credit, charge })
  })

  it('never gives more back than was paid, nor charges more than the whole period', () => {
    const amount = fc.integer({ min: 0, max: 1_000_000_000 })
    fc.assert(
      fc.property(
        amount,
        amount,
        fc.integer({ min: 1, max: 400 * day }),
        fc.integer({ min: -day, max: 500 * day }),
        (before, after, length, at) => {
          const { credit, charge } = prorate({
            before,
            after,
            periodStart: 0,
            periodEnd: length,
            at,
          })
          expect(-credit).toBeGreaterThanOrEqual(0)
          expect(-credit).toBeLessThanOrEqual(before)
          expect(charge).toBeGreaterThanOrEqual(0)
          expect(charge).toBeLessThanOrEqual(after)
          expect(prorate({ before, after: before, periodStart: 0, periodEnd: length, at })).toEqual(
            { credit, charge: 0 - credit },
          )
        },
      ),
    )
  })
})

describe('periods', () => {
  const at = (iso: string) => Date.parse(iso) / 1000

  it('keep the day of their anchor and take the last one where a month has none', () => {
    const anchor = at('2026-01-31T12:00:00Z')
    const ends = [1, 2, 3, 13].map((count) =>
      new Date(afterAnchor(anchor, 'month', count) * 1000).toISOString().slice(0, 10),
    )
    expect(ends).toEqual(['2026-02-28', '2026-03-31', '2026-04-30', '2027-02-28'])
    expect(
      new Date(afterAnchor(at('2028-02-29T00:00:00Z'), 'year', 1) * 1000)
        .toISOString()
        .slice(0, 10),
    ).toBe('2029-02-28')
  })

  it('follow one another without gap', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: at('2020-01-01'), max: at('2030-01-01') }),
        fc.constantFrom('month', 'year'),
        (anchor, interval) => {
          let from = anchor
          for (let count = 1; count <= 15; count += 1) {
            const end = periodEnd(anchor, interval, from)
            expect(end).toBe(afterAnchor(anchor, interval, count))
            expect(end).toBeGreaterThan(from)
            from = end
          }
        },
      ),
    )
  })
})
