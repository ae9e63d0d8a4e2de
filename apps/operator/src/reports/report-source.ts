import { type ReportSource, rowsQueryOf } from '@atrium/ui/reports/source'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useTRPC } from '../trpc.ts'

const kept = { placeholderData: keepPreviousData } as const

/** Reports about the whole platform. */
export function useReportSource(): ReportSource {
  const { reports } = useTRPC()
  return useMemo(
    (): ReportSource => ({
      useMrr: (input) => useQuery(reports.mrr.queryOptions(input, kept)),
      usePlans: (input) => useQuery(reports.revenueByPlan.queryOptions(input, kept)),
      useTop: (input) => useQuery(reports.topTenants.queryOptions({ ...input, limit: 10 }, kept)),
      useGrowth: (input) => useQuery(reports.growth.queryOptions(input, kept)),
      useSignups: () => useQuery(reports.signupCohorts.queryOptions({})),
      useChurn: () => useQuery(reports.churnCohorts.queryOptions({})),
      useInvoiced: () => useQuery(reports.invoicedRevenue.queryOptions({})),
      useRows(figureQuery, cursor) {
        const rowsQuery = rowsQueryOf(figureQuery, {}, cursor)
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
    [reports],
  )
}
