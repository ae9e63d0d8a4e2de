import type { ApprovalKind, ApprovalStatus } from '@atrium/core/billing/approvals'
import type {
  BillingCycle,
  PendingChange,
  SubscriptionSource,
  SubscriptionStatus,
} from '@atrium/core/billing/subscriptions'
import type { TaxBehavior } from '@atrium/core/billing/taxes'
import type { Plan } from '@atrium/core/tenants/tenants'
import type { ColumnType, Generated, JSONColumnType } from 'kysely'
import type {
  BigintColumn,
  OptionalBigint,
  OptionalTimestamp,
  RequiredTimestamp,
  Timestamp,
} from './columns.ts'

export interface SubscriptionsTable {
  id: Generated<string>
  tenant_id: string
  source: SubscriptionSource
  stripe_subscription_id: string | null
  stripe_item_id: string | null
  stripe_schedule_id: string | null
  stripe_price_id: string | null
  price_id: string | null
  plan: Plan
  cycle: BillingCycle
  currency: string
  per_seat_amount: BigintColumn
  period_amount: OptionalBigint
  /** Whether the amounts contain tax. */
  tax_behavior: Generated<TaxBehavior>
  /** What of it the last invoice contained. */
  contained_tax_percent: Generated<number>
  seats: number
  status: SubscriptionStatus
  /** As the payment processor wrote it, also where we do not know the word. */
  stripe_status: string | null
  trial_start: OptionalTimestamp
  trial_end: OptionalTimestamp
  current_period_start: OptionalTimestamp
  current_period_end: OptionalTimestamp
  cancel_at_period_end: Generated<boolean>
  cancel_at: OptionalTimestamp
  canceled_at: OptionalTimestamp
  ended_at: OptionalTimestamp
  cancel_reason: string | null
  cancel_feedback: string | null
  cancel_comment: string | null
  collection_paused_behavior: 'keep_as_draft' | 'mark_uncollectible' | 'void' | null
  collection_resumes_at: OptionalTimestamp
  paused_at: OptionalTimestamp
  pause_reason: string | null
  past_due_since: OptionalTimestamp
  pending: JSONColumnType<PendingChange | null, string | null | undefined, string | null>
  pending_attempts: Generated<number>
  pending_next_at: OptionalTimestamp
  pending_error: string | null
  billing_anchor: OptionalTimestamp
  latest_invoice_id: string | null
  stripe_event_at: OptionalTimestamp
  stripe_event_id: string | null
  state_since: Timestamp
  version: Generated<number>
  created_at: Timestamp
  updated_at: Timestamp
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
  per_seat_amount: BigintColumn
  period_amount: OptionalBigint
  seats: number
  cancel_at_period_end: boolean
  valid_from: RequiredTimestamp
  valid_to: OptionalTimestamp
  arr: ColumnType<string, never, never>
}

export interface PlanGrantsTable {
  id: Generated<string>
  tenant_id: string
  plan: Plan
  seats: number
  given_by: 'operator' | 'partner' | 'upgrade'
  given_by_user: string | null
  created_at: Timestamp
  ends_at: OptionalTimestamp
  revoked_at: OptionalTimestamp
}

export interface TrialUsesTable {
  id: Generated<string>
  tenant_id: string
  user_id: string | null
  domain: string | null
  used_at: Timestamp
}

/** What a subscription costs and holds, as an approval shows it. */
export interface ApprovalTerms {
  plan: Plan
  cycle: BillingCycle
  seats: number
  totalMinor: number
  /** Absent in rows that are older than prices with tax. */
  taxBehavior?: TaxBehavior
}

export interface PartnerApprovalsTable {
  tenant_id: string
  id: Generated<string>
  partner_id: string
  kind: ApprovalKind
  status: ApprovalStatus
  currency: string
  before_terms: JSONColumnType<ApprovalTerms | null, string | null, string | null>
  after_terms: JSONColumnType<ApprovalTerms, string, string>
  price_id: string | null
  added_amount: BigintColumn
  requested_by: string | null
  requested_at: RequiredTimestamp
  expires_at: RequiredTimestamp
  decided_by: string | null
  decided_at: OptionalTimestamp
  /** Of an order within the limit: when it was paid, or known never to be. */
  settled_at: OptionalTimestamp
  /** Of such an order whose payment was pending: the invoice that decides it. */
  stripe_invoice_id: string | null
  reason: string | null
  version: Generated<number>
}

export interface PartnerSpendingLimitsTable {
  tenant_id: string
  partner_id: string
  currency: string
  amount: BigintColumn
  set_by: string | null
  set_at: RequiredTimestamp
}

export interface SubscriptionsTables {
  subscriptions: SubscriptionsTable
  partner_approvals: PartnerApprovalsTable
  partner_spending_limits: PartnerSpendingLimitsTable
  subscription_history: SubscriptionHistoryTable
  plan_grants: PlanGrantsTable
  trial_uses: TrialUsesTable
}
