import type { InvoiceStatus } from '@atrium/core/billing/billing'
import type {
  CorrectionKind,
  CorrectionState,
  CreditDestination,
  CreditReason,
} from '@atrium/core/billing/invoice-corrections'
import type { PriceMigrationState, PriceMoveState } from '@atrium/core/billing/price-migrations'
import type { PriceScheme, PriceState, PriceTier } from '@atrium/core/billing/prices'
import type { BillingCycle } from '@atrium/core/billing/subscriptions'
import type { TaxBehavior } from '@atrium/core/billing/taxes'
import type { WebhookState } from '@atrium/core/billing/webhooks'
import type { Plan } from '@atrium/core/tenants/tenants'
import type { ColumnType, Generated, JSONColumnType } from 'kysely'
import type {
  BigintColumn,
  GeneratedBigint,
  OptionalBigint,
  OptionalTimestamp,
  RequiredTimestamp,
  Timestamp,
} from './columns.ts'

export interface PricesTable {
  id: Generated<string>
  plan: Plan
  cycle: BillingCycle
  version: number
  state: Generated<PriceState>
  scheme: Generated<PriceScheme>
  tax_behavior: Generated<TaxBehavior>
  min_seats: Generated<number>
  max_seats: number | null
  trial_days: Generated<number>
  visible_from: OptionalTimestamp
  visible_until: OptionalTimestamp
  partner_ids: string[] | null
  note: string | null
  created_at: Timestamp
  updated_at: Timestamp
}

export interface PriceAmountsTable {
  price_id: string
  currency: string
  unit_amount: BigintColumn
  tiers: JSONColumnType<PriceTier[] | null, string | null | undefined, string | null>
  stripe_price_id: string | null
  stripe_error: string | null
}

export interface PriceMigrationsTable {
  id: Generated<string>
  from_price_id: string
  to_price_id: string
  from_day: ColumnType<string, string, never>
  may_keep: boolean
  reason: string
  state: PriceMigrationState
  requested_by: string | null
  created_at: Timestamp
  stopped_at: OptionalTimestamp
}

export interface PriceMovesTable {
  migration_id: string
  subscription_id: string
  tenant_id: string
  currency: string
  state: PriceMoveState
  /** Of a whole period, when the notice was written. */
  old_amount: OptionalBigint
  new_amount: OptionalBigint
  effective_at: OptionalTimestamp
  notified_at: OptionalTimestamp
  /** The version of the subscription that was scheduled. */
  subscription_version: number | null
  attempts: Generated<number>
  next_at: Timestamp
  error: string | null
}

export interface PaymentCustomersTable {
  tenant_id: string
  /** Null once the customer was deleted at the processor, until the next one is made. */
  customer_id: string | null
  /** Customers that were deleted; what still comes of them is this tenant's. */
  former_ids: Generated<string[]>
  card: ColumnType<unknown, string | null | undefined, string | null>
  card_read_at: OptionalTimestamp
  /** Minor units by currency, as of `card_read_at`; below 0 for a debt. Null: not read yet. */
  credits: ColumnType<unknown, string | null | undefined, string | null>
  card_chosen_at: OptionalTimestamp
  card_failure: string | null
  card_failure_at: OptionalTimestamp
  tax_id: string | null
  tax_id_value: string | null
  tax_id_status: string | null
  tax_id_read_at: OptionalTimestamp
  created_at: Timestamp
}

export interface WebhookInboxTable {
  /** The event's own id. */
  id: string
  type: string
  object_id: string | null
  api_version: string | null
  created: RequiredTimestamp
  livemode: boolean
  payload: ColumnType<unknown, string, never>
  state: Generated<WebhookState>
  attempts: Generated<number>
  next_at: OptionalTimestamp
  lease_until: OptionalTimestamp
  /** Why it failed, or what became of it where that is not plain. */
  note: string | null
  received_at: Timestamp
  finished_at: OptionalTimestamp
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
  subtotal: BigintColumn
  discount: GeneratedBigint
  tax: GeneratedBigint
  total: BigintColumn
  total_excluding_tax: BigintColumn
  amount_due: BigintColumn
  amount_paid: BigintColumn
  amount_remaining: BigintColumn
  amount_overpaid: GeneratedBigint
  /** What the customer's balance paid. Null: not read yet, or not finalized. */
  balance_applied: OptionalBigint
  credited_amount: GeneratedBigint
  refunded_amount: GeneratedBigint
  disputed_amount: GeneratedBigint
  period_start: OptionalTimestamp
  period_end: OptionalTimestamp
  due_date: OptionalTimestamp
  next_payment_attempt: OptionalTimestamp
  attempt_count: Generated<number>
  finalized_at: OptionalTimestamp
  paid_at: OptionalTimestamp
  voided_at: OptionalTimestamp
  uncollectible_at: OptionalTimestamp
  partner_id: string | null
  margin_pct: ColumnType<string | null, number | string | null | undefined, number | string | null>
  lines: ColumnType<unknown, string | undefined, string>
  created_at: RequiredTimestamp
  read_at: Timestamp
}

export interface InvoiceReversalsTable {
  /** The version before leaves it to a trigger (migration 0200). */
  tenant_id: Generated<string>
  id: string
  invoice_id: string
  kind: 'refund' | 'credit_note' | 'dispute'
  amount: BigintColumn
  amount_excluding_tax: OptionalBigint
  status: string
  effective: boolean
  created_at: RequiredTimestamp
  read_at: Timestamp
  /** Of a credit note, from migration 0090 on. */
  number: string | null
  total: OptionalBigint
  balance_amount: OptionalBigint
  outside_amount: OptionalBigint
  refund_ids: string[] | null
}

