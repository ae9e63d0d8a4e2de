import { z } from 'zod'

// Apart from payouts.ts, because routes of the portals need these words before any page is opened.

export const ledgerEntryTypes = [
  'accrual',
  'clawback',
  'clawback_reversal',
  'dispute_hold',
  'dispute_release',
  'adjustment',
  'payout',
  'payout_reversal',
] as const
export const ledgerEntryType = z.enum(ledgerEntryTypes)
export type LedgerEntryType = z.infer<typeof ledgerEntryType>

export const ledgerSources = ['invoice', 'refund', 'credit_note', 'dispute', 'manual', 'payout'] as const
export const ledgerSource = z.enum(ledgerSources)
export type LedgerSource = z.infer<typeof ledgerSource>

export const payoutStatuses = ['draft', 'held', 'approved', 'in_transit', 'paid', 'failed', 'canceled'] as const
export const payoutStatus = z.enum(payoutStatuses)
export type PayoutStatus = z.infer<typeof payoutStatus>

export const adjustmentStates = ['pending', 'entered', 'refused'] as const
export const adjustmentState = z.enum(adjustmentStates)
export type AdjustmentState = z.infer<typeof adjustmentState>
