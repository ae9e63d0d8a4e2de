import type { ListCustomers } from '@atrium/core/partners'
import { currentCursor } from '@atrium/ui/paging'
import { lenient, trail, words } from '@atrium/ui/search-params'
import { z } from 'zod'

// The words of `tenantStatus`; that schema would load the rules of tenants with the routes.
const status = z.enum(['pending', 'active', 'suspended', 'deleted'])

/** What the address of the customers page carries: filters, the way through the pages, and whose details are open. */
export const CustomersSearch = z.object({
  q: words,
  status: lenient(status),
  trail,
  customer: lenient(z.string().max(63)),
})
export type CustomersSearch = z.infer<typeof CustomersSearch>

export function customersQuery(slug: string, { q, status: wanted, trail: way }: CustomersSearch): ListCustomers {
  return { slug, q, status: wanted, cursor: currentCursor(way), limit: 50 }
}
