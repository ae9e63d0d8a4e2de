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
  /** Bytes; null when unlimited or not told. */
  remaining: number | null
  /** Share of the quota in use, by the server's own steps (75, 90 and 99 %). */
  state: 'normal' | 'nearing' | 'critical' | 'exceeded' | 'disabled' | 'unknown'
}

/** An account of the file storage. People sign in through the identity provider; the account has no password. */
export interface FileAccount {
  id: string
  username: string
  enabled: boolean
}

/** Spaces and accounts of the file storage. Every method rejects with `UpstreamError` alone, unless the signal ended it. */
export interface FileStorage {
  /** Proves address and credentials; the id is that of our service user. */
  check(options?: CallOptions): Promise<{ userId: string }>
  /**
   * Finds the space by id, else by marker, else creates it; restores a disabled one and sets name and quota when they differ. The file
   * storage keeps no name unique: the caller sees to it that no two runs for one marker go on at once.
   */
  ensureSpace(space: SpaceRequest, options?: CallOptions): Promise<{ id: string; created: boolean }>
  /** Undefined when there is no such space. A failure is never reported as zero bytes. */
  storage(spaceId: string, options?: CallOptions): Promise<SpaceStorage | undefined>
  /** Creates the account or finds the one with this username (the address). */
  ensureAccount(person: { email: string; displayName: string }, options?: CallOptions): Promise<{ id: string; created: boolean }>
  findAccount(email: string, options?: CallOptions): Promise<FileAccount | undefined>
  /** `not_found` when the account is gone. The next sign-in overwrites both from the identity provider's claims. */
  updateAccount(request: { id: string; displayName?: string | undefined; email?: string | undefined }, options?: CallOptions): Promise<void>
  /** Repeatable. `not_found` when the account is gone. */
  setAccountEnabled(request: { id: string; enabled: boolean }, options?: CallOptions): Promise<void>
  /** An absent account counts as removed. Its own files are destroyed at once; those in spaces stay. */
  removeAccount(id: string, options?: CallOptions): Promise<void>
  /** Lets the account edit in the space. Repeatable. `not_found` when space or account is gone. */
  addToSpace(request: { spaceId: string; accountId: string }, options?: CallOptions): Promise<void>
  /** What is absent counts as removed. */
  removeFromSpace(request: { spaceId: string; accountId: string }, options?: CallOptions): Promise<void>
  /** Bytes in the account's own space; 0 when it never signed in; undefined when there is no such account. */
  accountUsage(accountId: string, options?: CallOptions): Promise<number | undefined>
  /** Takes the space away from its members and keeps its content. Repeatable; an absent space counts as disabled. */
  disableSpace(id: string, options?: CallOptions): Promise<void>
}
