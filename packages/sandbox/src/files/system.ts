import { randomBytes, randomUUID } from 'node:crypto'
import { demoServiceCredentials } from '@atrium/core/demo/demo'
import { honoListener, type SandboxSystem, type SystemContext } from '../system.ts'
import { errorBody } from './answers.ts'
import { createFilesApp } from './app.ts'
import { hashToken } from './authentication.ts'
import { createFilesStore, type FilesStore } from './records.ts'
import { appRoles } from './roles.ts'
import { type Claims, ensurePersonalDrive, provisionUser } from './users.ts'
import { createNameCache, type FilesWorld } from './world.ts'

export interface FilesOptions {
  /**
   * Whether users may sign in with their own password; off, as on a real server behind an identity
   * provider.
   */
  readonly passwords?: boolean
  /** `default` rejects usernames that begin with a digit, as the real server does by default. */
  readonly usernames?: 'default' | 'any'
  /** A new server: its own administrator, `admin`, is the only account. */
  readonly fresh?: boolean
}

export interface FilesSystem extends SandboxSystem {
  readonly name: 'files'
  /**
   * Plays a user's first sign-in, which creates the personal drive. False when there is no such
   * user.
   */
  signIn(username: string): boolean
  /**
   * Plays a request with an access token of the identity provider. Without an account of that
   * username one is provisioned from the claims (`PROXY_AUTOPROVISION_ACCOUNTS`). Returns the id of
   * the account; undefined when it is disabled.
   */
  signInByToken(claims: Claims): string | undefined
  /**
   * What `opencloud auth-app create` does on the server: a new token of that user. Undefined when
   * there is no such user.
   */
  createAppToken(username: string, lifetimeMs: number): string | undefined
  /** Fills a space up to a number of bytes, as uploads would. False when there is no such space. */
  setUsed(spaceId: string, bytes: number): boolean
}

const tokenLifetimeMs = 10 * 365 * 86_400_000

/**
 * The stand-in for OpenCloud's libre-graph: spaces, members, users, groups and roles, for an Admin
 * with an app token.
 */
export function createFiles(
  context: SystemContext,
  { passwords = false, usernames = 'any', fresh = false }: FilesOptions = {},
): FilesSystem {
  const store = createFilesStore()
  const names = createNameCache(store, context.now)
  const { now, changed, origin } = context
  const world: FilesWorld = { store, now, changed, origin, names, anyUsername: usernames === 'any' }
  const signedIn = (userId: string) => {
    const user = store.users.get(userId)
    if (user && ensurePersonalDrive(store, user, context.now())) context.changed()
  }
  const app = createFilesApp(world, { passwords, signedIn })
  const seed = () => (fresh ? addAdmin(store, 'admin') : seedFiles(store, context.now()))
  seed()

  return {
    name: 'files',
    listener: honoListener(app),
    state: () => ({
      users: [...store.users.values()].map(({ passwordHash: _hash, ...user }) => user),
      groups: [...store.groups.values()],
      drives: [...store.drives.values()],
      appTokens: store.appTokens.map((token) => ({
        userId: token.userId,
        expiresAt: new Date(token.expiresAt).toISOString(),
      })),
    }),
    save: () => store.save(),
    load: (saved) => store.load(saved),
    reset() {
      store.clear()
      names.clear()
      seed()
    },
    errorResponse(status) {
      if (status === 401)
        return {
          headers: {
            'www-authenticate': `Bearer realm="${new URL(context.origin() || 'http://localhost').host}", charset="UTF-8"`,
          },
          body: '',
        }
      return {
        headers: { 'content-type': 'application/json' },
        body: errorBody(codeOf(status), 'the service cannot answer at the moment', context.now()),
      }
    },
    signIn(username) {
      const user = store.findUser(username)
      if (user) signedIn(user.id)
      return user !== undefined
    },
    signInByToken(claims) {
      const user = provisionUser(store, claims)
      if (user.accountEnabled === false) return undefined
      signedIn(user.id)
      context.changed()
      return user.id
    },
    createAppToken(username, lifetimeMs) {
      const user = store.findUser(username)
      if (!user) return undefined
      // Words with spaces between them, as OpenCloud makes them since 2.0.
      const token = (randomBytes(12).toString('hex').match(/..../g) ?? []).join(' ')
      const expiresAt = context.now() + lifetimeMs
      store.appTokens.push({ userId: user.id, hash: hashToken(token), expiresAt })
      context.changed()
      return token
    },
    setUsed(spaceId, bytes) {
      const drive = store.findDrive(spaceId)
      if (drive) drive.used = bytes
      context.changed()
      return drive !== undefined
    },
  }
}

function codeOf(status: number): string {
  const codes: Readonly<Record<number, string>> = {
    400: 'invalidRequest',
    403: 'accessDenied',
    404: 'itemNotFound',
    409: 'nameAlreadyExists',
    429: 'activityLimitReached',
    503: 'serviceNotAvailable',
  }
  return codes[status] ?? 'generalException'
}

/**
 * The service account of the platform: an Admin with an app token. Accounts and spaces come from
 * the platform.
 */
function seedFiles(store: FilesStore, now: number): void {
  store.appTokens.push({
    userId: addAdmin(store, demoServiceCredentials.filesUser),
    hash: hashToken(demoServiceCredentials.filesAppToken),
    expiresAt: now + tokenLifetimeMs,
  })
}

function addAdmin(store: FilesStore, username: string): string {
  const id = randomUUID()
  store.users.set(id, {
    id,
    username,
    displayName: 'Workplace platform',
    mail: `${username}@atrium.test`,
    roleId: appRoles.admin,
    roleAssignmentId: randomUUID(),
  })
  return id
}
