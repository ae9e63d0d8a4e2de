import { z } from 'zod'
import { errorText } from '../platform/error-text.ts'
import { AppError } from '../platform/errors.ts'
import { line } from '../platform/text.ts'
import type { PatchOperation, PatchPath } from './patch.ts'
import { readPath } from './patch.ts'
import { lowerCase, readBody } from './read-body.ts'
import { orEmpty, rejectRemoval, scimAttributes, singleValue } from './user.ts'

/** The name of the group of a tenant's admins. Directories match groups by name. */
export const administratorsGroup = 'Administrators'

/** What a client writes about a group. */
export interface ScimGroupAttributes {
  displayName: string
  externalId: string | null
  /** Ids of members. */
  members: readonly string[]
}

const mostMembers = 10_000
const reference = scimAttributes({ value: z.string().max(200) })
const resource = scimAttributes({
  displayName: line(100),
  externalId: orEmpty(line(200)),
  members: z.array(reference).max(mostMembers).nullish(),
})

/** The attributes of a group that a client sent. Throws AppError `invalid_input`. */
export function readScimGroup(provided: unknown): ScimGroupAttributes {
  const { displayName, externalId, members } = readBody(resource, provided)
  const ids = (members ?? []).map(({ value }) => value.toLowerCase())
  return { displayName, externalId: externalId ?? null, members: [...new Set(ids)] }
}

/** Groups before and while operations are applied, as a client would send them. */
interface Draft {
  displayName: unknown
  externalId: unknown
  members: unknown[]
}

/**
 * The group after the operations, in their order. Attributes that groups do not have are passed
 * over. Throws AppError `invalid_input` for a path or a value, and `forbidden_field` for the
 * removal of `displayName`.
 */
export function patchScimGroup(
  before: ScimGroupAttributes,
  operations: readonly PatchOperation[],
): ScimGroupAttributes {
  const draft: Draft = { ...before, members: before.members.map((value) => ({ value })) }
  for (const operation of operations) {
    const { path, value, at } = operation
    if (path) {
      applyTo(draft, operation, path, value)
      continue
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new AppError('invalid_input', undefined, {
        issues: [{ path: `${at}.value`, message: errorText('scimPatchValue') }],
      })
    for (const [name, one] of Object.entries(value))
      applyTo(draft, operation, readPath(name, `${at}.value`), one)
  }
  return readScimGroup(draft)
}

function applyTo(draft: Draft, { op }: PatchOperation, path: PatchPath, value: unknown): void {
  const removes = op === 'remove' || value === null
  if (path.attribute === 'displayname') {
    if (removes) rejectRemoval('displayName')
    draft.displayName = singleValue(value)
  } else if (path.attribute === 'externalid') {
    draft.externalId = removes ? null : singleValue(value)
  } else if (path.attribute === 'members') {
    draft.members = membersAfter(draft.members, op, path, value)
  }
}

/**
 * A removal names its members by a filter of the path, or in its value, as Microsoft Entra ID does
 * without the flag aadOptscim062020; with neither it removes all.
 */
function membersAfter(
  before: readonly unknown[],
  op: PatchOperation['op'],
  { filtered, selects }: PatchPath,
  value: unknown,
): unknown[] {
  const named = (Array.isArray(value) ? value : [value]).filter((one) => one != null)
  if (op === 'add') return [...before, ...named]
  if (op === 'replace') return filtered ? [...before] : named
  if (filtered) return before.filter((one) => !selects(one as object))
  if (named.length === 0) return []
  const gone = new Set(named.map(idIn))
  return before.filter((one) => !gone.has(idIn(one)))
}

function idIn(reference: unknown): unknown {
  const value =
    typeof reference === 'object' && reference !== null && 'value' in reference
      ? reference.value
      : reference
  return lowerCase(value)
}
