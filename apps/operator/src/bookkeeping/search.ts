import type { ExportBookkeeping } from '@atrium/core/billing/bookkeeping'
import { stringifySearch } from '@atrium/ui/query-string'
import { searchReader, shaped } from '@atrium/ui/search-params'

export const readBookkeepingSearch = searchReader({ month: shaped(/^\d{4}-\d{2}$/) })

const offered = 36

/** The months to choose from, newest first: the last three years and what the address names. */
export function monthsUpTo(now: Date, named: string | undefined): string[] {
  const months = Array.from({ length: offered }, (_, back) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back)).toISOString().slice(0, 7),
  )
  return named === undefined || months.includes(named) ? months : [...months, named]
}

/** The address of a file of the month. */
export function exportAddress(
  month: string,
  query: Pick<ExportBookkeeping, 'format' | 'currency'> & { part?: number },
): string {
  return `/api/bookkeeping/${month}/export${stringifySearch(query)}`
}
