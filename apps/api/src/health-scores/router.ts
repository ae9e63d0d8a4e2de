import {
  HealthDetail,
  HealthReport,
  HealthReportTenants,
  healthCsv,
  ListHealthReportTenants,
  ListPartnerHealthTenants,
  ReadHealth,
  ReadHealthReport,
  ReadPartnerHealthReport,
} from '@atrium/core/health-scores/health-reports'
import { adminReader, operator, partnerReportReader } from '../rpc/guards.ts'
import { csvOf } from '../rpc/procedure-meta.ts'
import { router } from '../rpc/trpc.ts'
import { getHealthReport, getTenantHealth, listHealthTenants } from './get.ts'

const tags = ['health']
const partner = '/partners/{slug}/reports/health' as const

export const healthScoresRouter = router({
  get: adminReader
    .meta({
      scope: 'tenants:read',
      delegable: 'never',
      openapi: {
        method: 'GET',
        path: '/tenants/{slug}/health',
        tags,
        summary: 'Read how healthy a tenant is, and why',
      },
    })
    .input(ReadHealth)
    .output(HealthDetail)
    .query(({ ctx }) => getTenantHealth(ctx.services, ctx.access.tenant.id)),
  report: operator
    .meta({
      scope: 'reports:read',
      openapi: {
        method: 'GET',
        path: '/reports/health',
        tags,
        summary: 'Tenants and revenue by health',
      },
      csv: csvOf(HealthReport, healthCsv),
    })
    .input(ReadHealthReport)
    .output(HealthReport)
    .query(({ ctx }) => getHealthReport(ctx.services, null)),
  reportTenants: operator
    .meta({
      scope: 'reports:read',
      openapi: {
        method: 'GET',
        path: '/reports/health/rows',
        tags,
        summary: 'The tenants behind the health report',
      },
    })
    .input(ListHealthReportTenants)
    .output(HealthReportTenants)
    .query(({ ctx, input }) => listHealthTenants(ctx.services, null, input)),
  partnerReport: partnerReportReader
    .meta({
      scope: 'reports:read',
      openapi: {
        method: 'GET',
        path: partner,
        tags,
        summary: "A partner's customers and revenue by health",
      },
      csv: csvOf(HealthReport, healthCsv),
    })
    .input(ReadPartnerHealthReport)
    .output(HealthReport)
    .query(({ ctx }) => getHealthReport(ctx.services, ctx.partnerAccess.partner.id)),
  partnerReportTenants: partnerReportReader
    .meta({
      scope: 'reports:read',
      openapi: {
        method: 'GET',
        path: `${partner}/rows`,
        tags,
        summary: "The customers behind a partner's health report",
      },
    })
    .input(ListPartnerHealthTenants)
    .output(HealthReportTenants)
    .query(({ ctx, input }) =>
      listHealthTenants(ctx.services, ctx.partnerAccess.partner.id, input),
    ),
})
