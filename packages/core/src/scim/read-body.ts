import type { z } from 'zod'
import { AppError } from '../platform/errors.ts'

/** What a client sent, in the form of the schema. Throws AppError `invalid_input`. */
export function readBody<Body>(schema: z.ZodType<Body>, provided: unknown): Body {
  const parsed = schema.safeParse(provided)
  if (parsed.success) return parsed.data
  throw new AppError('invalid_input', undefined, {
    cause: parsed.error,
    issues: parsed.error.issues.map(({ path, message }) => ({
      path: path.map(String).join('.'),
      message,
    })),
  })
}

/** The value in lower case when it is a text: SCIM compares most without case. */
export const lowerCase = (value: unknown) =>
  typeof value === 'string' ? value.toLowerCase() : value

/** The fields of a message by their names in lower case; clients may write them in any case. */
export function lowerCaseNames(message: unknown): Record<string, unknown> {
  const entries = Object.entries(message ?? {})
  return Object.fromEntries(entries.map(([name, one]) => [name.toLowerCase(), one]))
}
