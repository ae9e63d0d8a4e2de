import { describe, expect, it } from 'vitest'
import { z } from 'zod'

const messagesOf = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value).error?.issues.map(({ message }) => message)

describe('the message of an issue', () => {
  it.each<[z.ZodType, unknown, string]>([
    [z.string(), undefined, 'This field is required.'],
    [z.enum(['a', 'b']), undefined, 'This field is required.'],
    [z.union([z.string(), z.number()]), undefined, 'This field is required.'],
    [z.string(), 7, 'This must be text.'],
    [z.number(), '7', 'This must be a number.'],
    [z.int(), 1.5, 'This must be a whole number.'],
    [z.boolean(), 'yes', 'This must be true or false.'],
    [z.array(z.string()), {}, 'This must be a list.'],
    [z.strictObject({}), [], 'This must be an object.'],
    [z.bigint(), 1, 'This must be a whole number.'],
    [z.tuple([z.string()]), 'a', 'This must be a list.'],
    [z.set(z.string()), [], 'This must be a list.'],
    [z.record(z.string(), z.string()), 'a', 'This must be an object.'],
    [z.map(z.string(), z.string()), {}, 'This must be an object.'],
    [z.date(), '2026-01-31', 'This must be a date.'],
    [z.null(), 0, 'This must be null.'],
    [z.symbol(), 'a', 'This value is not accepted.'],
    [z.string().min(1), '', 'This must not be empty.'],
    [z.string().min(3), 'ab', 'Enter at least 3 characters.'],
    [z.string().max(1), 'ab', 'Enter at most 1 character.'],
    [z.string().length(2), 'abc', 'Enter exactly 2 characters.'],
    [z.array(z.string()).min(1), [], 'This must not be empty.'],
    [z.array(z.string()).max(1), ['a', 'b'], 'Enter at most 1 item.'],
    [z.array(z.string()).min(2), ['a'], 'Enter at least 2 items.'],
    [z.array(z.string()).length(2), ['a'], 'Enter exactly 2 items.'],
    [z.array(z.string()).length(1), ['a', 'b'], 'Enter exactly 1 item.'],
    [z.string().length(1), '', 'Enter exactly 1 character.'],
    [z.set(z.string()).min(2), new Set(['a']), 'Enter at least 2 items.'],
    [z.set(z.string()).max(1), new Set(['a', 'b']), 'Enter at most 1 item.'],
    [z.map(z.string(), z.string()).min(1), new Map(), 'This must not be empty.'],
    [
      z.date().min(new Date('2026-01-31T00:00:00Z')),
      new Date(0),
      'This must be at least 2026-01-31T00:00:00.000Z.',
    ],
    [z.date().max(new Date(0)), new Date(1), 'This must be at most 1970-01-01T00:00:00.000Z.'],
    [z.bigint().min(3n), 2n, 'This must be at least 3.'],
    [z.number().lt(3), 3, 'This must be less than 3.'],
    [z.number().min(3), 2, 'This must be at least 3.'],
    [z.number().positive(), 0, 'This must be more than 0.'],
    [z.number().max(3), 4, 'This must be at most 3.'],
    [z.number().multipleOf(5), 4, 'This must be a multiple of 5.'],
    [z.uuid(), 'x', 'This is not a valid ID.'],
    [z.string().regex(/^a$/), 'x', 'This is not in the expected format.'],
    [z.string().startsWith('a'), 'x', 'This must start with “a”.'],
    [z.string().endsWith('a'), 'x', 'This must end with “a”.'],
    [z.string().includes('a'), 'x', 'This must contain “a”.'],
    [z.email(), 'x', 'This is not an e-mail address.'],
    [z.url(), 'x', 'This is not a URL.'],
    [z.iso.datetime(), 'x', 'This is not an ISO 8601 time.'],
    [z.iso.date(), 'x', 'This is not a date such as 2026-01-31.'],
    [z.iso.time(), 'x', 'This is not a time such as 09:30.'],
    [z.ipv4(), 'x', 'This is not an IPv4 address.'],
    [z.ipv6(), 'x', 'This is not an IPv6 address.'],
    [z.base64(), '?', 'This is not base64.'],
    [z.record(z.string().max(1), z.string()), { ab: 'x' }, 'This name is not accepted.'],
    [z.strictObject({}), { a: 1, b: 2 }, 'Unknown field: a, b.'],
    [z.enum(['a', 'b']), 'c', 'Use one of: a, b.'],
    [z.literal('a'), 'c', 'This must be a.'],
    [z.strictObject({}), { a: 1 }, 'Unknown field: a.'],
    [z.union([z.string(), z.number()]), true, 'This value is not accepted.'],
    [z.string().refine(() => false), 'x', 'This value is not accepted.'],
    [
      z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('a') }),
        z.object({ kind: z.literal('b') }),
      ]),
      { kind: 'c' },
      'Use one of: a, b.',
    ],
  ])('is plain English: %#', (schema, value, message) => {
    expect(messagesOf(schema, value)).toEqual([message])
  })

  it('does not list a hundred values', () => {
    const many = z.enum(Array.from({ length: 100 }, (_, at) => `value${at}`))
    expect(messagesOf(many, 'x')).toEqual(['This is not one of the accepted values.'])
    const few = z.enum(Array.from({ length: 20 }, (_, at) => `value${at}`))
    expect(messagesOf(few, 'x')).toEqual([expect.stringMatching(/^Use one of: value0, .*value19/)])
  })

  it('is the one that the schema gives, where it gives one', () => {
    expect(messagesOf(z.string('Write something.').min(3, 'Write more.'), 7)).toEqual([
      'Write something.',
    ])
    expect(messagesOf(z.string('Write something.').min(3, 'Write more.'), 'ab')).toEqual([
      'Write more.',
    ])
  })
})
