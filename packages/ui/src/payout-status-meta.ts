import type { LedgerEntryType, PayoutStatus } from '@atrium/core/billing/payout-states'
import { translations } from './messages.ts'
import type { StatusMeta, Tone } from './tones.ts'

const t = translations('ui.labels')

const tones: Readonly<Record<PayoutStatus, Tone>> = {
  draft: 'waiting',
  held: 'warning',
  approved: 'waiting',
  in_transit: 'waiting',
  paid: 'good',
  failed: 'bad',
  canceled: 'neutral',
}

export function payoutMeta(status: PayoutStatus): StatusMeta {
  return { label: t(`payoutStatuses.${status}`), tone: tones[status] }
}

export const ledgerEntryName = (type: LedgerEntryType): string => t(`ledgerEntries.${type}`)
