import type { CallOptions } from '../call-options.ts'

export interface IdentityUser {
  /** The provider's key, as text. */
  id: string
  /** The `sub` claim of the user's tokens. */
  subject: string
  username: string
  email: string
  name: string
  active: boolean
  groupIds: string[]
}

export interface NewIdentityUser {
  /** Lower-cased by the client; becomes username and address. */
  email: string
  name: string
  groupIds: string[]
  /** Folder of the provider, such as `tenants/acme`. */
  path?: string | undefined
  attributes?: Record<string, unknown> | undefined
  /** Default true. */
  active?: boolean | undefined
}

/** People, groups and sessions of the identity provider. Every method rejects with `UpstreamError` alone, unless the signal ended it. */
export interface IdentityProvider {
  /** Proves address and credentials. */
  check(options?: CallOptions): Promise<{ version: string | undefined }>
  /**
   * Creates the group or finds the one that is there, also when two callers race. Attributes are written at creation only. A group
   * that exists is ours when it is `knownId` or carries every attribute given (plain values); otherwise somebody else made it: `conflict`.
   */
  ensureGroup(
    group: { name: string; attributes?: Record<string, string> | undefined; knownId?: string | undefined },
    options?: CallOptions,
  ): Promise<{ id: string; created: boolean }>
  findGroup(name: string, options?: CallOptions): Promise<{ id: string } | undefined>
  /** The user with this address, by e-mail or username, compared in lower case on our side too. */
  findUserByEmail(email: string, options?: CallOptions): Promise<IdentityUser | undefined>
  /** The user with this `sub`: the provider cannot be asked by subject, so it is looked up by address and compared on our side. */
  findUserBySubject(user: { subject: string; email: string }, options?: CallOptions): Promise<IdentityUser | undefined>
  /** Not repeatable: `conflict` when the username is taken. The user has no password until `setPassword`. */
  createUser(user: NewIdentityUser, options?: CallOptions): Promise<IdentityUser>
  /** An absent user counts as deleted. */
  deleteUser(id: string, options?: CallOptions): Promise<void>
  /** Repeatable. `not_found` when user or group is gone. */
  addToGroup(membership: { groupId: string; userId: string }, options?: CallOptions): Promise<void>
  /** Repeatable. An absent user, group or membership counts as removed. */
  removeFromGroup(membership: { groupId: string; userId: string }, options?: CallOptions): Promise<void>
  /**
   * A link with which the user sets a password. Undefined when the provider has no recovery flow for this user.
   * The provider builds the link on the address we call it by; `publicOrigin` replaces that origin.
   */
  recoveryLink(request: { userId: string; publicOrigin?: string | undefined }, options?: CallOptions): Promise<string | undefined>
  setPassword(request: { userId: string; password: string }, options?: CallOptions): Promise<void>
  /** False ends sessions, access tokens and refresh tokens at the provider too. `not_found` when the user is gone. */
  setActive(request: { userId: string; active: boolean }, options?: CallOptions): Promise<void>
  /** Ends this user's login sessions and refresh tokens, nobody else's, whatever the provider's filter returns. Answers how many ended. */
  endSessions(user: { userId: string; username: string }, options?: CallOptions): Promise<{ sessions: number; refreshTokens: number }>
}
