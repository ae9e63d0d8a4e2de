import { type Filter, parse } from 'scim2-parse-filter'
import { type ErrorText, errorText } from '../platform/error-text.ts'
import { AppError } from '../platform/errors.ts'

export type { Filter }

/** The largest filter: identity providers send one or two conditions. */
export const filterLimits = { characters: 2000, conditions: 50 } as const

// The parser tries each line break in a quoted text in two ways, so that a text with many takes it
// for ever. A JSON string has none.
// biome-ignore lint/suspicious/noControlCharactersInRegex: it rejects the controls
const control = /[\u0000-\u001f\u007f]/

/**
 * The filter of a list (RFC 7644, section 3.4.2.2). Throws AppError `invalid_input` under `path`
 * for one that is malformed or has more than `filterLimits`.
 */
export function parseScimFilter(text: string, path = 'filter'): Filter {
  const { characters, conditions } = filterLimits
  const reject = (message: ErrorText, cause?: unknown) =>
    new AppError('invalid_input', undefined, { cause, issues: [{ path, message }] })
  if (text.length > characters) throw reject(errorText('scimFilterSize', filterLimits))
  if (control.test(text)) throw reject(errorText('scimFilterSyntax'))
  let filter: Filter
  try {
    filter = parse(text)
  } catch (cause) {
    throw reject(errorText('scimFilterSyntax'), cause)
  }
  if (conditionsOf(filter) > conditions) throw reject(errorText('scimFilterSize', filterLimits))
  return filter
}

function conditionsOf(filter: Filter): number {
  switch (filter.op) {
    case 'and':
    case 'or':
      return filter.filters.reduce((sum, one) => sum + conditionsOf(one), 0)
    case 'not':
      return conditionsOf(filter.filter)
    case '[]':
      return conditionsOf(filter.valFilter)
    default:
      return 1
  }
}

/**
 * The attribute of a filter or path in lower case, without the name of its core schema: names are
 * compared without case (RFC 7643, section 2.1).
 */
export function attributeName(path: string): string {
  return path.toLowerCase().replace(/^urn:ietf:params:scim:schemas:core:2\.0:(user|group):/, '')
}
