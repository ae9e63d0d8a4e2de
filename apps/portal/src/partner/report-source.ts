import { figureQueryOf, type ReportSource } from '@atrium/ui/reports/source'
import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useTRPC } from '../trpc.ts'

const rowsPerPage = 25
const kept = { placeholderData: keepPreviousData } as const

/** Reports about the customers of a partner. */
export function useReportSource(slug: string): ReportSource {
  const { partnerReports: reports } = useTRPC()
  return useMemo(
    (): ReportSource => ({
      useMrr: (input) => useQuery(reports.mrr.queryOptions({ slug, ...input }, kept)),
      usePlans: (input) => useQuery(reports.revenueByPlan.queryOptions({ slug, ...input }, kept)),
      useTop: (input) =>
        useQuery(reports.topCustomers.queryOptions({ slug, ...input, limit: 10 }, kept)),
      useGrowth: (input) => useQuery(reports.growth.queryOptions({ slug, ...input }, kept)),
      useSignups: () => useQuery(reports.signupCohorts.queryOptions({ slug })),
      useChurn: () => useQuery(reports.churnCohorts.queryOptions({ slug })),
      useInvoiced: () => useQuery(reports.invoicedRevenue.queryOptions({ slug })),
      useRows(figureQuery, cursor) {
        const page = { slug, cursor, limit: rowsPerPage }
        const paged = <Input extends object>(input: Input | undefined) =>
          input ? { ...input, ...page } : skipToken
        const rows = {
          mrr: useQuery(
            reports.mrrRows.queryOptions(paged(figureQueryOf(figureQuery, 'mrr')), kept),
          ),
          plan: useQuery(
            reports.revenueByPlanRows.queryOptions(paged(figureQueryOf(figureQuery, 'plan')), kept),
          ),
          growth: useQuery(
            reports.growthRows.queryOptions(paged(figureQueryOf(figureQuery, 'growth')), kept),
          ),
          signups: useQuery(
            reports.signupCohortRows.queryOptions(
              paged(figureQueryOf(figureQuery, 'signups')),
              kept,
            ),
          ),
          churn: useQuery(
            reports.churnCohortRows.queryOptions(paged(figureQueryOf(figureQuery, 'churn')), kept),
          ),
        }
        return rows[figureQuery.report]
      },
    }),
    [reports, slug],
  )
}
