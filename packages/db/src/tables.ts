import type { ActorType, AuditOutcome, AuditSource } from '@atrium/core/audit'
import type { Plan, ProvisioningStep, StepState, TenantRole, TenantStatus } from '@atrium/core/tenants'
import type { ColumnType, Generated, JSONColumnType } from 'kysely'

type Moment = ColumnType<Date, Date | string | undefined, Date | string>
type RequiredMoment = ColumnType<Date, Date | string, Date | string>
type OptionalMoment = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>

export interface PartnersTable {
  id: Generated<string>
  slug: string
  name: string
  status: Generated<'active' | 'suspended' | 'terminated'>
  created_at: Moment
  updated_at: Moment
}

export interface TenantsTable {
  id: Generated<string>
  slug: string
  name: string
  status: Generated<TenantStatus>
  plan: Generated<Plan>
  partner_id: string | null
  seats: Generated<number>
  industry: string | null
  brand_color: string | null
  billing_company: string | null
  billing_vat_number: string | null
  billing_country: string | null
  billing_email: string | null
  identity_group_id: string | null
  file_space_id: string | null
  suspended_reason: string | null
  suspended_at: OptionalMoment
  deleted_at: OptionalMoment
  provisioning_run: string | null
  provisioning_lease_until: OptionalMoment
  created_at: Moment
  updated_at: Moment
}

export interface ProvisioningStepsTable {
  tenant_id: string
  step: ProvisioningStep
  state: Generated<StepState>
  error: string | null
  attempt: Generated<number>
  next_at: OptionalMoment
  started_at: OptionalMoment
  finished_at: OptionalMoment
  changed_at: Moment
}

export interface DomainsTable {
  id: Generated<string>
  tenant_id: string
  name: string
  is_primary: Generated<boolean>
  mail_domain_id: string | null
  created_at: Moment
}

export interface UsersTable {
  id: Generated<string>
  idp_subject_id: string
  idp_user_id: string | null
  email: string
  name: string
  first_name: string | null
  last_name: string | null
  phone: string | null
  alternative_email: string | null
  platform_admin: Generated<boolean>
  platform_admin_changed_at: OptionalMoment
  partner_id: string | null
  deactivated_at: OptionalMoment
  last_seen_at: OptionalMoment
  created_at: Moment
  updated_at: Moment
}

export interface MembershipsTable {
  tenant_id: string
  user_id: string
  role: TenantRole
  status: Generated<'active' | 'suspended'>
  mailbox_address: string | null
  created_at: Moment
  updated_at: Moment
}

export interface MembershipRevocationsTable {
  tenant_id: string
  user_id: string
  revoked_at: Moment
}

export interface AuditEventsTable {
  id: Generated<string>
  at: RequiredMoment
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
}

export interface IdempotencyKeysTable {
  scope: string
  key: string
  request_hash: string
  state: Generated<'running' | 'done' | 'withheld'>
  status: number | null
  body: string | null
  created_at: Moment
  expires_at: RequiredMoment
}

export interface WebSessionsTable {
  id: Generated<string>
  app: 'portal' | 'operator'
  token_hash: Buffer
  subject: string
  idp_session_id: string | null
  email: string | null
  tokens: Buffer
  access_expires_at: RequiredMoment
  created_at: Moment
  last_used_at: Moment
  expires_at: RequiredMoment
}

export interface Tables {
  partners: PartnersTable
  tenants: TenantsTable
  provisioning_steps: ProvisioningStepsTable
  domains: DomainsTable
  users: UsersTable
  memberships: MembershipsTable
  membership_revocations: MembershipRevocationsTable
  audit_events: AuditEventsTable
  idempotency_keys: IdempotencyKeysTable
  web_sessions: WebSessionsTable
}
