import { z } from 'zod'
import { type IssueMessageKey, setIssueWriter, type WriteIssue } from './issue-text.ts'

type RawIssue = Parameters<NonNullable<ReturnType<typeof z.config>['customError']>>[0]

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
  uuid: 'id',
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

/**
 * `write` knows the words of what schemas say. Once per process, before the first value is checked.
 */
export function writeIssues(write: WriteIssue): void {
  setIssueWriter(write)
  z.config({ customError: issueMessages(write) })
}

/**
 * The error map of zod for issues whose schema has no message of its own, in place of zod's
 * messages, which are written for programmers. `write` knows the words of a language.
 */
function issueMessages(write: WriteIssue): (issue: RawIssue) => string {
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
