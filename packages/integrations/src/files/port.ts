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

/** Spaces of the file storage. Every method rejects with `UpstreamError` alone, unless the signal ended it. */
export interface FileStorage {
  /** Proves address and credentials; the id is that of our service user. */
  check(options?: CallOptions): Promise<{ userId: string }>
  /**
   * Finds the space by id, else by marker, else creates it; restores a disabled one and sets the quota when it differs. The file
   * storage keeps no name unique: the caller sees to it that no two runs for one marker go on at once.
   */
  ensureSpace(space: SpaceRequest, options?: CallOptions): Promise<{ id: string; created: boolean }>
  /** Undefined when there is no such space. A failure is never reported as zero bytes. */
  storage(spaceId: string, options?: CallOptions): Promise<SpaceStorage | undefined>
  /** Takes the space away from its members and keeps its content. Repeatable; an absent space counts as disabled. */
  disableSpace(id: string, options?: CallOptions): Promise<void>
}
