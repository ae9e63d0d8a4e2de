import type { ListInvoices } from '@atrium/core/billing/billing'
import { plans } from '@atrium/core/billing/plans'
import type { StartSubscription } from '@atrium/core/billing/subscriptions'
import { currentCursor } from '@atrium/ui/paging'
import { cursors, oneOf, searchReader, shaped, textUpTo } from '@atrium/ui/search-params'

const orderShape = /^[a-z]{1,20}\.(?:month|year)\.[a-z]{3}\.[1-9]\d{0,6}$/

/** What is being ordered, as an address carries it. */
export type OrderTerms = Pick<StartSubscription, 'plan' | 'cycle' | 'currency' | 'seats'>

export function orderParam({ plan, cycle, currency, seats }: OrderTerms): string {
  return [plan, cycle, currency, seats].join('.')
}

/** Undefined for what is no order. */
export function readOrder(param: string | undefined): OrderTerms | undefined {
  if (param === undefined || !orderShape.test(param)) return undefined
  const [name, cycle, currency = '', seats] = param.split('.')
  const plan = plans.find((word) => word === name)
  return (
    plan && { plan, cycle: cycle === 'year' ? 'year' : 'month', currency, seats: Number(seats) }
  )
}

/** What the address of the page on which a card is entered or a payment confirmed carries. */
export const readCardSearch = searchReader({
  order: shaped(orderShape),
  confirm: oneOf(['payment']),
})
export type CardSearch = ReturnType<typeof readCardSearch>

/**
 * What the address of the billing page carries: the way through the invoices, and what the card
 * form adds on the way back.
 */
export const readBillingSearch = searchReader({
  cursors,
  setup_intent: shaped(/^seti_\w{1,200}$/),
  redirect_status: textUpTo(40),
  order: shaped(orderShape),
})
export type BillingSearch = ReturnType<typeof readBillingSearch>

const perPage = 12

export function invoicesQuery(
  slug: string,
  { cursors: cursorHistory }: BillingSearch,
): ListInvoices {
  return { slug, cursor: currentCursor(cursorHistory), limit: perPage }
}
