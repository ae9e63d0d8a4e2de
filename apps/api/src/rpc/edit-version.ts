import { hash } from 'node:crypto'
import { AppError } from '@atrium/core/platform/errors'

interface Versioned {
  editVersion: string
}

/**
 * The view with the version of the fields that its update may change. A digest of the values, and
 * not the time of the last change: rows also change by jobs, which is no conflict, and two changes
 * can share a millisecond.
 */
export function withEditVersion<View extends object>(
  view: View,
  editable: object,
): View & Versioned {
  // The whole digest: V8 serialises an object that holds a piece of another text several times
  // slower, and nearly every response has a version.
  return { ...view, editVersion: hash('sha256', JSON.stringify(editable), 'base64url') }
}

/**
 * Throws AppError `edit_conflict` with the record when it is not in the state that the caller
 * expects. `current` is read under the lock that every change of the record takes, so that of
 * several who expect one state exactly one gets through. Without an expectation nothing is
 * rejected.
 */
export function requireVersion(expected: string | undefined, current: Versioned): void {
  if (expected !== undefined && expected !== current.editVersion)
    throw new AppError('edit_conflict', undefined, { current })
}
