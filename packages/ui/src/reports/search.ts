import { oneOf, searchReader, shaped } from '../search-params.ts'

export const reportTabs = ['revenue', 'growth', 'retention', 'churn', 'invoiced'] as const
export type ReportTab = (typeof reportTabs)[number]

const month = shaped(/^\d{4}-\d{2}$/)

/**
 * What the address of a reports page carries: the report, the moment or first month, the currency,
 * and whose rows are open.
 */
export const readReportsSearch = searchReader({
  tab: oneOf(reportTabs),
  asOf: shaped(/^\d{4}-\d{2}-\d{2}$/),
  from: month,
  currency: shaped(/^[a-z]{3}$/),
  /** Name of a figure whose tenants are shown; see `FigureAsked`. Words joined by `~`. */
  rows: shaped(/^[\w~-]{1,120}$/),
})
export type ReportsSearch = ReturnType<typeof readReportsSearch>
