import type { InvitationKind } from '@atrium/core/invitations/invitations'
import type { PartnerAccess } from '@atrium/core/partners/partner-access'
import type { Language } from '@atrium/core/platform/language'
import type { TenantRole } from '@atrium/core/tenants/tenants'
import type { ColumnType, Generated } from 'kysely'
import type { OptionalTimestamp, RequiredTimestamp, Timestamp } from './columns.ts'

export interface InvitationsTable {
  id: Generated<string>
  kind: InvitationKind
  /** Of a member or owner. */
  tenant_id: string | null
  /** Of staff. */
  partner_id: string | null
  email: string
  name: string
  first_name: string | null
  last_name: string | null
  phone: string | null
  alternative_email: string | null
  role: TenantRole | null
  access: PartnerAccess | null
  list_ids: ColumnType<string[], string[] | undefined, never>
  language: Language | null
  message: string | null
  /** SHA-256 of the token in the newest mail. */
  token_hash: Buffer | null
  invited_by: string | null
  inviter_name: string
  sends: Generated<number>
  created_at: Timestamp
  sent_at: OptionalTimestamp
  opened_at: OptionalTimestamp
  accepted_at: OptionalTimestamp
  accepted_by: string | null
  declined_at: OptionalTimestamp
  revoked_at: OptionalTimestamp
  /** When the end by `expires_at` was recorded. */
  expired_at: OptionalTimestamp
  expires_at: RequiredTimestamp
}

export interface InvitationsTables {
  invitations: InvitationsTable
}
