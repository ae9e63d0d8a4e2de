import type {
  GrantEnding,
  GrantKind,
  GrantRole,
  GrantScope,
  GrantStatus,
} from '@atrium/core/access-grants/access-grants'
import type { Generated } from 'kysely'
import type { OptionalTimestamp, RequiredTimestamp } from './columns.ts'

export interface AccessGrantsTable {
  tenant_id: string
  id: Generated<string>
  kind: GrantKind
  status: GrantStatus
  /** Who has or wants the access; null once that person was deleted. */
  user_id: string | null
  /** The partner whose staff the person is; null for operators. */
  partner_id: string | null
  role: GrantRole
  scopes: GrantScope[]
  reason: string
  requested_at: RequiredTimestamp
  expires_at: RequiredTimestamp
  ends_at: RequiredTimestamp
  decided_by: string | null
  decided_at: OptionalTimestamp
  decline_reason: string | null
  ended_by: string | null
  ended_at: OptionalTimestamp
  ending: GrantEnding | null
  end_recorded: Generated<boolean>
  acknowledged_by: string | null
  acknowledged_at: OptionalTimestamp
}

export interface AccessGrantsTables {
  access_grants: AccessGrantsTable
}
