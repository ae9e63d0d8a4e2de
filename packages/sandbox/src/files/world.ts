import { GraphError, notFound } from './answers.ts'
import type { Drive, FilesStore, User } from './records.ts'
import { appRoles, managerRoleId } from './roles.ts'

/** Everything that a route works on. */
export interface FilesWorld {
  readonly store: FilesStore
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly changed: () => void
  /** Address of the server, without a slash at the end. */
  readonly origin: () => string
}

/** The signed-in user and the world: what every route gets. */
export interface Visit extends FilesWorld {
  readonly caller: User
}

export function isAdmin(user: User): boolean {
  return user.roleId === appRoles.admin
}

/** Admin and Space Admin reach every space, without being a member. */
export function seesAllDrives(user: User): boolean {
  return isAdmin(user) || user.roleId === appRoles.spaceAdmin
}

export function assertAdmin(visit: Visit): void {
  if (!isAdmin(visit.caller)) throw new GraphError(403, 'accessDenied', 'Forbidden')
}

/** True for a member of the space, by user or by group; with `managing` only for its managers. */
export function isMember(store: FilesStore, drive: Drive, user: User, managing = false): boolean {
  if (drive.driveType === 'personal') return drive.ownerId === user.id
  return drive.grants.some((grant) => {
    if (managing && grant.roleId !== managerRoleId) return false
    return grant.kind === 'user' ? grant.targetId === user.id : (store.groups.get(grant.targetId)?.memberIds.includes(user.id) ?? false)
  })
}

/** The drive of a path, or 404 with the given text. A drive that the caller may not reach is not found either. */
export function reachableDrive(visit: Visit, id: string, message: string): Drive {
  const drive = visit.store.findDrive(id)
  if (!drive || !(seesAllDrives(visit.caller) || isMember(visit.store, drive, visit.caller))) throw notFound(message)
  return drive
}
