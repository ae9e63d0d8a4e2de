import type { ListCustomers } from '@atrium/core/partners/partners'
import { tenantStatuses } from '@atrium/core/platform/choices'
import { currentCursor } from '@atrium/ui/paging'
import { cursors, oneOf, searchReader, textUpTo, words } from '@atrium/ui/search-params'

/**
 * What the address of the customers page carries: filters, the way through the pages, and whose
 * details are open.
 */
export const readCustomersSearch = searchReader({
  q: words,
  status: oneOf(tenantStatuses),
  cursors,
  customer: textUpTo(63),
})
export type CustomersSearch = ReturnType<typeof readCustomersSearch>

export function customersQuery(
  slug: string,
  { q, status: requested, cursors: cursorHistory }: CustomersSearch,
): ListCustomers {
  return { slug, q, status: requested, cursor: currentCursor(cursorHistory), limit: 50 }
}
