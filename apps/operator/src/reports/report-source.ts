import { figureQueryOf, type ReportSource } from '@atrium/ui/reports/source'
import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useTRPC } from '../trpc.ts'

const rowsPerPage = 25
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
        const page = { cursor, limit: rowsPerPage }
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
    [reports],
  )
}
