import type { ListInvoices } from '@atrium/core/billing/billing'
import { currentCursor } from '@atrium/ui/paging'
import { cursors, searchReader, shaped, textUpTo } from '@atrium/ui/search-params'

/**
 * What the address of the billing page carries: the way through the invoices, and what the card
 * form adds on the way back.
 */
export const readBillingSearch = searchReader({
  cursors,
  setup_intent: shaped(/^seti_\w{1,200}$/),
  redirect_status: textUpTo(40),
})
export type BillingSearch = ReturnType<typeof readBillingSearch>

const perPage = 12

export function invoicesQuery(slug: string, { cursors: way }: BillingSearch): ListInvoices {
  return { slug, cursor: currentCursor(way), limit: perPage }
}
