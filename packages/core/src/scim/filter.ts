import { type AttrExp, type Filter, parse } from 'scim2-parse-filter'
import { type ErrorText, errorText } from '../platform/error-text.ts'
import { AppError } from '../platform/errors.ts'

export type { Filter }

/** The largest filter: identity providers send one or two conditions. */
export const filterLimits = { characters: 2000, conditions: 50 } as const

// No attribute has one. The parser tries each line break in a quoted text in two ways, so that a
// text with many takes it for ever.
// biome-ignore lint/suspicious/noControlCharactersInRegex: it rejects the controls
const control = /[\u0000-\u001f\u007f]/

/**
 * A text of a filter, as JSON. The parser takes most escapes for themselves, so it gets none. One
 * that does not end reaches to the end, where reading it as JSON fails.
 */
const quoted = /"(?:[^"\\]|\\[\s\S])*(?:"|\\?$)/g

/**
 * The filter of a list (RFC 7644, section 3.4.2.2). Throws AppError `invalid_input` under `path`
 * for one that is malformed or has more than `filterLimits`.
 */
export function parseScimFilter(text: string, path = 'filter'): Filter {
  const { characters, conditions } = filterLimits
  const reject = (message: ErrorText, cause?: unknown) =>
    new AppError('invalid_input', undefined, { cause, issues: [{ path, message }] })
  if (text.length > characters) throw reject(errorText('scimFilterSize', filterLimits))
  const texts: string[] = []
  let filter: Filter
  try {
    const plain = text.replace(quoted, (json) => `"${texts.push(JSON.parse(json)) - 1}"`)
    if (control.test(plain + texts.join(''))) throw new Error('a control character')
    filter = parse(plain)
  } catch (cause) {
    throw reject(errorText('scimFilterSyntax'), cause)
  }
  const all = conditionsOf(filter)
  if (all.length > conditions) throw reject(errorText('scimFilterSize', filterLimits))
  for (const one of all)
    if ('compValue' in one && typeof one.compValue === 'string')
      one.compValue = texts[Number(one.compValue)] ?? null
  return filter
}

function conditionsOf(filter: Filter): AttrExp[] {
  switch (filter.op) {
    case 'and':
    case 'or':
      return filter.filters.flatMap(conditionsOf)
    case 'not':
      return conditionsOf(filter.filter)
    case '[]':
      return conditionsOf(filter.valFilter)
    default:
      return [filter]
  }
}

/**
 * The attribute of a filter or path in lower case, without the name of its core schema: names are
 * compared without case (RFC 7643, section 2.1).
 */
export function attributeName(path: string): string {
  return path.toLowerCase().replace(/^urn:ietf:params:scim:schemas:core:2\.0:(user|group):/, '')
}
