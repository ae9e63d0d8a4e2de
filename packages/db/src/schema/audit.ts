import type { ActorType, AuditOutcome, AuditSource } from '@atrium/core/audit/audit'
import type { ColumnType, Generated, JSONColumnType } from 'kysely'
import type { RequiredTimestamp } from './columns.ts'

export interface AuditDenialsTable {
  actor_id: string
  action: string
  place: string
  minute: RequiredTimestamp
  calls: Generated<number>
  event: JSONColumnType<Record<string, unknown>>
}

export interface AuditEventsTable {
  id: Generated<string>
  at: RequiredTimestamp
  actor_type: ActorType
  actor_id: string | null
  actor_email: string | null
  actor_ip: string | null
  action: string
  outcome: AuditOutcome
  resource_type: string
  resource_id: string | null
  resource_name: string | null
  tenant_slug: string | null
  partner_slug: string | null
  source: AuditSource
  metadata: JSONColumnType<Record<string, unknown>, string, never>
  prev_hash: ColumnType<string | null, never, never>
  hash: ColumnType<string | null, never, never>
  chain: ColumnType<string | null, never, never>
  chain_seq: ColumnType<number | null, never, never>
}

export interface AuditChainHeadsTable {
  chain: string
  seq: ColumnType<number, never, never>
  hash: ColumnType<string, never, never>
}

export interface PreparedAuditEntriesTable {
  id: Generated<string>
  prepared_at: Generated<Date>
  event: JSONColumnType<Record<string, unknown>>
}

export interface AuditTables {
  audit_denials: AuditDenialsTable
  audit_events: AuditEventsTable
  audit_chain_heads: AuditChainHeadsTable
  prepared_audit_entries: PreparedAuditEntriesTable
}
