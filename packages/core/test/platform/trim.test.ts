import { trim, trimEnd, trimStart } from '@atrium/core/platform/trim'
import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'

describe('trimmed text', () => {
  it.each([
    ['', ''],
    ['--', ''],
    ['-a-b-', 'a-b'],
    ['a', 'a'],
  ])('of %j is %j', (text, expected) => {
    expect(trim(text, /-/)).toBe(expected)
  })
  it('keeps the other end', () => {
    expect(trimStart('--a--', /-/)).toBe('a--')
    expect(trimEnd('--a--', /-/)).toBe('--a')
  })
  test.prop([fc.string({ unit: fc.constantFrom('-', ' ', 'a', '\u{1f600}'), maxLength: 30 })])(
    'is what an expression makes of it',
    (text) => {
      expect(trim(text, /[\s-]/)).toBe(text.replace(/^[\s-]+|[\s-]+$/g, ''))
    },
  )
})
