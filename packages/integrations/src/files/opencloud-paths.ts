import type { Operation } from '../call-policy.ts'

/** An id or a username as one segment of a path. What would climb out of it names nothing. */
function segment(operation: Operation, id: string): string {
  if (id === '' || id === '.' || id === '..')
    throw operation.fail('not_found', { note: 'the id is not one of its ids' })
  return encodeURIComponent(id)
}

export function drivePath(operation: Operation, id: string): string {
  return `graph/v1.0/drives/${segment(operation, id)}`
}

/** `graph/v1beta1/drives/<id>/root/<rest>`: where the members of a space are. */
export function membersPath(operation: Operation, spaceId: string, rest: string): string {
  return `graph/v1beta1/drives/${segment(operation, spaceId)}/root/${rest}`
}

/** By id or by username. */
export function userPath(operation: Operation, idOrName: string, rest = ''): string {
  return `graph/v1.0/users/${segment(operation, idOrName)}${rest}`
}
