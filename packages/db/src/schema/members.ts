import type { ImportRowState } from '@atrium/core/members/member-import'
import type { ErrorText } from '@atrium/core/platform/error-text'
import type { StepState, TenantRole } from '@atrium/core/tenants/tenants'
import type { ColumnType, Generated, JSONColumnType } from 'kysely'
import type { OptionalTimestamp, Timestamp } from './columns.ts'

export interface MembershipsTable {
  tenant_id: string
  user_id: string
  role: TenantRole
  status: Generated<'provisioning' | 'active' | 'suspended' | 'removing'>
  mailbox_address: string | null
  bootstrap_admin: Generated<boolean>
  mail_account_id: string | null
  /**
   * The address was seen to be free in the mail server, so an account found under it later is ours.
   */
  mail_vacant: Generated<boolean>
  mail_frozen: Generated<boolean>
  /** The permissions of the account before it was frozen, as the mail server returned them. */
  mail_permissions: unknown
  file_account_id: string | null
  /** What the directory that provisions the member calls it (SCIM). */
  scim_external_id: string | null
  /** The directory's user name as it writes it; without effect once it is not the address. */
  scim_user_name: string | null
  identity_state: Generated<StepState>
  identity_error: string | null
  identity_changed_at: OptionalTimestamp
  mail_state: Generated<StepState>
  mail_error: string | null
  files_state: Generated<StepState>
  files_error: string | null
  needs_password: Generated<boolean>
  profile_due: Generated<boolean>
  attempt: Generated<number>
  next_at: OptionalTimestamp
  run: string | null
  lease_until: OptionalTimestamp
  created_at: Timestamp
  updated_at: Timestamp
  /** Counts the changes of what the steps have to bring about. */
  version: Generated<number>
}

export interface MemberImportsTable {
  id: Generated<string>
  tenant_id: string
  requested_by: string
  /** Null for an import that an earlier version started. */
  requester_id: Generated<string | null>
  by_operator: Generated<boolean>
  /** The access grant under which it was started; null for one in the requester's own right. */
  grant_id: Generated<string | null>
  run: string | null
  lease_until: OptionalTimestamp
  created_at: Timestamp
  finished_at: OptionalTimestamp
}

export interface MemberImportRowsTable {
  /** The version before leaves it to a trigger (migration 0200). */
  tenant_id: Generated<string>
  import_id: string
  line: number
  fields: ColumnType<Record<string, string>, string, never>
  state: ImportRowState
  code: string | null
  message: string | null
  /** `message` before it was written in English. */
  text: JSONColumnType<ErrorText | null, string | null | undefined, string | null>
  issues: ColumnType<{ path: string; message: string }[], string | undefined, string>
  user_id: string | null
}

export interface MembershipRevocationsTable {
  tenant_id: string
  user_id: string
  revoked_at: Timestamp
}

export interface MembersTables {
  memberships: MembershipsTable
  member_imports: MemberImportsTable
  member_import_rows: MemberImportRowsTable
  membership_revocations: MembershipRevocationsTable
}
