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
  profile?: Omit<IdentityProfile, 'name' | 'email'> | undefined
  /** Default true. */
  active?: boolean | undefined
}

/** Contact data that is mirrored; undefined is left as it is, null is removed. */
export interface IdentityProfile {
  name?: string | undefined
  /** Becomes username and address. */
  email?: string | undefined
  firstName?: string | null | undefined
  lastName?: string | null | undefined
  phone?: string | null | undefined
  alternativeEmail?: string | null | undefined
}

export interface TemporaryPassword {
  expiresAt: Date
}

/**
 * How many second factors of each kind a user has, by the provider's own names of kinds, such as
 * `totp`, `webauthn`, `static`.
 */
export type SecondFactors = Readonly<Record<string, number>>

/** A second factor of a user, or recovery codes (`static`). */
export interface IdentityDevice {
  /** Unique among those of its kind. */
  id: string
  /** By the provider's own name, as in `SecondFactors`. */
  kind: string
  name: string
  /** False for one whose setup was begun and never finished. */
  confirmed: boolean
  createdAt: string
  lastUsedAt: string | null
}

/** A sign-in of a user at the provider itself, which portals and other applications came from. */
export interface IdentitySession {
  id: string
  /** As the browser named itself; empty when it did not. */
  userAgent: string
  address: string
  lastUsedAt: string
  expiresAt: string | null
}

export interface NewSsoApplication {
  /** Unique at the provider; the last part of the issuer. */
  slug: string
  name: string
  redirectUris: readonly string[]
  launchUrl?: string | undefined
  /** Who may use it. */
  groupId: string
  /** Ours, so that nothing has to be read back: the provider takes what it is given. */
  clientId: string
  clientSecret: string
}

export interface SsoApplication {
  slug: string
  name: string
  clientId: string
  redirectUris: string[]
  launchUrl: string | null
  providerId: string
  /** The issuer, `{auth_url}/application/o/{slug}/`. */
  issuer: string
}

/**
 * People, groups, sessions and applications of the identity provider. Every method rejects with
 * `UpstreamError` alone, unless the signal ended it.
 */
