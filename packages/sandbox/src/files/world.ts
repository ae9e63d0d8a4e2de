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
  /**
   * Whose names spaces show and invitations accept. It remembers a user or group for a minute,
   * deleted ones too.
   */
  readonly names: NameCache
  /** Whether usernames may begin with a digit (`GRAPH_USERNAME_MATCH=none` on the real server). */
  readonly anyUsername: boolean
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
    return grant.kind === 'user'
      ? grant.targetId === user.id
      : (store.groups.get(grant.targetId)?.memberIds.includes(user.id) ?? false)
  })
}

/**
 * The drive of a path, or 404 with the given text. A drive that the caller may not reach is not
 * found either.
 */
export function reachableDrive(visit: Visit, id: string, message: string): Drive {
  const drive = visit.store.findDrive(id)
  if (!drive || !(seesAllDrives(visit.caller) || isMember(visit.store, drive, visit.caller)))
    throw notFound(message)
  return drive
}

/**
 * How long the real server keeps a name (`GRAPH_SPACES_USERS_CACHE_TTL`,
 * `GRAPH_SPACES_GROUPS_CACHE_TTL`).
 */
const nameLifeMs = 60_000

export interface NameCache {
  /** The display name; undefined when there is no such user or group, which is not remembered. */
  of(kind: 'user' | 'group', id: string): string | undefined
  clear(): void
}

export function createNameCache(store: FilesStore, now: () => number): NameCache {
  const kept = new Map<string, { name: string; until: number }>()
  return {
    of(kind, id) {
      const known = kept.get(`${kind}:${id}`)
      if (known && known.until > now()) return known.name
      const name = store.displayNameOf(kind, id)
      if (name === undefined) kept.delete(`${kind}:${id}`)
      else kept.set(`${kind}:${id}`, { name, until: now() + nameLifeMs })
      return name
    },
    clear: () => kept.clear(),
  }
}
