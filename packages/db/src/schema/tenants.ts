import type { TemplateKey } from '@atrium/core/branding/template-keys'
import type { Language } from '@atrium/core/platform/language'
import type { MfaMode } from '@atrium/core/security-policy/security-policy'
import type {
  Plan,
  ProvisioningStep,
  PurgePart,
  SeatMode,
  StepState,
  SuspendedBy,
  SuspensionMode,
  TenantStatus,
} from '@atrium/core/tenants/tenants'
import type { ColumnType, Generated } from 'kysely'
import type { OptionalTimestamp, Timestamp } from './columns.ts'

export interface TenantLimitsTable {
  tenant_id: string
  name: string
  most: number
  changed_at: Timestamp
}

export interface TenantsTable {
  id: Generated<string>
  slug: string
  name: string
  status: Generated<TenantStatus>
  plan: Generated<Plan>
  partner_id: string | null
  seats: Generated<number>
  seat_mode: Generated<SeatMode>
  /** Has no owner until somebody accepts an invitation as one. */
  awaits_owner: Generated<boolean>
  industry: string | null
  brand_color: string | null
  language: Language | null
  billing_company: string | null
  billing_vat_number: string | null
  billing_country: string | null
  billing_email: string | null
  billing_address: ColumnType<unknown, string | null | undefined, string | null>
  identity_group_id: string | null
  /** Null: the slug. */
  identity_group_name: string | null
  /** `infinity` while the group is being renamed. */
  identity_group_changed_at: OptionalTimestamp
  file_space_id: string | null
  suspended_reason: string | null
  suspended_at: OptionalTimestamp
  /** Null also for a suspension by a version before migration 0050. */
  suspension_mode: SuspensionMode | null
  suspended_by: SuspendedBy | null
  deleted_at: OptionalTimestamp
  /** Null unless deleted, and for deletions by versions before migration 0051. */
  restore_until: OptionalTimestamp
  purge_started_at: OptionalTimestamp
  purged_at: OptionalTimestamp
  provisioning_run: string | null
  provisioning_lease_until: OptionalTimestamp
  entitlements_due_at: OptionalTimestamp
  created_at: Timestamp
  updated_at: Timestamp
}

export interface TenantPurgesTable {
  tenant_id: string
  part: PurgePart
  state: Generated<'pending' | 'ok' | 'error'>
  error: string | null
  attempt: Generated<number>
  next_at: OptionalTimestamp
  finished_at: OptionalTimestamp
}

export interface ProvisioningStepsTable {
  tenant_id: string
  step: ProvisioningStep
  state: Generated<StepState>
  error: string | null
  attempt: Generated<number>
  next_at: OptionalTimestamp
  started_at: OptionalTimestamp
  finished_at: OptionalTimestamp
  changed_at: Timestamp
  /** Counts the changes of what the step has to bring about. */
  version: Generated<number>
}

export interface SecurityPoliciesTable {
  tenant_id: string
  mfa_mode: MfaMode
  session_idle_minutes: number | null
  session_absolute_minutes: number | null
  allowed_countries: string[]
  ip_allowlist: string[]
  /** False for a policy of before migration 0130 that was not saved again. */
  enforced: Generated<boolean>
  /** When the mode was switched to `required`; null in every other mode. */
  mfa_required_since: OptionalTimestamp
  mfa_grace_days: Generated<number>
  /** Set while the identity provider does not have the policy yet; another value per change. */
  provider_mark: string | null
  provider_next_at: OptionalTimestamp
  /** One process writes at a time, so that no older policy is written after a newer one. */
  provider_lease_until: OptionalTimestamp
  provider_attempts: Generated<number>
  provider_error: string | null
  updated_at: Timestamp
}

export interface SsoAppsTable {
  id: Generated<string>
  tenant_id: string
  name: string
  slug: string
  state: Generated<'pending' | 'active' | 'removing'>
  provider_id: string | null
  client_id: string
  redirect_uris: string[]
  launch_url: string | null
  created_at: Timestamp
  changed_at: Timestamp
}

export interface BrandingsTable {
  tenant_id: string
  product_name: string | null
  accent_color: string | null
  updated_at: Timestamp
}

export interface EmailTemplatesTable {
  tenant_id: string
  key: TemplateKey
  subject: string
  html: string | null
  text: string
  updated_at: Timestamp
}

export interface TenantsTables {
  tenant_limits: TenantLimitsTable
  tenants: TenantsTable
  tenant_purges: TenantPurgesTable
  provisioning_steps: ProvisioningStepsTable
  security_policies: SecurityPoliciesTable
  sso_apps: SsoAppsTable
  brandings: BrandingsTable
  email_templates: EmailTemplatesTable
}
