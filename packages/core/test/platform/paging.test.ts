import { cutPage, pageLimit } from '@atrium/core/platform/paging'
import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'

describe('a page', () => {
  test.prop([fc.nat(60), fc.integer({ min: 1, max: 20 })])(
    'after page shows every row once and ends',
    (count, limit) => {
      const rows = Array.from({ length: count }, (_, n) => ({ id: String(n).padStart(3, '0') }))
      const seen: string[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const after: string = cursor
        const page = cutPage(
          rows.filter((row) => row.id > after || after === '').slice(0, limit + 1),
          limit,
        )
        expect(page.items.length).toBeLessThanOrEqual(limit)
        seen.push(...page.items.map(({ id }) => id))
        cursor = page.nextCursor
      }
      expect(seen).toEqual(rows.map(({ id }) => id))
    },
  )
  it('of nothing is empty and last', () => {
    expect(cutPage([], 5)).toEqual({ items: [], nextCursor: null })
  })
})

describe('the limit', () => {
  it('is 50 when absent and read from text', () => {
    expect(pageLimit.parse(undefined)).toBe(50)
    expect(pageLimit.parse('7')).toBe(7)
  })
  it.each([0, -1, 201, 1.5, 'x', '', '1e9', 'NaN', {}, []])('is refused: %j', (value) => {
    expect(pageLimit.safeParse(value).success).toBe(false)
  })
})
