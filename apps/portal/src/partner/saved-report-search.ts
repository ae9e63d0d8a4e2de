import {
  type SavedReportKind,
  type SavedReportView,
  savedReportParams,
} from '@atrium/core/reports/saved-reports'
import type { ReportsSearch } from '@atrium/ui/reports/search'

/** What is kept of a view of the reports; undefined for a view that cannot be kept. */
export function savedOf({
  tab,
  asOf,
  from,
  currency,
}: ReportsSearch): { kind: SavedReportKind; params: Record<string, unknown> } | undefined {
  switch (tab) {
    case 'growth':
      return { kind: 'growth', params: present({ from, currency }) }
    case 'retention':
      return { kind: 'signup-cohorts', params: {} }
    case 'churn':
      return { kind: 'churn-cohorts', params: {} }
    case 'invoiced':
      return undefined
    default:
      return { kind: 'mrr', params: present({ asOf, currency }) }
  }
}

/** The view that a kept report names; undefined for one that is shown on another page. */
export function searchOf({
  kind,
  params,
}: Pick<SavedReportView, 'kind' | 'params'>): ReportsSearch | undefined {
  switch (kind) {
    case 'growth': {
      const known = savedReportParams.growth.safeParse(params).data
      return { tab: 'growth', from: known?.from, currency: known?.currency }
    }
    case 'signup-cohorts':
      return { tab: 'retention' }
    case 'churn-cohorts':
      return { tab: 'churn' }
    case 'health':
      return undefined
    default: {
      const known = savedReportParams.mrr.safeParse(params).data
      return { tab: 'revenue', asOf: known?.asOf?.slice(0, 10), currency: known?.currency }
    }
  }
}

function present(params: Record<string, string | undefined>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined))
}
