import type { ActorType, AuditOutcome, AuditSource } from '@atrium/core/audit/audit'
import type { InvoiceStatus } from '@atrium/core/billing/billing'
import type {
  AdjustmentState,
  LedgerEntryType,
  LedgerSource,
  PayoutStatus,
} from '@atrium/core/billing/payouts'
import type { PriceScheme, PriceState, PriceTier } from '@atrium/core/billing/prices'
import type {
  BillingCycle,
  PendingChange,
  SubscriptionSource,
  SubscriptionStatus,
} from '@atrium/core/billing/subscriptions'
import type { WebhookState } from '@atrium/core/billing/webhooks'
import type { MailTemplateKey, TemplateKey } from '@atrium/core/branding/email-templates'
import type { FlagGuard, FlagRollback } from '@atrium/core/flags/flag-guards'
import type {
  FlagChangeKind,
  FlagSettings,
  FlagState,
  Prerequisite,
} from '@atrium/core/flags/flags'
import type { GatheredHealth, HealthBand } from '@atrium/core/health-scores/health'
import type {
  DmarcPolicy,
  DnsRecord,
  DomainCheckCause,
  DomainState,
  RecordVerdict,
} from '@atrium/core/mail/domains'
import type { ListState } from '@atrium/core/mail/lists'
import type { MailState } from '@atrium/core/mail/mail-states'
import type { ImportRowState } from '@atrium/core/members/member-import'
import type { CalendarAttachment, MailValue } from '@atrium/core/outbox/outbox'
import type { PartnerAccess, PartnerStatus } from '@atrium/core/partners/partners'
import type { Language } from '@atrium/core/platform/language'
import type { MfaMode } from '@atrium/core/security-policy/security-policy'
import type {
  HealthFactor,
  Plan,
  ProvisioningStep,
  PurgePart,
  SeatMode,
  StepState,
  SuspendedBy,
  SuspensionMode,
  TenantRole,
  TenantStatus,
} from '@atrium/core/tenants/tenants'
import type { ColumnType, Generated, JSONColumnType } from 'kysely'
import type { SchedulingTables } from './scheduling-tables.ts'

type Moment = ColumnType<Date, Date | string | undefined, Date | string>
type RequiredMoment = ColumnType<Date, Date | string, Date | string>
/** `bigint`: comes as text, goes as a whole number or text. */
type Amount = ColumnType<string, number | bigint | string, number | bigint | string>
type GeneratedAmount = ColumnType<
  string,
  number | bigint | string | undefined,
  number | bigint | string
>
type OptionalAmount = ColumnType<
  string | null,
  number | bigint | string | null | undefined,
  number | bigint | string | null
>
type OptionalMoment = ColumnType<
  Date | null,
  Date | string | null | undefined,
  Date | string | null
>

export interface PartnersTable {
  id: Generated<string>
  slug: string
  name: string
  status: Generated<PartnerStatus>
  domain: string | null
  margin_pct: ColumnType<string, number | string | undefined, number | string>
  contact_name: string | null
  contact_email: string | null
  contact_phone: string | null
  billing_company: string | null
  billing_vat_number: string | null
  billing_country: string | null
  billing_email: string | null
  settings: ColumnType<unknown, string | undefined, string>
  branding: ColumnType<unknown, string | undefined, string>
  self_billing_consent_at: OptionalMoment
  suspended_at: OptionalMoment
  suspended_reason: string | null
  terminated_at: OptionalMoment
  created_at: Moment
  updated_at: Moment
}

export interface AuditDenialsTable {
  actor_id: string
  action: string
  place: string
  minute: RequiredMoment
  calls: Generated<number>
  event: JSONColumnType<Record<string, unknown>>
}

export interface TenantLimitsTable {
  tenant_id: string
  name: string
  most: number
  changed_at: Moment
}

export interface TenantPartnersTable {
  id: Generated<string>
  tenant_id: string
  partner_id: string
  valid_from: Moment
  valid_to: OptionalMoment
}

export interface PartnerMarginsTable {
  id: Generated<string>
  partner_id: string
  margin_pct: ColumnType<string, number | string, number | string>
  /** `2027-01-01` */
  effective_from: string
  set_by: string | null
  reason: string | null
  created_at: Moment
}

export interface SavedReportsTable {
  id: Generated<string>
  partner_id: string
  name: string
  kind: string
  params: ColumnType<unknown, string | undefined, string>
  created_by: string | null
  created_at: Moment
}

