import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { withPrecondition } from './preconditions.ts'

type Fields = Record<string, unknown>

/**
 * The input of a call without a body: the parameters of its query and those of its path. Throws
 * AppError `invalid_input` for a name that is given twice.
 */
export function fromQuery(query: string, parameters: Readonly<Record<string, string>>): Fields {
  if (query === '') return { ...parameters }
  // Without a prototype: `__proto__` is a name like any other here, which the procedure does not
  // know and rejects.
  const input: Fields = Object.create(null)
  for (const [name, value] of new URLSearchParams(query)) {
    if (name in input) {
      throw new AppError('invalid_input', undefined, {
        issues: [{ path: name, message: errorText('parameterRepeated') }],
      })
    }
    input[name] = value
  }
  return withPath(parameters, input)
}

/**
 * The input of a call with a body: its fields and the parameters of the path. Throws AppError:
 * `unsupported_media_type` for anything but JSON, `malformed_json`, `invalid_input` for what is no
 * object. An `If-Match` header becomes `expectedVersion`, which procedures without versions reject
 * as an unknown field.
 */
export function fromBody(
  text: string,
  contentType: string | undefined,
  parameters: Readonly<Record<string, string>>,
  ifMatch?: string,
): Fields {
  if (text === '') return { ...parameters }
  const type = (contentType ?? '').split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json') throw new AppError('unsupported_media_type')
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch (cause) {
    throw new AppError('malformed_json', undefined, { cause })
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new AppError('invalid_input', undefined, {
      issues: [{ path: '', message: errorText('bodyNotObject') }],
    })
  }
  return withPath(parameters, withPrecondition(body as Fields, ifMatch))
}

/**
 * Path parameters beside the given fields. A field of the same name is rejected: the address says
 * which record is meant.
 */
function withPath(parameters: Readonly<Record<string, string>>, provided: Fields): Fields {
  for (const name of Object.keys(parameters)) {
    if (Object.hasOwn(provided, name)) {
      throw new AppError('invalid_input', undefined, {
        issues: [{ path: name, message: errorText('fieldFromAddress') }],
      })
    }
  }
  return { ...provided, ...parameters }
}
