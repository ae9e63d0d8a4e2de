import superjson from 'superjson'
import { describe, expect, it } from 'vitest'
import { serializer } from '../src/rpc/serializer.ts'

describe('what goes over the wire', () => {
  const plain = [
    null,
    true,
    0,
    1.5,
    '',
    'text',
    [],
    {},
    { a: [1, { b: null }] },
    Object.assign(Object.create(null), { a: 1 }),
  ]
  it.each(plain)('is what superjson writes for the plain value %j', (value) => {
    expect(serializer.serialize(value)).toEqual(superjson.serialize(value))
  })

  const marked = [
    undefined,
    new Date(0),
    1n,
    Number.NaN,
    -0,
    /x/,
    new Set([1]),
    new Map([[1, { a: undefined }]]),
    [undefined],
  ]
  it.each(marked)('is what superjson reads: %s', (value) => {
    for (const nested of [value, { a: [value] }]) {
      const wire = JSON.parse(JSON.stringify(serializer.serialize(nested)))
      expect(superjson.deserialize(wire)).toEqual(nested)
    }
  })
  it('may be nested deeper than any handwritten one', () => {
    let deep: unknown = 1
    for (let i = 0; i < 200; i++) deep = { deep }
    expect(
      superjson.deserialize(
        serializer.serialize(deep) as Parameters<typeof superjson.deserialize>[0],
      ),
    ).toEqual(deep)
  })
})

const wire = (value: unknown) => JSON.parse(JSON.stringify(superjson.serialize(value)))

describe('an input', () => {
  const accepted = [
    undefined,
    new Date(0),
    [undefined, new Date(1)],
    { a: { b: [{ c: undefined }] }, 'a.b\\c': undefined, '': { '': new Date(2) }, '.': undefined },
  ]
  it.each(accepted)('keeps undefined and dates: %j', (value) => {
    expect(serializer.deserialize(wire(value))).toEqual(value)
  })

  it('is rejected with more than 1,000 marks', () => {
    const dates = (count: number) => wire(Array.from({ length: count }, () => new Date(0)))
    expect(serializer.deserialize(dates(1_000))).toHaveLength(1_000)
    expect(() => serializer.deserialize(dates(1_001))).toThrow('too many type annotations')
  })

  const shared = {}
  const others: [string, unknown][] = [
    [
      'a typed array of a length',
      { json: { length: 20_000_000 }, meta: { values: [['typed-array', 'Uint8Array']] } },
    ],
    ['a set', wire(new Set([1]))],
    ['a map', wire(new Map([[1, 2]]))],
    ['a bigint', wire(1n)],
    ['a number', wire(Number.NaN)],
    ['a regular expression', wire(/x/)],
    ['an address', wire(new URL('http://a.test'))],
    ['an error', wire(new Error('x'))],
    ['a class', { json: {}, meta: { values: [['class', 'Error']] } }],
    ['a custom type', { json: {}, meta: { values: [['custom', 'x']] } }],
    ['a symbol', { json: 'x', meta: { values: [['symbol', 'x']] } }],
    ['the same object twice', wire({ a: shared, b: shared })],
    [
      'a mark with children',
      { json: { a: null }, meta: { values: ['undefined', { a: ['undefined'] }] } },
    ],
    ['a mark of nothing', { json: { a: 1 }, meta: { values: { b: ['undefined'] } } }],
    [
      'a path through a text',
      { json: { a: 'x' }, meta: { values: { 'a.length': ['undefined'] } } },
    ],
    [
      'a path to the prototype',
      { json: { a: {} }, meta: { values: { 'a.__proto__': ['undefined'] } } },
    ],
    [
      'a path through a constructor',
      { json: {}, meta: { values: { 'constructor.prototype.x': ['undefined'] } } },
    ],
    ['undefined in place of a value', { json: { a: 1 }, meta: { values: { a: ['undefined'] } } }],
    ['a date that is no text', { json: { a: {} }, meta: { values: { a: ['Date'] } } }],
    ['another version', { json: null, meta: { values: ['undefined'], v: 2 } }],
    ['marks that are a list of lists', { json: null, meta: { values: [[]] } }],
    ['meta that is null', { json: null, meta: null }],
    ['no json', {}],
    ['a text', 'x'],
    ['null', null],
  ]
  it.each(others)('is rejected with %s', (_, payload) => {
    const read = () => serializer.deserialize(payload)
    expect(read).toThrow(expect.objectContaining({ code: 'invalid_input' }))
  })
})
