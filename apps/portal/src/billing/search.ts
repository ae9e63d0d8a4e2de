import type { ListInvoices } from '@atrium/core/billing'
import { currentCursor } from '@atrium/ui/paging'
import { lenient, trail } from '@atrium/ui/search-params'
import { z } from 'zod'

/** What the address of the billing page carries: the way through the invoices, and what the card form adds on the way back. */
export const BillingSearch = z.object({
  trail,
  setup_intent: lenient(z.string().regex(/^seti_\w{1,200}$/)),
  redirect_status: lenient(z.string().max(40)),
})
export type BillingSearch = z.infer<typeof BillingSearch>

const perPage = 12

export function invoicesQuery(slug: string, { trail: way }: BillingSearch): ListInvoices {
  return { slug, cursor: currentCursor(way), limit: perPage }
}
