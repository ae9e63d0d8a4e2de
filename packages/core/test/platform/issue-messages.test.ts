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
    [z.string().min(1), '', 'This must not be empty.'],
    [z.string().min(3), 'ab', 'Enter at least 3 characters.'],
    [z.string().max(1), 'ab', 'Enter at most 1 character.'],
    [z.string().length(2), 'abc', 'Enter exactly 2 characters.'],
    [z.array(z.string()).min(1), [], 'This must not be empty.'],
    [z.array(z.string()).max(1), ['a', 'b'], 'Enter at most 1 item.'],
    [z.number().min(3), 2, 'This must be at least 3.'],
    [z.number().positive(), 0, 'This must be more than 0.'],
    [z.number().max(3), 4, 'This must be at most 3.'],
    [z.number().multipleOf(5), 4, 'This must be a multiple of 5.'],
    [z.uuid(), 'x', 'This is not a valid ID.'],
    [z.string().regex(/^a$/), 'x', 'This is not in the expected format.'],
    [z.string().startsWith('a'), 'x', 'This must start with “a”.'],
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
