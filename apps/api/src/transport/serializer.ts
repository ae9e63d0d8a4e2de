import superjson from 'superjson'

const deepest = 32

/**
 * superjson on the wire, without its walk where there is nothing to mark: an answer of ours is plain JSON nearly always, and for
 * that superjson writes the same `{ json }`, at many times the cost. Clients use superjson as it is.
 */
export const serializer = {
  serialize: (value: unknown): unknown => (isPlainJson(value, 0) ? { json: value } : superjson.serialize(value)),
  deserialize: (payload: unknown): unknown =>
    typeof payload === 'object' && payload !== null && 'json' in payload && !('meta' in payload)
      ? payload.json
      : superjson.deserialize(payload as Parameters<typeof superjson.deserialize>[0]),
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
