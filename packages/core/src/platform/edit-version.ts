import { z } from 'zod'
import { says } from './issue-text.ts'

/**
 * Which state of its editable fields a record is in: equal versions mean equal values. It goes with
 * every record that a form edits, and an update that names it as `expectedVersion` is carried out
 * only while the record is still in that state (RFC 9110, section 13).
 */
export const editVersion = z.string()

export const expectedVersion = z
  .string()
  .max(100)
  .regex(/^[\x21-\x7e]*$/, says('editVersion'))
  .optional()

/** For `refine`: an update names a field besides the tenant and the version it is based on. */
export function namesAField({
  slug: _,
  expectedVersion: __,
  ...fields
}: {
  slug?: unknown
  expectedVersion?: unknown
}): boolean {
  return Object.values(fields).some((value) => value !== undefined)
}
