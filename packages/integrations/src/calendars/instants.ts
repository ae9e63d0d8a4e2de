import type { Operation } from '../call-policy.ts'

/**
 * Milliseconds since 1970 of a UTC date of RFC 8984 section 1.4.4. `invalid_answer` for what is no
 * moment.
 */
export function instantOf(operation: Operation, text: string): number {
  const at = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/.test(text)
    ? Date.parse(text)
    : Number.NaN
  // Date.parse takes 30 February for a day in March.
  if (Number.isNaN(at) || new Date(at).toISOString().slice(0, 19) !== text.slice(0, 19))
    throw operation.fail('invalid_answer', { note: 'it holds a time that is none' })
  return at
}