export interface PricesTable {
  id: Generated<string>
  plan: Plan
  cycle: BillingCycle
  version: number
  state: Generated<PriceState>
  scheme: Generated<PriceScheme>
  min_seats: Generated<number>
  max_seats: number | null
  trial_days: Generated<number>
  visible_from: OptionalMoment
  visible_until: OptionalMoment
  partner_ids: string[] | null
  note: string | null
  created_at: Moment
  updated_at: Moment
}

export interface PriceAmountsTable {
  price_id: string
  currency: string
  unit_amount: Amount
  tiers: JSONColumnType<PriceTier[] | null, string | null | undefined, string | null>
  stripe_price_id: string | null
  stripe_error: string | null
}

export interface SubscriptionsTable {
  id: Generated<string>
  tenant_id: string
  source: SubscriptionSource
  stripe_subscription_id: string | null
  stripe_item_id: string | null
  stripe_price_id: string | null
  price_id: string | null
  plan: Plan
  cycle: BillingCycle
  currency: string
  per_seat_amount: Amount
  period_amount: OptionalAmount
  seats: number
  status: SubscriptionStatus
  /** As the payment processor wrote it, also where we do not know the word. */
  stripe_status: string | null
  trial_start: OptionalMoment
  trial_end: OptionalMoment
  current_period_start: OptionalMoment
  current_period_end: OptionalMoment
  cancel_at_period_end: Generated<boolean>
  cancel_at: OptionalMoment
  canceled_at: OptionalMoment
  ended_at: OptionalMoment
  cancel_reason: string | null
  cancel_feedback: string | null
  cancel_comment: string | null
  collection_paused_behavior: 'keep_as_draft' | 'mark_uncollectible' | 'void' | null
  collection_resumes_at: OptionalMoment
  paused_at: OptionalMoment
  pause_reason: string | null
  past_due_since: OptionalMoment
  pending: JSONColumnType<PendingChange | null, string | null | undefined, string | null>
  pending_attempts: Generated<number>
  pending_next_at: OptionalMoment
  pending_error: string | null
  billing_anchor: OptionalMoment
  latest_invoice_id: string | null
  stripe_event_at: OptionalMoment
  stripe_event_id: string | null
  state_since: Moment
  version: Generated<number>
  created_at: Moment
  updated_at: Moment
}

export interface SubscriptionHistoryTable {
  id: Generated<string>
  subscription_id: string
  tenant_id: string
  partner_id: string | null
  plan: Plan
  cycle: BillingCycle
  currency: string
  status: SubscriptionStatus
  per_seat_amount: Amount
  period_amount: OptionalAmount
  seats: number
  cancel_at_period_end: boolean
  valid_from: RequiredMoment
  valid_to: OptionalMoment
  arr: ColumnType<string, never, never>
}

export interface PaymentCustomersTable {
  tenant_id: string
  /** Null once the customer was deleted at the processor, until the next one is made. */
  customer_id: string | null
  /** Customers that were deleted; what still comes of them is this tenant's. */
  former_ids: Generated<string[]>
  card: ColumnType<unknown, string | null | undefined, string | null>
  card_read_at: OptionalMoment
  card_chosen_at: OptionalMoment
  card_failure: string | null
  card_failure_at: OptionalMoment
  tax_id: string | null
  tax_id_value: string | null
  tax_id_status: string | null
  tax_id_read_at: OptionalMoment
  created_at: Moment
}

export interface WebhookInboxTable {
  /** The event's own id. */
  id: string
  type: string
  object_id: string | null
  api_version: string | null
  created: RequiredMoment
  livemode: boolean
  payload: ColumnType<unknown, string, never>
  state: Generated<WebhookState>
  attempts: Generated<number>
  next_at: OptionalMoment
  lease_until: OptionalMoment
  /** Why it failed, or what became of it where that is not plain. */
  note: string | null
  received_at: Moment
  finished_at: OptionalMoment
}

