import { z } from 'zod'
import { adjustmentStates, ledgerEntryTypes, payoutStatuses } from '../platform/choices.ts'

export { adjustmentStates, ledgerEntryTypes, payoutStatuses }

// Apart from payouts.ts, because routes of the portals need these words before any page is opened.

export const ledgerEntryType = z.enum(ledgerEntryTypes)
export type LedgerEntryType = z.infer<typeof ledgerEntryType>

export const ledgerSources = [
  'invoice',
  'refund',
  'credit_note',
  'dispute',
  'manual',
  'payout',
] as const
export const ledgerSource = z.enum(ledgerSources)
export type LedgerSource = z.infer<typeof ledgerSource>

export const payoutStatus = z.enum(payoutStatuses)
export type PayoutStatus = z.infer<typeof payoutStatus>

export const adjustmentState = z.enum(adjustmentStates)
export type AdjustmentState = z.infer<typeof adjustmentState>
