import type {
  ChurnCohorts,
  GrowthReport,
  InvoicedRevenue,
  Movement,
  MrrFigure,
  MrrReport,
  ReportRows,
  RevenueByPlan,
  SignupCohorts,
  TopTenants,
} from '@atrium/core/reports/reports'
import { skipToken, type UseQueryResult } from '@tanstack/react-query'

/** A figure whose tenants are asked for. */
export type FigureQuery =
  | { report: 'mrr'; currency: string; figure: MrrFigure; asOf?: string | undefined }
  | {
      report: 'plan'
      currency: string
      plan: RevenueByPlan['rows'][number]['plan']
      cycle: 'month' | 'year'
      asOf?: string | undefined
    }
  | { report: 'growth'; month: string; currency: string; movement: Movement }
  | { report: 'signups'; month: string; n: number }
  | { report: 'churn'; month: string; reason?: string | undefined }

/** The input of a list of rows when it is the one that is asked for. */
function figureQueryOf<Report extends FigureQuery['report']>(
  figureQuery: FigureQuery,
  report: Report,
): Omit<Extract<FigureQuery, { report: Report }>, 'report'> | undefined {
  if (figureQuery.report !== report) return undefined
  const { report: _, ...input } = figureQuery as Extract<FigureQuery, { report: Report }>
  return input
}

/** Asks for the rows of a figure by pages, those of one `scope`; skipped for other figures. */
export function rowsQueryOf<Scope extends object>(
  figureQuery: FigureQuery,
  scope: Scope,
  cursor: string | undefined,
) {
  return <Report extends FigureQuery['report']>(report: Report) => {
    const input = figureQueryOf(figureQuery, report)
    return input ? { ...input, ...scope, cursor, limit: 25 } : skipToken
  }
}

type ReportResult<Data> = UseQueryResult<Data, unknown>
interface AtMoment {
  asOf: string | undefined
}

/**
 * Where reports come from: the whole platform, or one partner. Hooks, each called once per page.
 */
export interface ReportSource {
  useMrr(input: AtMoment): ReportResult<MrrReport>
  usePlans(input: AtMoment): ReportResult<RevenueByPlan>
  useTop(input: AtMoment): ReportResult<TopTenants>
  useGrowth(input: { from: string | undefined }): ReportResult<GrowthReport>
  useSignups(): ReportResult<SignupCohorts>
  useChurn(): ReportResult<ChurnCohorts>
  useInvoiced(): ReportResult<InvoicedRevenue>
  useRows(figureQuery: FigureQuery, cursor: string | undefined): ReportResult<ReportRows>
}
