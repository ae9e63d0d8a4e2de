import { AppError } from '@atrium/core/errors'
import superjson from 'superjson'

const deepest = 32
/** Values in the marks of one input, two for each date or the like; superjson takes 20 µs for a mark. */
const mostInMarks = 2_000

/**
 * superjson on the wire, without its walk where there is nothing to mark: an answer of ours is plain JSON nearly always, and for
 * that superjson writes the same `{ json }`, at many times the cost. Clients use superjson as it is.
 */
export const serializer = {
  serialize: (value: unknown): unknown => (isPlainJson(value, 0) ? { json: value } : superjson.serialize(value)),
  /** Throws AppError `invalid_input` for more marks than any input of ours needs. */
  deserialize(payload: unknown): unknown {
    if (typeof payload === 'object' && payload !== null && 'json' in payload) {
      if (!('meta' in payload)) return payload.json
      if (countsBeyond(mostInMarks, payload.meta)) throw new AppError('invalid_input', 'The input carries too many marks.')
    }
    return superjson.deserialize(payload as Parameters<typeof superjson.deserialize>[0])
  },
}

/** Whether a value of JSON holds more than so many values, however deep. */
function countsBeyond(most: number, value: unknown): boolean {
  const left = [value]
  for (let count = 0; left.length > 0; count++) {
    if (count > most || left.length > most) return true
    const one = left.pop()
    // One by one: what is too long to be counted is too long to be spread.
    if (typeof one === 'object' && one !== null) for (const inner of Object.values(one).slice(0, most + 1)) left.push(inner)
  }
  return false
}

/** True when JSON brings the value back as it is. Dates, bigints, undefined, -0 and the like do not pass; nor does what is very deep. */
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
  for (const key in value) if (!isPlainJson((value as Record<string, unknown>)[key], depth)) return false
  return true
}
