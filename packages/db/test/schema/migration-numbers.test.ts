import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'

/** Applied in this order everywhere, so their names stay. */
const usedTwice = ['0015', '0018']

it('gives each migration a number of its own', async () => {
  const files = await readdir(join(import.meta.dirname, '../../src/migrations'))
  const numbers = files.map((file) => file.split('-')[0] ?? '')
  const repeated = numbers.filter((number, index) => numbers.indexOf(number) !== index)
  expect(numbers.every((number) => /^\d{4}$/.test(number))).toBe(true)
  expect(repeated.sort()).toEqual(usedTwice)
})
