import type { CardView } from '@atrium/core/billing/billing'
import { ownValue } from '@atrium/core/platform/own-value'
import { translations } from '@atrium/ui/messages'
import type { StatusMeta } from '@atrium/ui/tones'

const t = translations('portal.billing')

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
  return t('card.name', { brand: ownValue(brands, word) ?? t('card.title'), last4 })
}

/** "04/2027", as on the card. */
export function expiryOf({ expMonth, expYear }: Pick<CardView, 'expMonth' | 'expYear'>): string {
  return `${String(expMonth).padStart(2, '0')}/${expYear}`
}

export function cardMeta(card: Pick<CardView, 'expired' | 'expiresSoon'>): StatusMeta {
  if (card.expired) return { label: t('cardState.expired'), tone: 'bad' }
  return card.expiresSoon
    ? { label: t('cardState.expiresSoon'), tone: 'warning' }
    : { label: t('cardState.inUse'), tone: 'good' }
}
