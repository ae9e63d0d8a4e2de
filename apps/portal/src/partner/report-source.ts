import { type ReportSource, rowsQueryOf } from '@atrium/ui/reports/source'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useTRPC } from '../trpc.ts'

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
        const rowsQuery = rowsQueryOf(figureQuery, { slug }, cursor)
        const rows = {
          mrr: useQuery(reports.mrrRows.queryOptions(rowsQuery('mrr'), kept)),
          plan: useQuery(reports.revenueByPlanRows.queryOptions(rowsQuery('plan'), kept)),
          growth: useQuery(reports.growthRows.queryOptions(rowsQuery('growth'), kept)),
          signups: useQuery(reports.signupCohortRows.queryOptions(rowsQuery('signups'), kept)),
          churn: useQuery(reports.churnCohortRows.queryOptions(rowsQuery('churn'), kept)),
        }
        return rows[figureQuery.report]
      },
    }),
    [reports, slug],
  )
}
