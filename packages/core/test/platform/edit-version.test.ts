import { describe, expect, it } from 'vitest'
import { expectedVersion, namesAField } from '../../src/platform/edit-version.ts'

describe('the version that a change is based on', () => {
  it.each([undefined, 'W/"5d41402abc"', 'x'.repeat(100)])('may be %s', (version) => {
    expect(expectedVersion.safeParse(version).success).toBe(true)
  })
  it.each(['a b', 'a\n', 'é', 'x'.repeat(101), 7, null])('may not be %j', (version) => {
    expect(expectedVersion.safeParse(version).success).toBe(false)
  })
})

describe('a change', () => {
  it.each<[Record<string, unknown>, boolean]>([
    [{}, false],
    [{ slug: 'acme', expectedVersion: 'v1' }, false],
    [{ slug: 'acme', name: undefined }, false],
    [{ slug: 'acme', name: null }, true],
    [{ name: undefined, seats: 0 }, true],
  ])('of %j names a field: %s', (fields, names) => {
    expect(namesAField(fields)).toBe(names)
  })
})
