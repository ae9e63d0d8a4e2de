import type { ServiceTokenKind } from '@atrium/core/service-tokens/scopes'
import type { DeliveryKind, DisabledReason } from '@atrium/core/webhook-endpoints/webhook-endpoints'
import type { Generated } from 'kysely'
import type { GeneratedBigint, OptionalTimestamp, RequiredTimestamp } from './columns.ts'

export interface WebhookEndpointsTable {
  id: Generated<string>
  kind: ServiceTokenKind
  tenant_id: string | null
  partner_id: string | null
  url: string
  description: string
  /** Empty: all types. */
  types: string[]
  /** Encrypted. */
  secret: Buffer
  previous_secret: Buffer | null
  previous_ends_at: OptionalTimestamp
  created_by: string | null
  created_at: RequiredTimestamp
  cursor: string
  disabled_at: OptionalTimestamp
  disabled_reason: DisabledReason | null
  failing_since: OptionalTimestamp
  /** Failed tries of the event behind the cursor. */
  attempts: Generated<number>
  due_at: OptionalTimestamp
  wakes: GeneratedBigint
  run: string | null
  lease_until: OptionalTimestamp
}

export interface WebhookDeliveriesTable {
  id: Generated<string>
  endpoint_id: string
  event_id: string
  event_type: string
  kind: DeliveryKind
  attempt: number
  at: RequiredTimestamp
  milliseconds: number
  status: number | null
  error: string | null
  request: string
  response: string | null
}

/** One row. */
export interface EventDispatchTable {
  one: Generated<boolean>
  cursor: string
}

export interface WebhookEndpointsTables {
  webhook_endpoints: WebhookEndpointsTable
  webhook_deliveries: WebhookDeliveriesTable
  event_dispatch: EventDispatchTable
}