export interface InvoicesTable {
  id: Generated<string>
  tenant_id: string
  stripe_invoice_id: string
  stripe_subscription_id: string | null
  number: string | null
  status: InvoiceStatus
  billing_reason: string | null
  currency: string
  subtotal: Amount
  discount: GeneratedAmount
  tax: GeneratedAmount
  total: Amount
  total_excluding_tax: Amount
  amount_due: Amount
  amount_paid: Amount
  amount_remaining: Amount
  amount_overpaid: GeneratedAmount
  credited_amount: GeneratedAmount
  refunded_amount: GeneratedAmount
  disputed_amount: GeneratedAmount
  period_start: OptionalMoment
  period_end: OptionalMoment
  due_date: OptionalMoment
  next_payment_attempt: OptionalMoment
  attempt_count: Generated<number>
  finalized_at: OptionalMoment
  paid_at: OptionalMoment
  voided_at: OptionalMoment
  uncollectible_at: OptionalMoment
  partner_id: string | null
  margin_pct: ColumnType<string | null, number | string | null | undefined, number | string | null>
  lines: ColumnType<unknown, string | undefined, string>
  created_at: RequiredMoment
  read_at: Moment
}

export interface InvoiceReversalsTable {
  id: string
  invoice_id: string
  kind: 'refund' | 'credit_note' | 'dispute'
  amount: Amount
  amount_excluding_tax: OptionalAmount
  status: string
  effective: boolean
  created_at: RequiredMoment
  read_at: Moment
}

/** The dunning of one stretch of missed payments of a subscription. */
export interface DunningCasesTable {
  id: Generated<string>
  subscription_id: string
  tenant_id: string
  past_due_since: RequiredMoment
  /** The reminder days that were carried out. */
  reminded_days: Generated<number[]>
  limited_at: OptionalMoment
  suspended_at: OptionalMoment
  closed_at: OptionalMoment
  outcome: 'recovered' | 'ended' | null
  created_at: Moment
}

export interface BillingReconciliationsTable {
  id: Generated<string>
  started_at: Moment
  finished_at: OptionalMoment
  tenants: Generated<number>
  failed: Generated<number>
  error: string | null
}

export interface BillingDifferencesTable {
  id: Generated<string>
  reconciliation_id: string
  tenant_id: string
  object_type: 'subscription' | 'invoice'
  object_id: string
  kind: 'missing_here' | 'missing_there' | 'differs'
  fields: ColumnType<unknown, string, never>
  repaired: boolean
  found_at: Moment
}

export interface PartnerLedgerTable {
  id: Generated<string>
  partner_id: string
  currency: string
  type: LedgerEntryType
  amount: Amount
  base_amount: OptionalAmount
  margin_pct: ColumnType<string | null, number | string | null | undefined, never>
  tenant_id: string | null
  invoice_id: string | null
  source_type: LedgerSource
  source_id: string
  reason: string | null
  created_by: string | null
  available_at: RequiredMoment
  created_at: Moment
}

export interface PayoutsTable {
  id: Generated<string>
  partner_id: string
  currency: string
  amount: Amount
  status: PayoutStatus
  period_from: OptionalMoment
  period_to: RequiredMoment
  statement_number: string | null
  held_reason: string | null
  requested_by: string | null
  approved_by: string | null
  approved_at: OptionalMoment
  sent_at: OptionalMoment
  paid_at: OptionalMoment
  canceled_at: OptionalMoment
  reference: string | null
  failure_reason: string | null
  statement: ColumnType<unknown, never, string>
  version: Generated<number>
  created_at: Moment
  updated_at: Moment
}

export interface PayoutEntriesTable {
  entry_id: string
  payout_id: string
}

export interface LedgerAdjustmentsTable {
  id: Generated<string>
  partner_id: string
  currency: string
  amount: Amount
  reason: string
  state: AdjustmentState
  requested_by: string | null
  decided_by: string | null
  created_at: Moment
  decided_at: OptionalMoment
}

export interface TenantHealthTable {
  tenant_id: string
  score: number | null
  band: HealthBand
  factors: ColumnType<HealthFactor[], string, string>
  gathered: ColumnType<GatheredHealth, string, string>
  due: Generated<boolean>
  computed_at: RequiredMoment
}

export interface TenantHealthDaysTable {
  /** `2027-01-31` */
  day: string
  tenant_id: string
  score: number | null
  band: HealthBand
}

