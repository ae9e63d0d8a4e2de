import type { InvoiceDisplayStatus } from '@atrium/core/billing/billing'
import { translations } from './messages.ts'
import type { StatusMeta, Tone } from './tones.ts'

const t = translations('ui.labels')

const tones: Readonly<Record<InvoiceDisplayStatus, Tone>> = {
  paid: 'good',
  open: 'waiting',
  overdue: 'bad',
  refunded: 'neutral',
  partially_refunded: 'neutral',
  disputed: 'warning',
  uncollectible: 'warning',
  void: 'neutral',
  draft: 'waiting',
  unknown: 'warning',
}

export function invoiceMeta(status: InvoiceDisplayStatus): StatusMeta {
  return { label: t(`invoiceStatuses.${status}`), tone: tones[status] }
}
