import type { Operation } from '../call-policy.ts'

/** A user's integer key. A stored id of another form cannot be one of authentik's, and must not become part of a path. */
export function userKey(operation: Operation, userId: string): number {
  const key = /^\d{1,15}$/.test(userId) ? Number(userId) : undefined
  if (key === undefined) throw operation.fail('not_found', { note: 'the user id is not one of its ids' })
  return key
}

/** `api/v3/core/users/<pk>/` and what follows. */
export function userPath(operation: Operation, userId: string, rest = ''): string {
  return `api/v3/core/users/${userKey(operation, userId)}/${rest}`
}

/** `api/v3/core/groups/<uuid>/` and what follows. */
export function groupPath(groupId: string, rest = ''): string {
  return `api/v3/core/groups/${encodeURIComponent(groupId)}/${rest}`
}