export interface HealthSummariesTable {
  /** `2027-01-31` */
  day: string
  /** Null for the whole platform. */
  partner_id: string | null
  band: HealthBand
  tenants: number
  mrr: ColumnType<{ currency: string; mrrMinor: number }[], string, string>
  computed_at: RequiredMoment
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
  industry: string | null
  brand_color: string | null
  language: Language | null
  billing_company: string | null
  billing_vat_number: string | null
  billing_country: string | null
  billing_email: string | null
  identity_group_id: string | null
  /** Null: the slug. */
  identity_group_name: string | null
  /** `infinity` while the group is being renamed. */
  identity_group_changed_at: OptionalMoment
  file_space_id: string | null
  suspended_reason: string | null
  suspended_at: OptionalMoment
  /** Null also for a suspension by a program of before 0050. */
  suspension_mode: SuspensionMode | null
  suspended_by: SuspendedBy | null
  deleted_at: OptionalMoment
  /** Null unless deleted, and for deletions by programs of before 0051. */
  restore_until: OptionalMoment
  purge_started_at: OptionalMoment
  purged_at: OptionalMoment
  provisioning_run: string | null
  provisioning_lease_until: OptionalMoment
  entitlements_due_at: OptionalMoment
  created_at: Moment
  updated_at: Moment
}

export interface TenantPurgesTable {
  tenant_id: string
  part: PurgePart
  state: Generated<'pending' | 'ok' | 'error'>
  error: string | null
  attempt: Generated<number>
  next_at: OptionalMoment
  finished_at: OptionalMoment
}

export interface PlanGrantsTable {
  id: Generated<string>
  tenant_id: string
  plan: Plan
  seats: number
  given_by: 'operator' | 'partner' | 'upgrade'
  given_by_user: string | null
  created_at: Moment
  ends_at: OptionalMoment
  revoked_at: OptionalMoment
}

export interface TrialUsesTable {
  id: Generated<string>
  tenant_id: string
  user_id: string | null
  domain: string | null
  used_at: Moment
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
  /** Counts the changes of what the step has to bring about. */
  version: Generated<number>
}

export interface DomainsTable {
  id: Generated<string>
  tenant_id: string
  name: string
  is_primary: Generated<boolean>
  mail_domain_id: string | null
  /** The mail server's domain that waits under another name for the proof of ownership. */
  mail_pending_id: string | null
  state: Generated<DomainState>
  verified_at: OptionalMoment
  ownership_token: Generated<string>
  dmarc_policy: Generated<DmarcPolicy>
  dmarc_rua: string | null
  dmarc_pct: Generated<number>
  mail_records: JSONColumnType<DnsRecord[] | null, string | null | undefined, string | null>
  mail_records_complete: Generated<boolean>
  /** The report address that the mail server was last told. */
  mail_report_address: string | null
  mail_error: string | null
  /** The name that a deleted tenant gave up; `name` is below the platform's domain since. */
  released_name: string | null
  /** The mail server may have the domain under another name. */
  mail_rename_due: Generated<boolean>
  /** Until when one process alone tells the mail server the name. */
  mail_rename_until: OptionalMoment
  verdicts: ColumnType<RecordVerdict[], string | undefined, string>
  last_checked_at: OptionalMoment
  next_check_at: OptionalMoment
  created_at: Moment
}

export interface MailDomainRemovalsTable {
  mail_domain_id: string
  requested_at: Moment
  next_at: Moment
}

export interface DomainChecksTable {
  id: Generated<string>
  domain_id: string
  at: Moment
  cause: DomainCheckCause
  state: DomainState
  previous_state: DomainState
  regressed: Generated<boolean>
  verdicts: ColumnType<RecordVerdict[], string, never>
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
  language: Language | null
  platform_admin: Generated<boolean>
  platform_admin_changed_at: OptionalMoment
  partner_id: string | null
  /** Set exactly while `partner_id` is. */
  partner_access: PartnerAccess | null
  deactivated_at: OptionalMoment
  /** The tenant whose admins manage this person's sign-in. */
  home_tenant_id: string | null
  /**
   * The identity was deleted; the row stays for a while so that no old token brings the person
   * back.
   */
  removed_at: OptionalMoment
  last_seen_at: OptionalMoment
  /**
   * The identity was made inactive because every tenant of the person is shut, and for no other
   * reason.
   */
  sign_in_ended_at: OptionalMoment
  /** Has not accepted an invitation yet: the row is nobody's record and grants nothing. */
  invited: Generated<boolean>
  /** The address that was proved by a mailed link; proves nothing once `email` is another one. */
  proved_email: string | null
  proved_at: OptionalMoment
  /**
   * On a closed record: whose identity took the place of this one, until the identity provider has
   * followed.
   */
  replaced_by: string | null
  created_at: Moment
  updated_at: Moment
}

export interface AccessLinksTable {
  user_id: string
  /** Where the link was sent. */
  email: string
  /** SHA-256. */
  token_hash: Buffer
  expires_at: Moment
  created_at: Moment
}

