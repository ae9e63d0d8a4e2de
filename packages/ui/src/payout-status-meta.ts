import type { LedgerEntryType, PayoutStatus } from '@atrium/core/billing/payout-states'
import type { StatusMeta } from './tones.ts'

export const payoutMeta: Readonly<Record<PayoutStatus, StatusMeta>> = {
  draft: { label: 'Draft', tone: 'waiting' },
  held: { label: 'Held', tone: 'warning' },
  approved: { label: 'Approved', tone: 'waiting' },
  in_transit: { label: 'On its way', tone: 'waiting' },
  paid: { label: 'Paid', tone: 'good' },
  failed: { label: 'Failed', tone: 'bad' },
  canceled: { label: 'Canceled', tone: 'neutral' },
}

export const ledgerEntryNames: Readonly<Record<LedgerEntryType, string>> = {
  accrual: 'Share',
  clawback: 'Claw-back',
  clawback_reversal: 'Claw-back reversed',
  dispute_hold: 'Held for a dispute',
  dispute_release: 'Dispute won',
  adjustment: 'Adjustment',
  payout: 'Payout',
  payout_reversal: 'Payout returned',
}
