import { AuditPage, QueryTenantAudit } from '@atrium/core/audit'
import { ListTenantUsers, MemberPage } from '@atrium/core/members'
import { GetTenant, TenantDetail } from '@atrium/core/tenant-detail'
import {
  CreateTenant,
  ListTenants,
  ReconcileResult,
  SuspendTenant,
  TenantPage,
  TenantPath,
  TenantView,
  UpdateTenant,
} from '@atrium/core/tenants'
import { z } from 'zod'
import { queryTenantAudit } from '../audit/query.ts'
import {
  adminPartnerOrOperator,
  isPlainMember,
  memberOrOperator,
  ownerOrOperator,
  partnerOrOperator,
  signedIn,
  tenantReader,
} from '../guards.ts'
import { listMembers } from '../members/list.ts'
import { router } from '../trpc.ts'
import { createTenant } from './create.ts'
import { expandTenant } from './expand.ts'
import { deleteTenant, resumeTenant, suspendTenant } from './lifecycle.ts'
import { listTenants } from './list.ts'
import { reconcileTenant } from './reconcile.ts'
import { updateTenant } from './update.ts'
import { toTenantView } from './view.ts'
import { watchTenant } from './watch.ts'

const tags = ['tenants']

export const tenantsRouter = router({
  create: signedIn
    .meta({ openapi: { method: 'POST', path: '/tenants', tags, summary: 'Create a tenant and provision it' }, audit: 'tenant.created' })
    .input(CreateTenant)
    .output(TenantView)
    .mutation(({ ctx, input }) => createTenant(ctx, ctx.caller, input)),
  list: signedIn
    .meta({ openapi: { method: 'GET', path: '/tenants', tags, summary: 'List the tenants you may see' } })
    .input(ListTenants)
    .output(TenantPage)
    .query(({ ctx, input }) => listTenants(ctx, ctx.caller, input)),
  get: tenantReader
    .meta({ openapi: { method: 'GET', path: '/tenants/{slug}', tags, summary: 'Read a tenant' } })
    .input(GetTenant)
    .output(TenantDetail)
    .query(({ ctx, input }) => {
      const health = !isPlainMember(ctx.caller, ctx.access.tenant)
      const tenant = toTenantView(ctx.record, ctx.access.tenant.role, ctx.house.clock.now(), { health })
      return input.expand === undefined ? tenant : expandTenant(ctx, ctx.access, tenant, input.expand)
    }),
  update: adminPartnerOrOperator
    .meta({ openapi: { method: 'PATCH', path: '/tenants/{slug}', tags, summary: 'Change a tenant' }, audit: 'tenant.updated' })
    .input(UpdateTenant)
    .recentSignIn({
      when: ({ domains, partnerId }) => domains !== undefined || partnerId !== undefined,
      said: 'when it has `domains` or `partnerId`',
    })
    .output(TenantView)
    .mutation(({ ctx, input }) => updateTenant(ctx, ctx.access, input)),
  delete: ownerOrOperator
    .recentSignIn()
    .meta({
      openapi: { method: 'DELETE', path: '/tenants/{slug}', tags, summary: 'Delete a tenant, keeping its record' },
      audit: 'tenant.deleted',
    })
    .input(TenantPath)
    .output(z.void())
    .mutation(({ ctx }) => deleteTenant(ctx, ctx.access)),
  reconcile: adminPartnerOrOperator
    .meta({
      openapi: { method: 'POST', path: '/tenants/{slug}/reconcile', tags, summary: 'Run provisioning again' },
      audit: 'tenant.reconciled',
    })
    .input(TenantPath)
    .output(ReconcileResult)
    .mutation(({ ctx }) => reconcileTenant(ctx, ctx.access)),
  suspend: partnerOrOperator
    .meta({ openapi: { method: 'POST', path: '/tenants/{slug}/suspend', tags, summary: 'Suspend a tenant' }, audit: 'tenant.suspended' })
    .input(SuspendTenant)
    .output(TenantView)
    .mutation(({ ctx, input }) => suspendTenant(ctx, ctx.access, input)),
  resume: partnerOrOperator
    .meta({ openapi: { method: 'POST', path: '/tenants/{slug}/resume', tags, summary: 'End a suspension' }, audit: 'tenant.resumed' })
    .input(SuspendTenant)
    .output(TenantView)
    .mutation(({ ctx, input }) => resumeTenant(ctx, ctx.access, input)),
  users: memberOrOperator
    .meta({ openapi: { method: 'GET', path: '/tenants/{slug}/users', tags, summary: 'List the members' } })
    .input(ListTenantUsers)
    .output(MemberPage)
    .query(({ ctx, input }) => listMembers(ctx, ctx.access, input)),
  audit: memberOrOperator
    .meta({ openapi: { method: 'GET', path: '/tenants/{slug}/audit', tags, summary: 'Search the audit log of the tenant' } })
    .input(QueryTenantAudit)
    .output(AuditPage)
    .query(({ ctx, input }) => queryTenantAudit(ctx, ctx.access, input)),
  events: memberOrOperator
    .meta({ openapi: { method: 'GET', path: '/tenants/{slug}/events', tags, summary: 'Follow provisioning as server-sent events' } })
    .input(TenantPath)
    .subscription(({ ctx, signal }) => watchTenant(ctx, ctx.access, signal ?? ctx.request.signal)),
})
