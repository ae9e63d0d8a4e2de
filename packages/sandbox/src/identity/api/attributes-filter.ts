import { isObject } from '../json.ts'
import type { UserRecord } from '../records.ts'
import { ApiError } from './errors.ts'

/**
 * `?attributes={"tenant__slug":"a"}`: each key is a path into the user's attributes, `__` descends.
 * Not JSON or not an object: 400. A value that the database rejects to compare (null) lets the
 * whole list through.
 */
export function attributesFilter(text: string | null, users: readonly UserRecord[]): UserRecord[] {
  if (!text) return [...users]
  let requested: unknown
  try {
    requested = JSON.parse(text)
  } catch {
    throw new ApiError(400, ['filter: failed to parse JSON'])
  }
  if (!isObject(requested)) throw new ApiError(400, ['filter: value must be key:value mapping'])
  if (Object.values(requested).includes(null)) return [...users]
  return users.filter((user) =>
    Object.entries(requested).every(([key, value]) => {
      let found: unknown = user.attributes
      for (const step of key.split('__')) found = isObject(found) ? found[step] : undefined
      return JSON.stringify(found) === JSON.stringify(value)
    }),
  )
}
