import type { CallOptions } from '../call-options.ts'

export interface SpaceRequest {
  /** The id that was stored after an earlier run. */
  spaceId?: string | undefined
  /** Our mark on the space: the tenant's slug. Finds the space again when the id was lost. */
  marker: string
  name: string
  /** Positive whole number of bytes; 0 means unlimited. */
  quotaBytes: number
}

export interface SpaceStorage {
  /** Bytes; null when unlimited. */
  total: number | null
  /** Bytes. Null for a disabled space, whose use the server does not tell. */
  used: number | null
  /** Bytes; null when unlimited or not reported. */
  remaining: number | null
  /** Share of the quota in use, by the server's own steps (75, 90 and 99 %). */
  state: 'normal' | 'nearing' | 'critical' | 'exceeded' | 'disabled' | 'unknown'
}

/**
 * An account of the file storage. People sign in through the identity provider; the account has no
 * password.
 */
export interface FileAccount {
  id: string
  username: string
  enabled: boolean
  /**
   * Our id of the person whose account it is, as we wrote it there; undefined on an account that we
   * did not create.
   */
  personId: string | undefined
  /** Subjects at the identity provider whose sign-in created the account. */
  subjects: readonly string[]
}

/** A person in our records: `id` is ours, `subject` the identity provider's. */
export interface FilePerson {
  id: string
  subject: string
}

/**
 * Whether an account is this person's. A username proves nothing: addresses pass from one person to
 * another. An account without our mark is theirs when their own sign-in created it.
 */
export function isAccountOf(
  { personId, subjects }: Pick<FileAccount, 'personId' | 'subjects'>,
  { id, subject }: FilePerson,
): boolean {
  return personId === undefined ? subjects.includes(subject) : personId === id
}

/**
 * Spaces and accounts of the file storage. Every method rejects with `UpstreamError` alone, unless
 * the signal ended it.
 */
export interface FileStorage {
  /** Proves address and credentials; the id is that of our service user. */
  check(options?: CallOptions): Promise<{ userId: string }>
  /** The server's version, such as `7.2.4`. */
  version(options?: CallOptions): Promise<string>
  /**
   * Finds the space by id, else by marker, else creates it; restores a disabled one and sets name
   * and quota when they differ. The file storage keeps no name unique: the caller sees to it that
   * no two runs for one marker go on at once.
   */
  ensureSpace(space: SpaceRequest, options?: CallOptions): Promise<{ id: string; created: boolean }>
  /** Undefined when there is no such space. A failure is never reported as zero bytes. */
  storage(spaceId: string, options?: CallOptions): Promise<SpaceStorage | undefined>
  /**
   * Creates the person's account under the address, or finds it (`isAccountOf`). Either has our
   * mark afterwards. `conflict` when the account of that name belongs to another person, or its
   * owner is unknown.
   */
  ensureAccount(
    request: { person: FilePerson; email: string; displayName: string },
    options?: CallOptions,
  ): Promise<{ id: string; created: boolean }>
  /** Its owner, if known. */
  findAccount(email: string, options?: CallOptions): Promise<FileAccount | undefined>
  /**
   * `not_found` when the account is gone. The next sign-in overwrites name and address from the
   * identity provider's claims. With `personId` the account bears our mark afterwards.
   */
  updateAccount(
    request: {
      id: string
      personId?: string | undefined
      displayName?: string | undefined
      email?: string | undefined
    },
    options?: CallOptions,
  ): Promise<void>
  /** Repeatable. `not_found` when the account is gone. */
  setAccountEnabled(request: { id: string; enabled: boolean }, options?: CallOptions): Promise<void>
  /**
   * An absent account counts as removed. Its own files are destroyed at once; those in spaces stay.
   */
  removeAccount(id: string, options?: CallOptions): Promise<void>
  /**
   * Lets the account edit in the space, or only read. Repeatable, also with the other role.
   * `not_found` when the space or the account is gone. For about a minute after an account was
   * removed the server may still accept it: callers make sure of the account first, and such a
   * grant is removed like any other.
   */
  addToSpace(
    request: { spaceId: string; accountId: string; role?: 'editor' | 'viewer' },
    options?: CallOptions,
  ): Promise<void>
  /** Succeeds when it does not exist. `refused` while the space is disabled. */
  removeFromSpace(
    request: { spaceId: string; accountId: string },
    options?: CallOptions,
  ): Promise<void>
  /**
   * Removes accounts from the space that no longer exist, first those whose name is lost there, at
   * most 40 per call. `known`: accounts that need no lookup. Existing accounts and groups stay,
   * whoever added them. Returns how many were removed.
   */
  removeGoneFromSpace(
    request: { spaceId: string; known: readonly string[] },
    options?: CallOptions,
  ): Promise<number>
  /**
   * Bytes in the account's own space; 0 when it never signed in; undefined when there is no such
   * account.
   */
  accountUsage(accountId: string, options?: CallOptions): Promise<number | undefined>
  /** Destroys the space with its content, disabled or not. An absent space counts as purged. */
  purgeSpace(id: string, options?: CallOptions): Promise<void>
  /**
   * Takes the space away from its members and keeps its content. Repeatable; an absent space counts
   * as disabled.
   */
  disableSpace(id: string, options?: CallOptions): Promise<void>
}
