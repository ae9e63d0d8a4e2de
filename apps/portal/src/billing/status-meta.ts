import type { CardView, InvoiceDisplayStatus } from '@atrium/core/billing/billing'
import { ownValue } from '@atrium/core/platform/own-value'
import type { StatusMeta } from '@atrium/ui/tones'

export const invoiceMeta: Readonly<Record<InvoiceDisplayStatus, StatusMeta>> = {
  paid: { label: 'Paid', tone: 'good' },
  open: { label: 'Open', tone: 'waiting' },
  overdue: { label: 'Overdue', tone: 'bad' },
  refunded: { label: 'Refunded', tone: 'neutral' },
  partially_refunded: { label: 'Partly refunded', tone: 'neutral' },
  disputed: { label: 'Disputed', tone: 'warning' },
  uncollectible: { label: 'Written off', tone: 'warning' },
  void: { label: 'Void', tone: 'neutral' },
  draft: { label: 'Draft', tone: 'waiting' },
  unknown: { label: 'Unknown', tone: 'warning' },
}

const brands: Readonly<Record<string, string>> = {
  visa: 'Visa',
  mastercard: 'Mastercard',
  amex: 'American Express',
  discover: 'Discover',
  diners: 'Diners Club',
  jcb: 'JCB',
  unionpay: 'UnionPay',
  cartes_bancaires: 'Cartes Bancaires',
}

/** "Visa ending in 4242". */
export function cardName({
  brand,
  displayBrand,
  last4,
}: Pick<CardView, 'brand' | 'displayBrand' | 'last4'>): string {
  const word = displayBrand ?? brand
  return `${ownValue(brands, word) ?? 'Card'} ending in ${last4}`
}

/** "04/2027", as on the card. */
export function expiryOf({ expMonth, expYear }: Pick<CardView, 'expMonth' | 'expYear'>): string {
  return `${String(expMonth).padStart(2, '0')}/${expYear}`
}

export function cardMeta(card: Pick<CardView, 'expired' | 'expiresSoon'>): StatusMeta {
  if (card.expired) return { label: 'Expired', tone: 'bad' }
  return card.expiresSoon
    ? { label: 'Expires soon', tone: 'warning' }
    : { label: 'In use', tone: 'good' }
}
