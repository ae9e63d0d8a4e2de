import type { ServiceScope, ServiceTokenKind } from '@atrium/core/service-tokens/scopes'
import type { ColumnType, Generated } from 'kysely'
import type { OptionalTimestamp, RequiredTimestamp } from './columns.ts'

export interface ServiceTokensTable {
  id: Generated<string>
  kind: ServiceTokenKind
  tenant_id: string | null
  partner_id: string | null
  name: string
  scopes: ServiceScope[]
  /** Canonical addresses and networks; empty: every address. */
  networks: ColumnType<string[], string[] | undefined, string[]>
  /** SHA-256 of the secret. */
  secret_hash: Buffer
  /** Of the secret before the last rotation. */
  previous_hash: Buffer | null
  previous_ends_at: OptionalTimestamp
  created_by: string | null
  created_at: RequiredTimestamp
  rotated_at: OptionalTimestamp
  expires_at: RequiredTimestamp
  reminded_days: number | null
  last_used_at: OptionalTimestamp
  last_used_ip: string | null
  last_used_procedure: string | null
  revoked_at: OptionalTimestamp
  revoked_by: string | null
}

export interface ServiceTokensTables {
  service_tokens: ServiceTokensTable
}
