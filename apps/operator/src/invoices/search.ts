import type { ListCorrections } from '@atrium/core/billing/invoice-corrections'
import type {
  ListOperatorInvoices,
  SumOperatorInvoices,
} from '@atrium/core/billing/operator-invoices'
import { correctionStates, invoiceDisplayStatuses } from '@atrium/core/platform/choices'
import { currentCursor } from '@atrium/ui/paging'
import {
  currencyWord,
  cursorHistoryOf,
  oneOf,
  recordId,
  searchReader,
  shaped,
  slugText,
  textUpTo,
} from '@atrium/ui/search-params'

const invoiceTabs = ['invoices', 'corrections'] as const

const day = shaped(/^\d{4}-\d{2}-\d{2}$/)

/** The search parameters of the invoices page: the tab and the filters of its list. */
export const readInvoicesSearch = searchReader({
  tab: oneOf(invoiceTabs),
  status: oneOf(invoiceDisplayStatuses),
  state: oneOf(correctionStates),
  tenantSlug: slugText,
  partnerSlug: slugText,
  number: textUpTo(100),
  currency: currencyWord,
  from: day,
  to: day,
  cursors: cursorHistoryOf(recordId),
})
export type InvoicesSearch = ReturnType<typeof readInvoicesSearch>

const perPage = 25

/** The filters of the list, of its totals and of its export. */
export function invoiceFilters({
  status,
  tenantSlug,
  partnerSlug,
  number,
  currency,
  from,
  to,
}: InvoicesSearch): SumOperatorInvoices {
  return { status, tenantSlug, partnerSlug, number, currency, from, to }
}

export function invoicesQuery(search: InvoicesSearch): ListOperatorInvoices {
  return { ...invoiceFilters(search), cursor: currentCursor(search.cursors), limit: perPage }
}

export function correctionsQuery({ state, tenantSlug, cursors }: InvoicesSearch): ListCorrections {
  return { state, tenantSlug, cursor: currentCursor(cursors), limit: perPage }
}

/** The address of the export with the same filters. */
export function exportAddress(search: InvoicesSearch): string {
  const filters = Object.entries(invoiceFilters(search)).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  )
  const query = new URLSearchParams(filters).toString()
  return `/api/invoices/export${query === '' ? '' : `?${query}`}`
}
