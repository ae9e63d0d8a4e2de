import type { ActorType } from '@atrium/core/audit/audit'
import type { ColumnType } from 'kysely'

type Read<Value> = ColumnType<Value, never, never>

/** Written by a trigger of `audit_events` alone. */
export interface EventsTable {
  /** The nil UUID for an event of no tenant. */
  tenant_id: Read<string>
  transaction_id: Read<string>
  sequence: Read<string>
  recorded_at: Read<Date>
  /** That of the entry in the audit log. */
  id: Read<string>
  partner_id: Read<string | null>
  at: Read<Date>
  type: Read<string>
  actor_type: Read<ActorType>
  actor_id: Read<string | null>
  actor_email: Read<string | null>
  resource_type: Read<string>
  resource_id: Read<string | null>
  resource_name: Read<string | null>
  tenant_slug: Read<string | null>
  partner_slug: Read<string | null>
  changes: Read<Record<string, unknown>>
  details: Read<Record<string, unknown>>
}

export interface EventsTables {
  events: EventsTable
}