export interface IdentitySyncTasksTable {
  user_id: string
  mark: Generated<string>
  /** Mailboxes and file accounts in the tenants have to follow too. */
  everywhere: Generated<boolean>
  /** The provider's group of administrators. */
  administrators: Generated<boolean>
  /** The provider's group of partner staff. */
  staff: Generated<boolean>
  /** Name and contact data. */
  profile: Generated<boolean>
  /** The address that the person signs in with. */
  address: Generated<boolean>
  /** Made inactive for a moment, to end its tokens. */
  reopen: Generated<boolean>
  attempts: Generated<number>
  next_at: RequiredMoment
  error: string | null
  created_at: Moment
  /** Who tells the provider of the person at present, and until when without a sign of life. */
  run: Generated<string | null>
  lease_until: OptionalMoment
}

export interface FormerFileAccountsTable {
  user_id: string
  username: string
  subject: string
  removed_at: Moment
  disabled: Generated<string[]>
  next_at: Moment
}

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
  /** What the account was allowed before it was frozen, as the mail server told it. */
  mail_permissions: unknown
  file_account_id: string | null
  identity_state: Generated<StepState>
  identity_error: string | null
  identity_changed_at: OptionalMoment
  mail_state: Generated<StepState>
  mail_error: string | null
  files_state: Generated<StepState>
  files_error: string | null
  needs_password: Generated<boolean>
  profile_due: Generated<boolean>
  attempt: Generated<number>
  next_at: OptionalMoment
  run: string | null
  lease_until: OptionalMoment
  created_at: Moment
  updated_at: Moment
  /** Counts the changes of what the steps have to bring about. */
  version: Generated<number>
}

export interface MemberImportsTable {
  id: Generated<string>
  tenant_id: string
  requested_by: string
  /** Null for an import of a program of before. */
  requester_id: Generated<string | null>
  by_operator: Generated<boolean>
  run: string | null
  lease_until: OptionalMoment
  created_at: Moment
  finished_at: OptionalMoment
}

export interface MemberImportRowsTable {
  import_id: string
  line: number
  fields: ColumnType<Record<string, string>, string, never>
  state: ImportRowState
  code: string | null
  message: string | null
  issues: ColumnType<{ path: string; message: string }[], string | undefined, string>
  user_id: string | null
}

export interface MembershipRevocationsTable {
  tenant_id: string
  user_id: string
  revoked_at: Moment
}

export interface MailListsTable {
  id: Generated<string>
  tenant_id: string
  address: string
  name: string
  mail_list_id: string | null
  address_vacant: Generated<boolean>
  state: Generated<ListState>
  error: string | null
  version: Generated<number>
  attempt: Generated<number>
  next_at: OptionalMoment
  push_run: string | null
  push_lease_until: OptionalMoment
  created_at: Moment
  updated_at: Moment
}

export interface MailListRecipientsTable {
  list_id: string
  address: string
}

export interface SecurityPoliciesTable {
  tenant_id: string
  mfa_mode: MfaMode
  session_idle_minutes: number | null
  session_absolute_minutes: number | null
  allowed_countries: string[]
  ip_allowlist: string[]
  updated_at: Moment
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
  chain: ColumnType<string | null, never, never>
  chain_seq: ColumnType<number | null, never, never>
}

export interface AuditChainHeadsTable {
  chain: string
  seq: ColumnType<number, never, never>
  hash: ColumnType<string, never, never>
}

export interface IdempotencyKeysTable {
  scope: string
  key: string
  request_hash: string
  state: Generated<'running' | 'done' | 'withheld'>
  status: number | null
  /** Written by programs before 0031 alone. */
  body: string | null
  run: string | null
  lease_until: OptionalMoment
  sealed: Buffer | null
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
  created_at: Moment
  changed_at: Moment
}

export interface BrandingsTable {
  tenant_id: string
  product_name: string | null
  accent_color: string | null
  updated_at: Moment
}

export interface EmailTemplatesTable {
  tenant_id: string
  key: TemplateKey
  subject: string
  html: string | null
  text: string
  updated_at: Moment
}

export interface MailProfileLinksTable {
  token_hash: Buffer
  address: string
  name: string
  organisation: string
  expires_at: RequiredMoment
}