export interface IdentityProvider {
  /** Proves address and credentials. */
  check(options?: CallOptions): Promise<{ version: string | undefined }>
  /**
   * Tries whether the token may change users, by a change of its own user that changes nothing. For
   * once per start: the provider logs it.
   */
  tryRights(options?: CallOptions): Promise<void>
  /**
   * Creates the group or finds the existing one, also when two callers race. Attributes are written
   * at creation only. An existing group is ours when it is `knownId` or has every given attribute
   * (plain values); otherwise someone else created it: `conflict`.
   */
  ensureGroup(
    group: {
      name: string
      attributes?: Record<string, string> | undefined
      knownId?: string | undefined
    },
    options?: CallOptions,
  ): Promise<{ id: string; created: boolean }>
  /** With the attributes that it was marked with. */
  findGroup(
    name: string,
    options?: CallOptions,
  ): Promise<{ id: string; attributes: Readonly<Record<string, unknown>> } | undefined>
  /**
   * Sets these attributes of the group; others stay. Repeatable, and not safe beside another writer
   * of the same group: the provider replaces attributes as a whole. `not_found` when the group is
   * gone.
   */
  setGroupAttributes(
    change: { groupId: string; attributes: Readonly<Record<string, unknown>> },
    options?: CallOptions,
  ): Promise<void>
  /** Repeatable. `conflict` when another group has the name, `not_found` when the group is gone. */
  renameGroup(change: { groupId: string; name: string }, options?: CallOptions): Promise<void>
  /** An absent group counts as deleted. */
  deleteGroup(groupId: string, options?: CallOptions): Promise<void>
  /** The `sub` claims of everyone in the group. `not_found` when it is gone. */
  listGroupMembers(groupId: string, options?: CallOptions): Promise<string[]>
  /** The user with this address, by e-mail or username, compared in lower case on our side too. */
  findUserByEmail(email: string, options?: CallOptions): Promise<IdentityUser | undefined>
  /**
   * The user with this `sub`: the provider cannot be asked by subject, so it is looked up by
   * address and compared on our side.
   */
  findUserBySubject(
    user: { subject: string; email: string },
    options?: CallOptions,
  ): Promise<IdentityUser | undefined>
  /** `not_found` when the user is gone. */
  readUser(userId: string, options?: CallOptions): Promise<IdentityUser>
  /**
   * Not repeatable: `conflict` when the username is taken. The user has no password until
   * `setPassword`.
   */
  createUser(user: NewIdentityUser, options?: CallOptions): Promise<IdentityUser>
  /** An absent user counts as deleted. */
  deleteUser(id: string, options?: CallOptions): Promise<void>
  /** Repeatable. `not_found` when user or group is gone. */
  addToGroup(membership: { groupId: string; userId: string }, options?: CallOptions): Promise<void>
  /** Repeatable. An absent user, group or membership counts as removed. */
  removeFromGroup(
    membership: { groupId: string; userId: string },
    options?: CallOptions,
  ): Promise<void>
  /**
   * A link with which the user sets a password. Undefined when the provider has no recovery flow
   * for this user. The provider builds the link on the address we call it by; `publicOrigin`
   * replaces that origin.
   */
  recoveryLink(
    request: { userId: string; publicOrigin?: string | undefined },
    options?: CallOptions,
  ): Promise<string | undefined>
  /**
   * Sets a password. A `temporary` one has to be changed at the first sign-in and opens nothing
   * from `expiresAt` on, where the provider runs our flows (`deploy/authentik`). Any other ends the
   * temporary one before it.
   */
  setPassword(
    request: { userId: string; password: string; temporary?: TemporaryPassword | undefined },
    options?: CallOptions,
  ): Promise<void>
  /**
   * What became of a temporary password: its person replaced it (`changed`), another one was given
   * since (`reissued`), or neither. Of one that was changed no mark is left. `not_found` when the
   * user is gone.
   */
  settleTemporaryPassword(
    request: { userId: string; issued: { at: Date; expiresAt: Date } },
    options?: CallOptions,
  ): Promise<'unchanged' | 'changed' | 'reissued'>
  /**
   * False ends sessions, access tokens and refresh tokens at the provider too, and nothing else
   * ends refresh tokens of others: they outlive their session. `not_found` when the user is gone.
   */
  setActive(request: { userId: string; active: boolean }, options?: CallOptions): Promise<void>
  /**
   * `not_found` when the user is gone, `conflict` when the address is another user's. Attributes
   * that are not ours stay.
   */
  updateUser(
    request: { userId: string; profile: IdentityProfile },
    options?: CallOptions,
  ): Promise<void>
  /**
   * Counts the second factors of one user. A failure is never reported as none. `not_found` when
   * the user is gone.
   */
  secondFactors(userId: string, options?: CallOptions): Promise<SecondFactors>
  /** Those of one user, also unconfirmed ones. `not_found` when the user is gone. */
  listDevices(userId: string, options?: CallOptions): Promise<IdentityDevice[]>
  /**
   * Removes one second factor of this user. `not_found` when the user has none of that kind and id,
   * also when another user has it; `refused` for a kind that cannot be removed.
   */
  removeDevice(
    request: { userId: string; kind: string; id: string },
    options?: CallOptions,
  ): Promise<void>
  /**
   * Removes all second factors and recovery codes of this user but those of kinds that cannot be
   * removed, such as devices that the provider's agent manages. Returns how many went. Repeatable.
   */
  removeDevices(userId: string, options?: CallOptions): Promise<{ removed: number }>
  /**
   * Provider, application and group binding as one. On a failure everything of it is taken away
   * again; the error names the `part` that failed, and in `leftBehind` what may be there still.
   * `conflict` when the slug is taken. Once the request is sent the signal is not heard: what is
   * under way is seen to its end, or taken away.
   */
  createSsoApplication(
    application: NewSsoApplication,
    options?: CallOptions,
  ): Promise<SsoApplication>
  /** Undefined when application or provider is gone. */
  readSsoApplication(slug: string, options?: CallOptions): Promise<SsoApplication | undefined>
  /**
   * What is absent counts as removed. By client id, when the provider's key never became known:
   * then an application of this slug that has another client id is left alone.
   */
  removeSsoApplication(
    application: { slug: string; providerId: string } | { slug: string; clientId: string },
    options?: CallOptions,
  ): Promise<void>
  /**
   * Ends only this user's login sessions, whatever the provider's filter returns. Returns how many
   * ended. Refresh tokens stay valid: see `setActive`.
   */
  endSessions(
    user: { userId: string; username: string },
    options?: CallOptions,
  ): Promise<{ sessions: number }>
  /** Only this user's login sessions, whatever the provider's filter returns. */
  listSessions(
    user: { userId: string; username: string },
    options?: CallOptions,
  ): Promise<IdentitySession[]>
  /**
   * Ends one login session. `not_found` when this user has none of that id, also when another user
   * has it.
   */
  endSession(
    request: { userId: string; username: string; sessionId: string },
    options?: CallOptions,
  ): Promise<void>
}
