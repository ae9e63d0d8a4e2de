import { z } from 'zod'

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

/** True for a JSON object, false for arrays and everything else. */
export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * The object's own property; undefined for names that only the prototype knows, such as
 * `constructor`.
 */
export function own(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

/**
 * A copy with one property set, in its place. Works for `__proto__` too, which a plain assignment
 * would swallow.
 */
export function withProperty(object: JsonObject, key: string, value: Json): JsonObject {
  if (!Object.hasOwn(object, key))
    return Object.fromEntries([...Object.entries(object), [key, value]])
  return Object.fromEntries(
    Object.entries(object).map(([name, held]) => [name, name === key ? value : held]),
  )
}

/** A copy without one property. */
export function withoutProperty(object: JsonObject, key: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key))
}

/** The text property of an object, or the empty text. */
export function textOf(object: JsonObject, key: string): string {
  const value = own(object, key)
  return typeof value === 'string' ? value : ''
}

/** The object property of an object, or an empty one. */
export function objectOf(object: JsonObject, key: string): JsonObject {
  const value = own(object, key)
  return isObject(value) ? value : {}
}

/** Names of the members of a JMAP set, `{member: true}`. */
export function membersOf(set: Json | undefined): readonly string[] {
  return isObject(set) ? Object.keys(set) : []
}

/** Any JSON value. */
export const json: z.ZodType<Json> = z.lazy(() =>
  z.union([
    z.null(),
    z.boolean(),
    z.number(),
    z.string(),
    z.array(json),
    z.record(z.string(), json),
  ]),
)