export interface UpstreamCacheTable {
  user_id: string
  kind: 'second_factors' | 'file_usage'
  value: unknown
  failure: string | null
  read_at: OptionalMoment
  claimed_until: OptionalMoment
}

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
  enabled_from: OptionalMoment
  enabled_until: OptionalMoment
  stale_after: string | null
  killed_at: OptionalMoment
  rollback: JSONColumnType<FlagRollback | null, string | null | undefined, string | null>
  note: string
  version: Generated<number>
  created_at: Moment
  updated_at: Moment
  updated_by: string | null
  removed_at: OptionalMoment
}

/** Unlogged: emptied by a crash of the server. */
export interface TenantRequestCountsTable {
  tenant_id: string
  minute: RequiredMoment
  requests: number
  failures: number
}

/** Kept for 90 days. */
export interface UpstreamDaysTable {
  system: string
  day: string
  calls: number
  failures: number
  last_failed_at: Date | null
  last_failure: string | null
}

/** Append-only; `kind` is what the audit log calls the same change. */
export interface FlagChangesTable {
  id: Generated<string>
  flag_key: string
  version: number
  kind: FlagChangeKind
  at: Moment
  actor_id: string | null
  actor_email: string | null
  note: string
  before: ColumnType<FlagSettings | null, string | null, never>
  after: ColumnType<FlagSettings | null, string | null, never>
  audit_id: Generated<string>
}

export interface FlagUsesTable {
  flag_key: string
  last_asked_at: RequiredMoment
}

export interface OutboxTable {
  id: Generated<string>
  key: string
  tenant_id: string | null
  template: MailTemplateKey
  /** Null once it was erased. */
  recipient: string | null
  recipient_name: string | null
  values: ColumnType<Record<string, MailValue>, string | undefined, string>
  message_id: string
  state: Generated<MailState>
  attempts: Generated<number>
  next_at: OptionalMoment
  run: string | null
  lease_until: OptionalMoment
  error: string | null
  created_at: Moment
  sent_at: OptionalMoment
  changed_at: Moment
  /** The booking that the mail is about. */
  booking_id: string | null
  calendar: ColumnType<CalendarAttachment | null, string | null | undefined, string | null>
}

export interface Tables extends SchedulingTables {
  outbox: OutboxTable
  flags: FlagsTable
  flag_changes: FlagChangesTable
  flag_uses: FlagUsesTable
  tenant_request_counts: TenantRequestCountsTable
  upstream_days: UpstreamDaysTable
  former_file_accounts: FormerFileAccountsTable
  user_readings: UpstreamCacheTable
  sso_apps: SsoAppsTable
  brandings: BrandingsTable
  email_templates: EmailTemplatesTable
  mail_profile_links: MailProfileLinksTable
  partners: PartnersTable
  audit_denials: AuditDenialsTable
  tenant_limits: TenantLimitsTable
  tenant_partners: TenantPartnersTable
  partner_margins: PartnerMarginsTable
  saved_reports: SavedReportsTable
  prices: PricesTable
  price_amounts: PriceAmountsTable
  subscriptions: SubscriptionsTable
  plan_grants: PlanGrantsTable
  trial_uses: TrialUsesTable
  subscription_history: SubscriptionHistoryTable
  payment_customers: PaymentCustomersTable
  webhook_inbox: WebhookInboxTable
  invoices: InvoicesTable
  invoice_reversals: InvoiceReversalsTable
  dunning_cases: DunningCasesTable
  billing_reconciliations: BillingReconciliationsTable
  billing_differences: BillingDifferencesTable
  partner_ledger: PartnerLedgerTable
  payouts: PayoutsTable
  payout_entries: PayoutEntriesTable
  ledger_adjustments: LedgerAdjustmentsTable
  tenant_health: TenantHealthTable
  tenant_health_days: TenantHealthDaysTable
  health_summaries: HealthSummariesTable
  tenants: TenantsTable
  provisioning_steps: ProvisioningStepsTable
  tenant_purges: TenantPurgesTable
  domains: DomainsTable
  domain_checks: DomainChecksTable
  mail_domain_removals: MailDomainRemovalsTable
  users: UsersTable
  access_links: AccessLinksTable
  identity_dues: IdentitySyncTasksTable
  memberships: MembershipsTable
  membership_revocations: MembershipRevocationsTable
  member_imports: MemberImportsTable
  member_import_rows: MemberImportRowsTable
  mail_lists: MailListsTable
  mail_list_recipients: MailListRecipientsTable
  security_policies: SecurityPoliciesTable
  audit_events: AuditEventsTable
  audit_chain_heads: AuditChainHeadsTable
  idempotency_keys: IdempotencyKeysTable
  web_sessions: WebSessionsTable
}
