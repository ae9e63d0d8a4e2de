import { carriedOut } from '@atrium/testing/carried-out'
import { expect, it } from 'vitest'
import { creating } from './creating-calls.ts'

it('knows every call that creates', () => {
  expect(creating.length).toBeGreaterThan(20)
  expect(creating.filter(({ name }) => carriedOut(name).length === 0)).toEqual([])
})