export interface InvoiceCorrectionsTable {
  id: Generated<string>
  request_id: string
  invoice_id: string
  tenant_id: string
  kind: CorrectionKind
  destination: CreditDestination | null
  category: CreditReason | null
  currency: string
  amount: BigintColumn
  reason: string
  reference: string | null
  paid_on: ColumnType<string | null, string | null, never>
  state: CorrectionState
  error: string | null
  credit_note_id: string | null
  attempts: Generated<number>
  next_at: OptionalTimestamp
  lease_until: OptionalTimestamp
  requested_by: string | null
  decided_by: string | null
  created_at: Timestamp
  decided_at: OptionalTimestamp
  finished_at: OptionalTimestamp
}

/** Documents of tenants. Issued ones never change. */
export interface BillingDocumentsTable {
  tenant_id: string
  id: Generated<string>
  invoice_id: string
  /** The processor's id of the invoice or the credit note; `void:` before it for a cancellation. */
  source: string
  kind: 'invoice' | 'credit_note'
  cancels: boolean
  number: string | null
  document: ColumnType<unknown, string | null, string | null>
  problems: ColumnType<string[], string[] | undefined, string[]>
  created_at: Timestamp
  checked_at: Timestamp
  issued_at: OptionalTimestamp
}

/** Self-billed documents: the statement of a payout, and what cancels it. */
export interface PartnerDocumentsTable {
  partner_id: string
  id: Generated<string>
  payout_id: string
  cancels: boolean
  number: string | null
  document: ColumnType<unknown, string | null, string | null>
  problems: ColumnType<string[], string[] | undefined, string[]>
  created_at: Timestamp
  checked_at: Timestamp
  issued_at: OptionalTimestamp
}

/** The dunning of one stretch of missed payments of a subscription. */
export interface DunningCasesTable {
  id: Generated<string>
  subscription_id: string
  tenant_id: string
  past_due_since: RequiredTimestamp
  /** The reminder days that were carried out. */
  reminded_days: Generated<number[]>
  limited_at: OptionalTimestamp
  suspended_at: OptionalTimestamp
  closed_at: OptionalTimestamp
  outcome: 'recovered' | 'ended' | null
  created_at: Timestamp
}

export interface BillingReconciliationsTable {
  id: Generated<string>
  started_at: Timestamp
  finished_at: OptionalTimestamp
  tenants: Generated<number>
  failed: Generated<number>
  error: string | null
  lost_events: Generated<number>
  events_since: OptionalTimestamp
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
  found_at: Timestamp
}

/**
 * A movement of the balance that the payment processor keeps. Rows never change but `payout_id`.
 */
export interface BalanceTransactionsTable {
  id: string
  type: string
  category: string
  currency: string
  amount: BigintColumn
  fee: BigintColumn
  net: BigintColumn
  exchange_rate: ColumnType<string | null, number | null | undefined, never>
  created_at: RequiredTimestamp
  available_at: RequiredTimestamp
  source_id: string | null
  payment_intent_id: string | null
  source_currency: string | null
  source_amount: OptionalBigint
  stripe_invoice_id: string | null
  payout_id: string | null
}

export interface ProcessorPayoutsTable {
  id: string
  currency: string
  amount: BigintColumn
  status: string
  automatic: boolean
  created_at: RequiredTimestamp
  arrives_at: RequiredTimestamp
  assigned: Generated<boolean>
}

export interface ProcessorBalancesTable {
  currency: string
  amount: BigintColumn
  read_at: RequiredTimestamp
}

export interface BalanceReadingsTable {
  one: Generated<boolean>
  read_until: RequiredTimestamp
  finished_at: OptionalTimestamp
  error: string | null
}

export interface VatChecksTable {
  id: Generated<string>
  tenant_id: string
  vat_number: string
  valid: boolean
  name: string | null
  address: string | null
  consultation_number: string | null
  /** The VAT number in whose name was asked. */
  requester: string | null
  answered_at: RequiredTimestamp
  created_at: Timestamp
}

export interface VatCheckTasksTable {
  tenant_id: string
  next_at: RequiredTimestamp
  attempts: Generated<number>
  error: string | null
  failed_at: OptionalTimestamp
}

export interface BillingTables {
  vat_checks: VatChecksTable
  vat_check_tasks: VatCheckTasksTable
  prices: PricesTable
  price_amounts: PriceAmountsTable
  price_migrations: PriceMigrationsTable
  price_moves: PriceMovesTable
  payment_customers: PaymentCustomersTable
  webhook_inbox: WebhookInboxTable
  invoices: InvoicesTable
  invoice_reversals: InvoiceReversalsTable
  invoice_corrections: InvoiceCorrectionsTable
  billing_documents: BillingDocumentsTable
  partner_documents: PartnerDocumentsTable
  dunning_cases: DunningCasesTable
  billing_reconciliations: BillingReconciliationsTable
  billing_differences: BillingDifferencesTable
  balance_transactions: BalanceTransactionsTable
  processor_payouts: ProcessorPayoutsTable
  processor_balances: ProcessorBalancesTable
  balance_readings: BalanceReadingsTable
}
