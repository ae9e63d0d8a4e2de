import { z } from 'zod'

type RawIssue = Parameters<NonNullable<ReturnType<typeof z.config>['customError']>>[0]

/** What a message names, besides its words. */
export interface IssueValues {
  /** Of characters or items. */
  count: number
  /** A limit, a value, a part of a text, or a list of names. */
  value: string
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`

const english = {
  required: () => 'This field is required.',
  empty: () => 'This must not be empty.',
  notAccepted: () => 'This value is not accepted.',
  nameNotAccepted: () => 'This name is not accepted.',
  unknownField: ({ value }) => `Unknown field: ${value}.`,
  text: () => 'This must be text.',
  number: () => 'This must be a number.',
  wholeNumber: () => 'This must be a whole number.',
  boolean: () => 'This must be true or false.',
  list: () => 'This must be a list.',
  object: () => 'This must be an object.',
  date: () => 'This must be a date.',
  null: () => 'This must be null.',
  email: () => 'This is not an e-mail address.',
  url: () => 'This is not a URL.',
  uuid: () => 'This is not a UUID.',
  isoTime: () => 'This is not an ISO 8601 time.',
  isoDate: () => 'This is not a date such as 2026-01-31.',
  clockTime: () => 'This is not a time such as 09:30.',
  ipv4: () => 'This is not an IPv4 address.',
  ipv6: () => 'This is not an IPv6 address.',
  base64: () => 'This is not base64.',
  json: () => 'This is not JSON.',
  format: () => 'This is not in the expected format.',
  startsWith: ({ value }) => `This must start with "${value}".`,
  endsWith: ({ value }) => `This must end with "${value}".`,
  includes: ({ value }) => `This must contain "${value}".`,
  charactersExactly: ({ count }) => `Enter exactly ${counted(count, 'character')}.`,
  charactersAtLeast: ({ count }) => `Enter at least ${counted(count, 'character')}.`,
  charactersAtMost: ({ count }) => `Enter at most ${counted(count, 'character')}.`,
  itemsExactly: ({ count }) => `Give exactly ${counted(count, 'item')}.`,
  itemsAtLeast: ({ count }) => `Give at least ${counted(count, 'item')}.`,
  itemsAtMost: ({ count }) => `Give at most ${counted(count, 'item')}.`,
  atLeast: ({ value }) => `This must be at least ${value}.`,
  moreThan: ({ value }) => `This must be more than ${value}.`,
  atMost: ({ value }) => `This must be at most ${value}.`,
  lessThan: ({ value }) => `This must be less than ${value}.`,
  multipleOf: ({ value }) => `This must be a multiple of ${value}.`,
  only: ({ value }) => `This must be ${value}.`,
  oneOf: ({ value }) => `Use one of: ${value}.`,
  notAmong: () => 'This is not one of the accepted values.',
} as const satisfies Readonly<Record<string, (values: IssueValues) => string>>

/** The names of the messages. */
export type IssueMessageKey = keyof typeof english

const kinds: Readonly<Record<string, IssueMessageKey>> = {
  string: 'text',
  number: 'number',
  int: 'wholeNumber',
  bigint: 'wholeNumber',
  boolean: 'boolean',
  array: 'list',
  tuple: 'list',
  set: 'list',
  object: 'object',
  record: 'object',
  map: 'object',
  date: 'date',
  null: 'null',
}

const formats: Readonly<Record<string, IssueMessageKey>> = {
  email: 'email',
  url: 'url',
  uuid: 'uuid',
  datetime: 'isoTime',
  date: 'isoDate',
  time: 'clockTime',
  ipv4: 'ipv4',
  ipv6: 'ipv6',
  base64: 'base64',
  json_string: 'json',
}

/** A message that names more values than this is no help. */
const mostValues = 20

/** The error map of zod that writes messages with `write`, which knows the words of a language. */
export function issueMessages(
  write: (text: IssueMessageKey, values: IssueValues) => string,
): (issue: RawIssue) => string {
  const say = (text: IssueMessageKey, value: unknown = '') =>
    write(text, { count: 0, value: String(value) })
  const count = (text: IssueMessageKey, size: number | bigint) =>
    write(text, { count: Number(size), value: String(size) })

  function oneOf(values: readonly unknown[]): string {
    if (values.length > mostValues) return say('notAmong')
    return values.length === 1
      ? say('only', values[0])
      : say('oneOf', values.map(String).join(', '))
  }

  function tooSmall({
    origin,
    minimum,
    inclusive = true,
    exact = false,
  }: Extract<RawIssue, { code: 'too_small' }>): string {
    const counts = origin === 'string' ? 'characters' : isList(origin) ? 'items' : undefined
    if (!counts) return say(inclusive ? 'atLeast' : 'moreThan', limitOf(origin, minimum))
    if (exact) return count(`${counts}Exactly`, minimum)
    return minimum === 1 ? say('empty') : count(`${counts}AtLeast`, minimum)
  }

  function tooBig({
    origin,
    maximum,
    inclusive = true,
    exact = false,
  }: Extract<RawIssue, { code: 'too_big' }>): string {
    const counts = origin === 'string' ? 'characters' : isList(origin) ? 'items' : undefined
    return counts
      ? count(`${counts}${exact ? 'Exactly' : 'AtMost'}`, maximum)
      : say(inclusive ? 'atMost' : 'lessThan', limitOf(origin, maximum))
  }

  function ofFormat(issue: Extract<RawIssue, { code: 'invalid_format' }>): string {
    if (issue.format === 'starts_with') return say('startsWith', issue.prefix)
    if (issue.format === 'ends_with') return say('endsWith', issue.suffix)
    if (issue.format === 'includes') return say('includes', issue.includes)
    return say(formats[issue.format] ?? 'format')
  }

  return (issue) => {
    switch (issue.code) {
      case 'invalid_type':
        return say(
          issue.input === undefined ? 'required' : (kinds[issue.expected] ?? 'notAccepted'),
        )
      case 'too_small':
        return tooSmall(issue)
      case 'too_big':
        return tooBig(issue)
      case 'not_multiple_of':
        return say('multipleOf', issue.divisor)
      case 'invalid_format':
        return ofFormat(issue)
      case 'invalid_value':
        return issue.input === undefined ? say('required') : oneOf(issue.values)
      case 'invalid_union':
        if (issue.input === undefined) return say('required')
        return Array.isArray(issue.options) ? oneOf(issue.options) : say('notAccepted')
      case 'unrecognized_keys':
        return say('unknownField', issue.keys.join(', '))
      case 'invalid_key':
        return say('nameNotAccepted')
      default:
        return say('notAccepted')
    }
  }
}

const isList = (origin: string) => origin === 'array' || origin === 'set' || origin === 'map'
const limitOf = (origin: string, limit: number | bigint) =>
  origin === 'date' ? new Date(Number(limit)).toISOString() : String(limit)

/**
 * The message of an issue whose schema has none of its own, in place of zod's, which are written
 * for programmers. Import this module for its effect: it sets English ones for the process. Messages
 * that a schema gives itself take precedence.
 */
z.config({ customError: issueMessages((text, values) => english[text](values)) })
