import * as csv from '@atrium/core/reports/report-csv'
import {
  ChurnCohorts,
  GrowthReport,
  InvoicedRevenue,
  MrrReport,
  PartnerChurnRows,
  PartnerCohortQuery,
  PartnerGrowthQuery,
  PartnerGrowthRows,
  PartnerMrrQuery,
  PartnerMrrRows,
  PartnerPlanRows,
  PartnerSignupRows,
  PartnerTopQuery,
  ReportRows,
  RevenueByPlan,
  SignupCohorts,
  TopTenants,
} from '@atrium/core/reports/reports'
import { partnerReportReader } from '../rpc/guards.ts'
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

const tags = ['partners']

/** The same reports about the customers of one partner, while they were its customers. */
export const partnerReportsRouter = router({
  mrr: partnerReportReader
    .meta({
      scope: 'reports:read',
      openapi: {
        method: 'GET',
        path: '/partners/{slug}/reports/mrr',
        tags,
        summary: 'Recurring revenue at a moment',
      },
      csv: csvOf(MrrReport, csv.mrrCsv),
    })
    .input(PartnerMrrQuery)
    .output(MrrReport)
    .query(({ ctx, input }) => getMrr(ctx.services, ctx.partnerAccess.partner.id, input)),
  growth: partnerReportReader
    .meta({
      scope: 'reports:read',
      openapi: {
        method: 'GET',
        path: '/partners/{slug}/reports/growth',
        tags,
        summary: 'What moved recurring revenue, month by month',
      },
      csv: csvOf(GrowthReport, csv.growthCsv),
    })
    .input(PartnerGrowthQuery)
    .output(GrowthReport)
    .query(({ ctx, input }) => getGrowth(ctx.services, ctx.partnerAccess.partner.id, input)),
  revenueByPlan: partnerReportReader
    .meta({
      scope: 'reports:read',
      openapi: {
        method: 'GET',
        path: '/partners/{slug}/reports/revenue-by-plan',
        tags,
        summary: 'Recurring revenue by plan at a moment',
      },
      csv: csvOf(RevenueByPlan, csv.revenueByPlanCsv),
    })
    .input(PartnerMrrQuery)
    .output(RevenueByPlan)
    .query(({ ctx, input }) => getRevenueByPlan(ctx.services, ctx.partnerAccess.partner.id, input)),
  topCustomers: partnerReportReader
    .meta({
      scope: 'reports:read',
      openapi: {
        method: 'GET',
        path: '/partners/{slug}/reports/top-customers',
        tags,
        summary: 'The customers that bring most',
      },
      csv: csvOf(TopTenants, csv.topTenantsCsv),
    })
    .input(PartnerTopQuery)
    .output(TopTenants)
    .query(({ ctx, input }) => getTopTenants(ctx.services, ctx.partnerAccess.partner.id, input)),
  signupCohorts: partnerReportReader
    .meta({
      scope: 'reports:read',
      openapi: {
        method: 'GET',
        path: '/partners/{slug}/reports/signup-cohorts',
        tags,
        summary: 'Retention by month of the first payment',
      },
      csv: csvOf(SignupCohorts, csv.partnerSignupCohortsCsv),
    })
    .input(PartnerCohortQuery)
    .output(SignupCohorts)
    .query(({ ctx, input }) => getSignupCohorts(ctx.services, ctx.partnerAccess.partner.id, input)),
  churnCohorts: partnerReportReader
    .meta({
      scope: 'reports:read',
      openapi: {
        method: 'GET',
        path: '/partners/{slug}/reports/churn-cohorts',
        tags,
        summary: 'Who left, after how long and why, by month',
      },
      csv: csvOf(ChurnCohorts, csv.partnerChurnCohortsCsv),
    })
    .input(PartnerCohortQuery)
    .output(ChurnCohorts)
    .query(({ ctx, input }) => getChurnCohorts(ctx.services, ctx.partnerAccess.partner.id, input)),
  invoicedRevenue: partnerReportReader
    .meta({
      scope: 'reports:read',
      openapi: {
        method: 'GET',
        path: '/partners/{slug}/reports/invoiced-revenue',
        tags,
        summary: 'What paid invoices brought, month by month',
      },
      csv: csvOf(InvoicedRevenue, csv.invoicedCsv),
    })
    .input(PartnerCohortQuery)
    .output(InvoicedRevenue)
    .query(({ ctx, input }) =>
      getInvoicedRevenue(ctx.services, ctx.partnerAccess.partner.id, input),
    ),
  mrrRows: partnerReportReader
    .meta({
      scope: 'reports:read',
      openapi: {
        method: 'GET',
        path: '/partners/{slug}/reports/mrr/rows',
        tags,
        summary: 'The customers behind a figure of recurring revenue',
      },
    })
    .input(PartnerMrrRows)
    .output(ReportRows)
    .query(({ ctx, input }) => listRowsOfMrr(ctx.services, ctx.partnerAccess.partner.id, input)),
  growthRows: partnerReportReader
    .meta({
      scope: 'reports:read',
      openapi: {
        method: 'GET',
        path: '/partners/{slug}/reports/growth/rows',
        tags,
        summary: 'The customers behind a movement of a month',
      },
    })
    .input(PartnerGrowthRows)
    .output(ReportRows)
    .query(({ ctx, input }) => listRowsOfGrowth(ctx.services, ctx.partnerAccess.partner.id, input)),
  revenueByPlanRows: partnerReportReader
    .meta({
      scope: 'reports:read',
      openapi: {
        method: 'GET',
        path: '/partners/{slug}/reports/revenue-by-plan/rows',
        tags,
        summary: 'The customers behind a row of revenue by plan',
      },
    })
    .input(PartnerPlanRows)
    .output(ReportRows)
    .query(({ ctx, input }) => listRowsOfPlan(ctx.services, ctx.partnerAccess.partner.id, input)),
  signupCohortRows: partnerReportReader
    .meta({
      scope: 'reports:read',
      openapi: {
        method: 'GET',
        path: '/partners/{slug}/reports/signup-cohorts/rows',
        tags,
        summary: 'The customers of a signup cohort',
      },
    })
    .input(PartnerSignupRows)
    .output(ReportRows)
    .query(({ ctx, input }) =>
      listRowsOfSignups(ctx.services, ctx.partnerAccess.partner.id, input),
    ),
  churnCohortRows: partnerReportReader
    .meta({
      scope: 'reports:read',
      openapi: {
        method: 'GET',
        path: '/partners/{slug}/reports/churn-cohorts/rows',
        tags,
        summary: 'The customers that were lost in a month',
      },
    })
    .input(PartnerChurnRows)
    .output(ReportRows)
    .query(({ ctx, input }) => listRowsOfChurn(ctx.services, ctx.partnerAccess.partner.id, input)),
})
