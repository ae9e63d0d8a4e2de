import type {
  AdjustmentState,
  LedgerEntryType,
  LedgerSource,
  PayoutStatus,
} from '@atrium/core/billing/payouts'
import type { ColumnType, Generated } from 'kysely'
import type {
  BigintColumn,
  OptionalBigint,
  OptionalTimestamp,
  RequiredTimestamp,
  Timestamp,
} from './columns.ts'

export interface PartnerLedgerTable {
  id: Generated<string>
  partner_id: string
  currency: string
  type: LedgerEntryType
  amount: BigintColumn
  base_amount: OptionalBigint
  margin_pct: ColumnType<string | null, number | string | null | undefined, never>
  tenant_id: string | null
  invoice_id: string | null
  source_type: LedgerSource
  source_id: string
  reason: string | null
  created_by: string | null
  available_at: RequiredTimestamp
  created_at: Timestamp
}

export interface PayoutsTable {
  id: Generated<string>
  partner_id: string
  currency: string
  amount: BigintColumn
  status: PayoutStatus
  period_from: OptionalTimestamp
  period_to: RequiredTimestamp
  statement_number: string | null
  cancellation_number: string | null
  held_reason: string | null
  requested_by: string | null
  approved_by: string | null
  approved_at: OptionalTimestamp
  sent_at: OptionalTimestamp
  paid_at: OptionalTimestamp
  canceled_at: OptionalTimestamp
  reference: string | null
  failure_reason: string | null
  statement: ColumnType<unknown, never, string>
  version: Generated<number>
  created_at: Timestamp
  updated_at: Timestamp
}

export interface PayoutEntriesTable {
  entry_id: string
  payout_id: string
}

export interface LedgerAdjustmentsTable {
  id: Generated<string>
  partner_id: string
  currency: string
  amount: BigintColumn
  reason: string
  state: AdjustmentState
  requested_by: string | null
  decided_by: string | null
  created_at: Timestamp
  decided_at: OptionalTimestamp
}

export interface PayoutsTables {
  partner_ledger: PartnerLedgerTable
  payouts: PayoutsTable
  payout_entries: PayoutEntriesTable
  ledger_adjustments: LedgerAdjustmentsTable
}
