import type { Generated } from 'kysely'
import type { OptionalTimestamp, RequiredTimestamp, Timestamp } from './columns.ts'

export interface IdempotencyKeysTable {
  scope: string
  key: string
  request_hash: string
  state: Generated<'running' | 'done' | 'withheld'>
  status: number | null
  /** Written by programs before 0031 alone. */
  body: string | null
  run: string | null
  lease_until: OptionalTimestamp
  sealed: Buffer | null
  created_at: Timestamp
  expires_at: RequiredTimestamp
}

export interface PlatformTables {
  idempotency_keys: IdempotencyKeysTable
}
