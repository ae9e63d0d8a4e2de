import { z } from 'zod'
import { lenient } from '../search-params.ts'

export const reportTabs = ['revenue', 'growth', 'retention', 'churn', 'invoiced'] as const
export type ReportTab = (typeof reportTabs)[number]

const word = (pattern: RegExp) => lenient(z.string().regex(pattern))
const month = word(/^\d{4}-\d{2}$/)

/** What the address of a reports page carries: the report, the moment or first month, the currency, and whose rows are open. */
export const ReportsSearch = z.object({
  tab: lenient(z.enum(reportTabs)),
  asOf: word(/^\d{4}-\d{2}-\d{2}$/),
  from: month,
  currency: word(/^[a-z]{3}$/),
  /** Name of a figure whose tenants are shown; see `FigureAsked`. Words joined by `~`. */
  rows: word(/^[\w~-]{1,120}$/),
})
export type ReportsSearch = z.infer<typeof ReportsSearch>
