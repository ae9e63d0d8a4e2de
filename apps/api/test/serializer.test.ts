import superjson from 'superjson'
import { describe, expect, it } from 'vitest'
import { serializer } from '../src/transport/serializer.ts'

describe('what goes over the wire', () => {
  const plain = [null, true, 0, 1.5, '', 'text', [], {}, { a: [1, { b: null }] }, Object.assign(Object.create(null), { a: 1 })]
  it.each(plain)('is what superjson writes for the plain value %j', (value) => {
    expect(serializer.serialize(value)).toEqual(superjson.serialize(value))
  })

  const marked = [
    undefined,
    new Date(0),
    1n,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    -0,
    /x/,
    new Set([1]),
    new Map([[1, { a: undefined }]]),
    [undefined],
  ]
  it.each(marked)('comes back as it was: %s', (value) => {
    for (const nested of [value, { a: [value] }]) {
      const wire = JSON.parse(JSON.stringify(serializer.serialize(nested)))
      expect(superjson.deserialize(wire)).toEqual(nested)
      expect(serializer.deserialize(wire)).toEqual(nested)
    }
  })

  it('is refused with more marks than any input needs', () => {
    const marked = (count: number) => JSON.parse(JSON.stringify(superjson.serialize(Array.from({ length: count }, () => new Date(0)))))
    expect(serializer.deserialize(marked(900))).toHaveLength(900)
    expect(() => serializer.deserialize(marked(5_000))).toThrow('too many marks')
  })

  it('may be nested deeper than anybody writes by hand', () => {
    let deep: unknown = 1
    for (let i = 0; i < 200; i++) deep = { deep }
    expect(superjson.deserialize(serializer.serialize(deep) as Parameters<typeof superjson.deserialize>[0])).toEqual(deep)
  })
})
