import {
  AuditPage,
  AuditVerification,
  ExportAudit,
  QueryAudit,
  QueryTenantAudit,
  VerifyAudit,
} from '@atrium/core/audit/audit'
import { memberOrOperator, operator } from '../rpc/guards.ts'
import { router } from '../rpc/trpc.ts'
import { exportAudit } from './export.ts'
import { queryAudit, queryTenantAudit } from './query.ts'
import { verifyAudit } from './verify.ts'

const tags = ['audit']

export const auditRouter = router({
  query: operator
    .meta({
      scope: 'audit:read',
      openapi: { method: 'GET', path: '/audit', tags, summary: 'Search the audit log' },
    })
    .input(QueryAudit)
    .output(AuditPage)
    .query(({ ctx, input }) => queryAudit(ctx, input)),
  export: operator
    .meta({
      scope: 'audit:read',
      openapi: {
        method: 'GET',
        path: '/audit/export',
        tags,
        summary: 'Export the audit log as NDJSON or CSV',
      },
      export: { fileName: 'audit', formats: ['ndjson', 'csv'] },
    })
    .input(ExportAudit)
    .query(({ ctx, input }) => exportAudit(ctx, ctx.caller, input)),
  verify: operator
    .meta({
      scope: 'audit:read',
      openapi: {
        method: 'GET',
        path: '/audit/verify',
        tags,
        summary: 'Check the hash chains of the audit log',
      },
    })
    .input(VerifyAudit)
    .output(AuditVerification)
    .query(({ ctx, input }) => verifyAudit(ctx, ctx.caller, input)),
})

/** What `tenants` has of the audit log of a tenant. */
export const tenantAuditRouter = router({
  audit: memberOrOperator
    .meta({
      scope: 'audit:read',
      delegable: ['security'],
      openapi: {
        method: 'GET',
        path: '/tenants/{slug}/audit',
        tags: ['tenants'],
        summary: 'Search the audit log of the tenant',
      },
    })
    .input(QueryTenantAudit)
    .output(AuditPage)
    .query(({ ctx, input }) => queryTenantAudit(ctx, ctx.access, input)),
})
