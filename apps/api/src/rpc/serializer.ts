import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import superjson from 'superjson'

const deepest = 32
/** Marked values that one input may hold. */
const mostMarks = 1_000

/**
 * superjson as the transformer. Responses without a marked value skip its walk: for plain JSON
 * superjson writes the same `{ json }`, at many times the cost. Inputs are not passed to superjson,
 * because it creates whatever a mark names, such as an array of any length. Clients use superjson
 * unchanged.
 */
export const serializer = {
  serialize: (value: unknown): unknown =>
    isPlainJson(value, 0) ? { json: value } : superjson.serialize(value),
  /**
   * Returns the input of a call. Throws AppError `invalid_input` for marks other than `undefined`
   * and `Date`, for more than 1,000 of them, and for a mark whose path leads to no such value.
   */
  deserialize(payload: unknown): unknown {
    if (!isObject(payload) || !('json' in payload)) {
      throw new AppError('invalid_input', errorText('inputEnvelope'))
    }
    const holder = { json: payload.json }
    for (const { path, type } of readMarks(payload.meta)) revive(holder, path, type)
    return holder.json
  },
}

interface Mark {
  /** Property names from the input's root; empty for the root itself. */
  path: string[]
  type: 'undefined' | 'Date'
}

/**
 * The marks of superjson's `meta`: `{ values: { "<path>": ["<type>"] } }`, or
 * `{ values: ["<type>"] }` for the root.
 */
function readMarks(meta: unknown): Mark[] {
  if (meta === undefined) return []
  const { values = {}, v = 1, ...others } = isObject(meta) ? meta : reject()
  if (v !== 1 || Object.keys(others).length > 0) reject()
  if (Array.isArray(values)) return [{ path: [], type: markType(values) }]
  if (!isObject(values)) reject()
  const entries = Object.entries(values)
  if (entries.length > mostMarks)
    throw new AppError('invalid_input', errorText('inputTooManyMarks'))
  return entries.map(([path, mark]) => ({ path: propertyNames(path), type: markType(mark) }))
}

function markType(mark: unknown): Mark['type'] {
  const [type, ...others] = Array.isArray(mark) ? mark : []
  return others.length === 0 && (type === 'undefined' || type === 'Date') ? type : reject()
}

/** superjson joins names by dots; a dot or backslash within a name has a backslash before it. */
function propertyNames(path: string): string[] {
  const names = ['']
  for (let at = 0; at < path.length; at++) {
    if (path[at] === '.') names.push('')
    else names[names.length - 1] += path[path[at] === '\\' ? ++at : at] ?? ''
  }
  return names
}

function revive(holder: { json: unknown }, path: readonly string[], type: Mark['type']): void {
  let parent: object = holder
  let name = 'json'
  for (const next of path) {
    const inner: unknown = Reflect.get(parent, name)
    // Own properties only, so that `__proto__` and similar names reach no prototype.
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, next)) reject()
    parent = inner
    name = next
  }
  const value: unknown = Reflect.get(parent, name)
  if (type === 'undefined' ? value !== null : typeof value !== 'string') reject()
  Reflect.set(parent, name, type === 'undefined' ? undefined : new Date(value as string))
}

function reject(): never {
  throw new AppError('invalid_input', errorText('inputMarks'))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * True when JSON brings the value back as it is. Dates, bigints, undefined, -0 and others do not
 * pass; nor does what is very deep.
 */
function isPlainJson(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0)
    case 'object':
      return value === null || (depth < deepest && isPlainContainer(value, depth + 1))
    default:
      return false
  }
}

function isPlainContainer(value: object, depth: number): boolean {
  if (Array.isArray(value)) return value.every((item) => isPlainJson(item, depth))
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return false
  for (const key in value)
    if (!isPlainJson((value as Record<string, unknown>)[key], depth)) return false
  return true
}
