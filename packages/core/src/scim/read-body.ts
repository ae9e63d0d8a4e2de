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
