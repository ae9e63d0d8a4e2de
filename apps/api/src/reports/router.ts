import * as csv from '@atrium/core/reports/report-csv'
import {
  ChurnCohorts,
  ChurnRows,
  CohortQuery,
  GrowthQuery,
  GrowthReport,
  GrowthRows,
  InvoicedRevenue,
  MrrQuery,
  MrrReport,
  MrrRows,
  PlanRows,
  ReportRows,
  RevenueByPlan,
  SignupCohorts,
  SignupRows,
  TopQuery,
  TopTenants,
} from '@atrium/core/reports/reports'
import { platformScope } from '@atrium/db/reports/reports'
import { operator } from '../rpc/guards.ts'
import { csvOf } from '../rpc/procedure-meta.ts'
import { router } from '../rpc/trpc.ts'
import { getChurnCohorts, getSignupCohorts } from './cohorts.ts'
import { getGrowth } from './growth.ts'
import { getInvoicedRevenue } from './invoiced.ts'
import { getMrr, getRevenueByPlan, getTopTenants } from './revenue.ts'
import {
  listRowsOfChurn,
  listRowsOfGrowth,
  listRowsOfMrr,
  listRowsOfPlan,
  listRowsOfSignups,
} from './rows.ts'

const tags = ['reports']

/** Reports about the whole platform. */
export const reportsRouter = router({
  mrr: operator
    .meta({
      scope: 'reports:read',
      openapi: {
        method: 'GET',
        path: '/reports/mrr',
        tags,
        summary: 'Recurring revenue at a moment',
      },
      csv: csvOf(MrrReport, csv.mrrCsv),
    })
    .input(MrrQuery)
    .output(MrrReport)
    .query(({ ctx, input }) => getMrr(ctx.services, platformScope, input)),
  growth: operator
    .meta({
      scope: 'reports:read',
      openapi: {
        method: 'GET',
        path: '/reports/growth',
        tags,
        summary: 'What moved recurring revenue, month by month',
      },
      csv: csvOf(GrowthReport, csv.growthCsv),
    })
    .input(GrowthQuery)
    .output(GrowthReport)
    .query(({ ctx, input }) => getGrowth(ctx.services, platformScope, input)),
  revenueByPlan: operator
    .meta({
      scope: 'reports:read',
      openapi: {
        method: 'GET',
        path: '/reports/revenue-by-plan',
        tags,
        summary: 'Recurring revenue by plan at a moment',
      },
      csv: csvOf(RevenueByPlan, csv.revenueByPlanCsv),
    })
    .input(MrrQuery)
    .output(RevenueByPlan)
    .query(({ ctx, input }) => getRevenueByPlan(ctx.services, platformScope, input)),
  topTenants: operator
    .meta({
      scope: 'reports:read',
      openapi: {
        method: 'GET',
        path: '/reports/top-tenants',
        tags,
        summary: 'The tenants that bring most',
      },
      csv: csvOf(TopTenants, csv.topTenantsCsv),
    })
    .input(TopQuery)
    .output(TopTenants)
    .query(({ ctx, input }) => getTopTenants(ctx.services, platformScope, input)),
  signupCohorts: operator
    .meta({
      scope: 'reports:read',
      openapi: {
        method: 'GET',
        path: '/reports/signup-cohorts',
        tags,
        summary: 'Retention by month of the first payment',
      },
      csv: csvOf(SignupCohorts, csv.signupCohortsCsv),
    })
    .input(CohortQuery)
    .output(SignupCohorts)
    .query(({ ctx, input }) => getSignupCohorts(ctx.services, platformScope, input)),
  churnCohorts: operator
    .meta({
      scope: 'reports:read',
      openapi: {
        method: 'GET',
        path: '/reports/churn-cohorts',
        tags,
        summary: 'Who left, after how long and why, by month',
      },
      csv: csvOf(ChurnCohorts, csv.churnCohortsCsv),
    })
    .input(CohortQuery)
    .output(ChurnCohorts)
    .query(({ ctx, input }) => getChurnCohorts(ctx.services, platformScope, input)),
  invoicedRevenue: operator
    .meta({
      scope: 'reports:read',
      openapi: {
        method: 'GET',
        path: '/reports/invoiced-revenue',
        tags,
        summary: 'What paid invoices brought, month by month',
      },
      csv: csvOf(InvoicedRevenue, csv.invoicedCsv),
    })
    .input(CohortQuery)
    .output(InvoicedRevenue)
    .query(({ ctx, input }) => getInvoicedRevenue(ctx.services, platformScope, input)),
  mrrRows: operator
    .meta({
      scope: 'reports:read',
      openapi: {
        method: 'GET',
        path: '/reports/mrr/rows',
        tags,
        summary: 'The tenants behind a figure of recurring revenue',
      },
    })
    .input(MrrRows)
    .output(ReportRows)
    .query(({ ctx, input }) => listRowsOfMrr(ctx.services, platformScope, input)),
  growthRows: operator
    .meta({
      scope: 'reports:read',
      openapi: {
        method: 'GET',
        path: '/reports/growth/rows',
        tags,
        summary: 'The tenants behind a movement of a month',
      },
    })
    .input(GrowthRows)
    .output(ReportRows)
    .query(({ ctx, input }) => listRowsOfGrowth(ctx.services, platformScope, input)),
  revenueByPlanRows: operator
    .meta({
      scope: 'reports:read',
      openapi: {
        method: 'GET',
        path: '/reports/revenue-by-plan/rows',
        tags,
        summary: 'The tenants behind a row of revenue by plan',
      },
    })
    .input(PlanRows)
    .output(ReportRows)
    .query(({ ctx, input }) => listRowsOfPlan(ctx.services, platformScope, input)),
  signupCohortRows: operator
    .meta({
      scope: 'reports:read',
      openapi: {
        method: 'GET',
        path: '/reports/signup-cohorts/rows',
        tags,
        summary: 'The tenants of a signup cohort',
      },
    })
    .input(SignupRows)
    .output(ReportRows)
    .query(({ ctx, input }) => listRowsOfSignups(ctx.services, platformScope, input)),
  churnCohortRows: operator
    .meta({
      scope: 'reports:read',
      openapi: {
        method: 'GET',
        path: '/reports/churn-cohorts/rows',
        tags,
        summary: 'The tenants that were lost in a month',
      },
    })
    .input(ChurnRows)
    .output(ReportRows)
    .query(({ ctx, input }) => listRowsOfChurn(ctx.services, platformScope, input)),
})
