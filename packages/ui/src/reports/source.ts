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
import type { UseQueryResult } from '@tanstack/react-query'

/** A figure whose tenants are asked for. */
export type FigureAsked =
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
export function askedOf<Report extends FigureAsked['report']>(
  asked: FigureAsked,
  report: Report,
): Omit<Extract<FigureAsked, { report: Report }>, 'report'> | undefined {
  if (asked.report !== report) return undefined
  const { report: _, ...input } = asked as Extract<FigureAsked, { report: Report }>
  return input
}

type Answer<Data> = UseQueryResult<Data, unknown>
interface AtMoment {
  asOf: string | undefined
}

/**
 * Where reports come from: the whole platform, or one partner. Hooks, each called once per page.
 */
export interface ReportSource {
  useMrr(input: AtMoment): Answer<MrrReport>
  usePlans(input: AtMoment): Answer<RevenueByPlan>
  useTop(input: AtMoment): Answer<TopTenants>
  useGrowth(input: { from: string | undefined }): Answer<GrowthReport>
  useSignups(): Answer<SignupCohorts>
  useChurn(): Answer<ChurnCohorts>
  useInvoiced(): Answer<InvoicedRevenue>
  useRows(asked: FigureAsked, cursor: string | undefined): Answer<ReportRows>
}
