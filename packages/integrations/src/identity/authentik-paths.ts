import type { Operation } from '../call-policy.ts'

/**
 * A user's integer key. A stored id of another form cannot be one of authentik's, and must not
 * become part of a path.
 */
export function userKey(operation: Operation, userId: string): number {
  const key = /^\d{1,15}$/.test(userId) ? Number(userId) : undefined
  if (key === undefined)
    throw operation.fail('not_found', { note: 'the user id is not one of its ids' })
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

/**
 * `api/v3/core/applications/<slug>/`. A text that cannot be a slug names no application, and must
 * not become part of a path.
 */
export function applicationPath(operation: Operation, slug: string): string {
  if (!/^[-a-zA-Z0-9_]{1,255}$/.test(slug))
    throw operation.fail('not_found', { note: 'the slug is not one of its slugs' })
  return `api/v3/core/applications/${slug}/`
}

/** `api/v3/providers/oauth2/<pk>/`. */
export function providerPath(operation: Operation, providerId: string): string {
  if (!/^\d{1,15}$/.test(providerId))
    throw operation.fail('not_found', { note: 'the provider id is not one of its ids' })
  return `api/v3/providers/oauth2/${Number(providerId)}/`
}
