import type { Schema } from '@atrium/testing/json-schema'
import fc from 'fast-check'

/** Texts that have broken parsers, queries, paths and templates elsewhere. */
export const hostileTexts = [
  ...[
    '',
    ' ',
    '\u0000',
    'a\u0000b',
    '\ud800',
    '\udfff\ud800',
    '\u202eabc',
    'e\u0301',
    'ﬀ',
    '𝒳',
    '\r\nx: y',
    '\t',
    '\u2028',
  ],
  ...[
    "' or 1=1 --",
    '"; drop table users; --',
    '$1',
    '%',
    '_',
    '\\',
    '{{7*7}}',
    '{% raw %}',
    '\u0024{7*7}',
    '<script>alert(1)</script>',
    '=1+1',
  ],
  ...[
    '../..',
    '..%2f..',
    'file:///etc/passwd',
    'javascript:alert(1)',
    '//evil.test',
    '__proto__',
    'constructor',
    'null',
    'undefined',
  ],
  ...[
    'a'.repeat(300),
    'a'.repeat(5_000),
    '٣',
    '1e400',
    '-0',
    '9007199254740993',
    '2026-02-30',
    '0000-00-00T00:00:00Z',
  ],
]

const plainTexts = fc.constantFrom(
  'acme',
  'Fresh',
  'a@b.test',
  '#1f6feb',
  '+49 30 1',
  'example.com',
  'DE',
  'eur',
  '2026-01',
)
const texts = fc.oneof(
  { arbitrary: plainTexts, weight: 4 },
  { arbitrary: fc.constantFrom(...hostileTexts), weight: 3 },
  { arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }), weight: 2 },
  { arbitrary: fc.string({ unit: 'binary', maxLength: 20 }), weight: 1 },
)

/** Anything that JSON can say, with keys that are special to JavaScript among the others. */
export const wild: fc.Arbitrary<unknown> = fc.oneof(
  texts,
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1e308,
    9_007_199_254_740_991,
    [],
    {},
    [[]],
    JSON.parse('{"__proto__":{"platformAdmin":true}}'),
  ),
)

/**
 * Values that fit the schema, values that just miss it, and now and then ones that have nothing to
 * do with it.
 */
export function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  return fc.oneof(
    { arbitrary: fitting(schema), weight: 10 },
    { arbitrary: nearMisses(schema), weight: 3 },
    { arbitrary: wild, weight: 1 },
  )
}

function fitting(schema: Schema): fc.Arbitrary<unknown> {
  const options = schema.anyOf ?? schema.oneOf
  if (options) return fc.oneof(...options.map(valuesOf))
  if (schema.allOf)
    return fc.tuple(...schema.allOf.map(fitting)).map((parts) => Object.assign({}, ...parts))
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if ('const' in schema) return fc.constant(schema.const)
  const type = Array.isArray(schema.type)
    ? fc.constantFrom(...schema.type)
    : fc.constant(schema.type)
  return type.chain((one) => ofType(one, schema))
}

function ofType(type: string | undefined, schema: Schema): fc.Arbitrary<unknown> {
  if (type === 'boolean') return fc.boolean()
  if (type === 'null') return fc.constant(null)
  if (type === 'integer') return fc.integer(bounds(schema))
  if (type === 'number')
    return fc.double({ ...bounds(schema), noNaN: true, noDefaultInfinity: true })
  if (type === 'array') {
    return fc.array(valuesOf(schema.items ?? {}), {
      minLength: schema.minItems ?? 0,
      maxLength: Math.min(schema.maxItems ?? 4, 4),
    })
  }
  if (type === 'object' || schema.properties) return objectsOf(schema)
  return type === 'string' ? textsOf(schema) : wild
}

function bounds({ minimum, maximum }: Schema): { min: number; max: number } {
  const min = Math.max(minimum ?? -1_000, -2_147_483_648)
  return { min, max: Math.max(min, Math.min(maximum ?? 1_000_000, 2_147_483_647)) }
}

function textsOf({ format, pattern, minLength = 0, maxLength = 40 }: Schema): fc.Arbitrary<string> {
  if (format === 'uuid') return fc.uuid()
  if (format === 'date-time')
    return fc
      .date({ min: new Date('1990-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
      .map((at) => at.toISOString())
  if (format === 'date')
    return fc
      .date({ min: new Date('1990-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
      .map((at) => at.toISOString().slice(0, 10))
  if (format === 'uri') return fc.webUrl()
  if (pattern !== undefined) return matching(pattern)
  const most = Math.max(minLength, Math.min(maxLength, 60))
  return fc.oneof(
    { arbitrary: texts, weight: 3 },
    { arbitrary: fc.string({ minLength, maxLength: most }), weight: 1 },
  )
}

/**
 * Patterns with parts that cannot be generated from fall back to any text: then it misses, which is
 * wanted as well.
 */
function matching(pattern: string): fc.Arbitrary<string> {
  try {
    return fc.stringMatching(new RegExp(pattern, 'u'))
  } catch {
    return texts
  }
}

function nearMisses(schema: Schema): fc.Arbitrary<unknown> {
  const misses: unknown[] = []
  if (schema.maximum !== undefined)
    misses.push(schema.maximum, schema.maximum + 1, schema.maximum + 0.5)
  if (schema.minimum !== undefined) misses.push(schema.minimum, schema.minimum - 1)
  if (schema.maxLength !== undefined && schema.maxLength < 20_000)
    misses.push('a'.repeat(schema.maxLength), 'ä'.repeat(schema.maxLength + 1))
  if (schema.maxItems !== undefined && schema.maxItems < 2_000)
    misses.push(Array.from({ length: schema.maxItems + 1 }, () => 'a'))
  if (schema.enum)
    misses.push(
      ...schema.enum.map((one) => (typeof one === 'string' ? one.toUpperCase() : String(one))),
    )
  if (schema.format === 'date-time')
    misses.push(
      '2026-02-30T00:00:00Z',
      '2026-01-01T24:00:00Z',
      '2026-01-01',
      '+275760-09-13T00:00:00Z',
    )
  if (schema.format === 'date') misses.push('2026-02-30', '2026-13-01', '9999-12-31', '0000-01-01')
  if (schema.format === 'uuid')
    misses.push(
      '00000000-0000-0000-0000-000000000000',
      'ffffffff-ffff-ffff-ffff-ffffffffffff',
      '0190a000',
    )
  return misses.length > 0 ? fc.constantFrom(...misses) : wild
}

/**
 * Objects with the required fields and some others; sometimes one is left out, sometimes there is
 * one more.
 */
export function objectsOf(schema: Schema): fc.Arbitrary<Record<string, unknown>> {
  const fields = Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, one]) => [name, valuesOf(one)]),
  )
  const required = (schema.required ?? []).filter((name) => name in fields)
  const further =
    typeof schema.additionalProperties === 'object' ? valuesOf(schema.additionalProperties) : wild
  return fc.oneof(
    { arbitrary: fc.record(fields, { requiredKeys: required }), weight: 8 },
    { arbitrary: fc.record(fields, { requiredKeys: [] }), weight: 1 },
    {
      arbitrary: fc
        .tuple(
          fc.record(fields, { requiredKeys: required }),
          fc.dictionary(fc.oneof(texts, fc.constantFrom('__proto__', 'id', 'tenantId')), further, {
            maxKeys: 2,
          }),
        )
        .map(([known, more]) => ({ ...more, ...known })),
      weight: 1,
    },
  )
}
