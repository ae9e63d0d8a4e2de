import { z } from 'zod'

/**
 * The message of an issue whose schema has none of its own, in place of zod's, which are written
 * for programmers. Import this module for its effect: it sets them for the process. Messages that a
 * schema gives itself take precedence.
 */
z.config({ customError: messageOf })

type RawIssue = Parameters<NonNullable<ReturnType<typeof z.config>['customError']>>[0]

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  bigint: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  set: 'a list',
  object: 'an object',
  record: 'an object',
  map: 'an object',
  date: 'a date',
  null: 'null',
}

const formats: Readonly<Record<string, string>> = {
  email: 'This is not an e-mail address.',
  url: 'This is not a URL.',
  uuid: 'This is not a UUID.',
  datetime: 'This is not an ISO 8601 time.',
  date: 'This is not a date such as 2026-01-31.',
  time: 'This is not a time such as 09:30.',
  ipv4: 'This is not an IPv4 address.',
  ipv6: 'This is not an IPv6 address.',
  base64: 'This is not base64.',
  json_string: 'This is not JSON.',
}

/** A message that names more values than this is no help. */
const mostValues = 20

function messageOf(issue: RawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'This field is required.'
      return issue.expected in kinds
        ? `This must be ${kinds[issue.expected]}.`
        : 'This value is not accepted.'
    case 'too_small':
      return tooSmall(issue)
    case 'too_big':
      return tooBig(issue)
    case 'not_multiple_of':
      return `This must be a multiple of ${issue.divisor}.`
    case 'invalid_format':
      return ofFormat(issue)
    case 'invalid_value':
      if (issue.input === undefined) return 'This field is required.'
      return oneOf(issue.values)
    case 'invalid_union':
      if (issue.input === undefined) return 'This field is required.'
      return Array.isArray(issue.options) ? oneOf(issue.options) : 'This value is not accepted.'
    case 'unrecognized_keys':
      return `Unknown field: ${issue.keys.join(', ')}.`
    case 'invalid_key':
      return 'This name is not accepted.'
    default:
      return 'This value is not accepted.'
  }
}

function tooSmall({
  origin,
  minimum,
  inclusive = true,
  exact = false,
}: Extract<RawIssue, { code: 'too_small' }>): string {
  if (origin === 'string') {
    if (exact) return `Enter exactly ${counted(minimum, 'character')}.`
    return minimum === 1
      ? 'This must not be empty.'
      : `Enter at least ${counted(minimum, 'character')}.`
  }
  if (isList(origin)) {
    if (exact) return `Give exactly ${counted(minimum, 'item')}.`
    return minimum === 1 ? 'This must not be empty.' : `Give at least ${counted(minimum, 'item')}.`
  }
  return `This must be ${inclusive ? 'at least' : 'more than'} ${limitOf(origin, minimum)}.`
}

function tooBig({
  origin,
  maximum,
  inclusive = true,
  exact = false,
}: Extract<RawIssue, { code: 'too_big' }>): string {
  const most = exact ? 'exactly' : 'at most'
  if (origin === 'string') return `Enter ${most} ${counted(maximum, 'character')}.`
  if (isList(origin)) return `Give ${most} ${counted(maximum, 'item')}.`
  return `This must be ${inclusive ? 'at most' : 'less than'} ${limitOf(origin, maximum)}.`
}

function ofFormat(issue: Extract<RawIssue, { code: 'invalid_format' }>): string {
  if (issue.format === 'starts_with') return `This must start with "${issue.prefix}".`
  if (issue.format === 'ends_with') return `This must end with "${issue.suffix}".`
  if (issue.format === 'includes') return `This must contain "${issue.includes}".`
  return formats[issue.format] ?? 'This is not in the expected format.'
}

function oneOf(values: readonly unknown[]): string {
  if (values.length > mostValues) return 'This is not one of the accepted values.'
  const [only] = values
  return values.length === 1
    ? `This must be ${String(only)}.`
    : `Use one of: ${values.map(String).join(', ')}.`
}

const isList = (origin: string) => origin === 'array' || origin === 'set' || origin === 'map'
const counted = (count: number | bigint, what: string) =>
  `${count} ${what}${Number(count) === 1 ? '' : 's'}`
const limitOf = (origin: string, limit: number | bigint) =>
  origin === 'date' ? new Date(Number(limit)).toISOString() : String(limit)
