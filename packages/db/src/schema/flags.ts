import type { FlagGuard, FlagRollback } from '@atrium/core/flags/flag-guards'
import type {
  FlagChangeKind,
  FlagSettings,
  FlagState,
  Prerequisite,
} from '@atrium/core/flags/flags'
import type { Plan } from '@atrium/core/tenants/tenants'
import type { ColumnType, Generated, JSONColumnType } from 'kysely'
import type { OptionalTimestamp, RequiredTimestamp, Timestamp } from './columns.ts'

export interface FlagsTable {
  id: Generated<string>
  key: string
  description: string | null
  owner: string | null
  state: FlagState
  /** numeric(5,2), which the driver gives as text. */
  percentage: ColumnType<string, number, number>
  salt: string | null
  allow_tenants: string[]
  deny_tenants: string[]
  allow_partners: string[]
  allow_plans: Plan[]
  prerequisites: ColumnType<Prerequisite[], string, string>
  guards: ColumnType<FlagGuard[], string | undefined, string>
  enabled_from: OptionalTimestamp
  enabled_until: OptionalTimestamp
  stale_after: string | null
  killed_at: OptionalTimestamp
  rollback: JSONColumnType<FlagRollback | null, string | null | undefined, string | null>
  note: string
  version: Generated<number>
  created_at: Timestamp
  updated_at: Timestamp
  updated_by: string | null
  removed_at: OptionalTimestamp
}

/** Append-only; `kind` is what the audit log calls the same change. */
export interface FlagChangesTable {
  id: Generated<string>
  flag_key: string
  version: number
  kind: FlagChangeKind
  at: Timestamp
  actor_id: string | null
  actor_email: string | null
  note: string
  before: ColumnType<FlagSettings | null, string | null, never>
  after: ColumnType<FlagSettings | null, string | null, never>
  audit_id: Generated<string>
}

export interface FlagUsesTable {
  flag_key: string
  last_asked_at: RequiredTimestamp
}

/** Unlogged: emptied by a crash of the server. */
export interface TenantRequestCountsTable {
  tenant_id: string
  minute: RequiredTimestamp
  requests: number
  failures: number
}

export interface FlagsTables {
  flags: FlagsTable
  flag_changes: FlagChangesTable
  flag_uses: FlagUsesTable
  tenant_request_counts: TenantRequestCountsTable
}
