import { randomUUID } from 'node:crypto'
import { z } from 'zod'

const Identity = z.object({ issuer: z.string(), issuerAssignedId: z.string() })
export type Identity = z.infer<typeof Identity>

const User = z.object({
  id: z.string(),
  username: z.string(),
  displayName: z.string(),
  mail: z.string().optional(),
  givenName: z.string().optional(),
  surname: z.string().optional(),
  accountEnabled: z.boolean().optional(),
  /**
   * Issuer and subject of the sign-in that created the account, and whatever an Admin wrote here.
   */
  identities: z.array(Identity).optional(),
  /** Only for sign-in in a test app without an identity provider. */
  passwordHash: z.string().optional(),
  roleId: z.string(),
  roleAssignmentId: z.string(),
})
export type User = z.infer<typeof User>

const Group = z.object({
  id: z.string(),
  displayName: z.string(),
  description: z.string().optional(),
  memberIds: z.array(z.string()),
})
export type Group = z.infer<typeof Group>

const Grant = z.object({
  kind: z.enum(['user', 'group']),
  targetId: z.string(),
  roleId: z.string(),
  expirationDateTime: z.string().optional(),
  invitedBy: z.string().optional(),
})
export type Grant = z.infer<typeof Grant>

const Drive = z.object({
  /** `<storageId>$<spaceId>` */
  id: z.string(),
  name: z.string(),
  description: z.string().optional(),
  driveAlias: z.string(),
  driveType: z.enum(['project', 'personal']),
  ownerId: z.string(),
  lastModified: z.number(),
  /** Bytes; 0 is unlimited. */
  total: z.number(),
  used: z.number(),
  trashed: z.boolean(),
  grants: z.array(Grant),
})
export type Drive = z.infer<typeof Drive>

const AppToken = z.object({ userId: z.string(), hash: z.string(), expiresAt: z.number() })

const Saved = z.object({
  storageId: z.string(),
  users: z.array(User),
  groups: z.array(Group),
  drives: z.array(Drive),
  appTokens: z.array(AppToken),
})

/** Everything that the file storage keeps. */
export interface FilesStore {
  storageId: string
  readonly users: Map<string, User>
  readonly groups: Map<string, Group>
  readonly drives: Map<string, Drive>
  appTokens: z.infer<typeof AppToken>[]
  /** By id or by username. */
  findUser(idOrName: string): User | undefined
  /** By the whole id or by the part after `$`. */
  findDrive(id: string): Drive | undefined
  displayNameOf(kind: 'user' | 'group', id: string): string | undefined
  save(): unknown
  load(saved: unknown): void
  clear(): void
}

export function createFilesStore(): FilesStore {
  const store: FilesStore = {
    storageId: randomUUID(),
    users: new Map(),
    groups: new Map(),
    drives: new Map(),
    appTokens: [],
    findUser: (idOrName) =>
      store.users.get(idOrName) ??
      [...store.users.values()].find((user) => user.username === idOrName.toLowerCase()),
    findDrive: (id) => store.drives.get(id.includes('$') ? id : `${store.storageId}$${id}`),
    displayNameOf: (kind, id) =>
      (kind === 'user' ? store.users.get(id) : store.groups.get(id))?.displayName,
    save: () => ({
      storageId: store.storageId,
      users: [...store.users.values()],
      groups: [...store.groups.values()],
      drives: [...store.drives.values()],
      appTokens: store.appTokens,
    }),
    load(saved) {
      const parsed = Saved.parse(saved)
      store.clear()
      store.storageId = parsed.storageId
      for (const user of parsed.users) store.users.set(user.id, user)
      for (const group of parsed.groups) store.groups.set(group.id, group)
      for (const drive of parsed.drives) store.drives.set(drive.id, drive)
      store.appTokens = parsed.appTokens
    },
    clear() {
      store.storageId = randomUUID()
      store.users.clear()
      store.groups.clear()
      store.drives.clear()
      store.appTokens = []
    },
  }
  return store
}
