import { expect, it } from 'vitest'
import { ownValue } from '../../src/platform/own-value.ts'

it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'absent'])(
  'a table has nothing under %s',
  (key) => {
    expect(ownValue({ known: 1 }, key)).toBeUndefined()
  },
)

it('returns what a table holds, under any name', () => {
  expect(ownValue({ known: 1 }, 'known')).toBe(1)
  expect(ownValue(JSON.parse('{"__proto__": 2}'), '__proto__')).toBe(2)
})
