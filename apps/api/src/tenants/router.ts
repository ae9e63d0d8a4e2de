import { GetTenant, TenantDetail } from '@atrium/core/tenants/tenant-detail'
import { SetTenantLimits, TenantLimits } from '@atrium/core/tenants/tenant-limits'
import {
  CreateTenant,
  DeleteTenant,
  ListTenants,
  PurgeTenant,
  ReconcileResult,
  RestoredTenant,
  RestoreTenant,
  ResumeTenant,
  SuspendTenant,
  TenantPage,
  TenantPath,
  TenantPurge,
  TenantView,
  UpdateTenant,
} from '@atrium/core/tenants/tenants'
import { z } from 'zod'
import {
  adminPartnerOrOperator,
  adminReader,
  isCustodian,
  isPlainMember,
  memberOrOperator,
  operatorOfTenant,
  ownerOrOperator,
  partnerOrOperator,
  signedIn,
  tenantReader,
  usableGrant,
} from '../rpc/guards.ts'
import { recentSignIn } from '../rpc/procedure.ts'
import { requireRecentSignIn } from '../rpc/recent-sign-in.ts'
import { router } from '../rpc/trpc.ts'
import { createTenant } from './create.ts'
import { deleteTenant } from './delete.ts'
import { expandTenant } from './expand.ts'
import { resumeTenant, suspendTenant } from './lifecycle.ts'
import { readTenantLimits, setTenantLimits } from './limits.ts'
import { listTenants } from './list.ts'
import { purgeTenant } from './purge.ts'
import { reconcileTenant } from './reconcile.ts'
import { restoreTenant } from './restore.ts'
import { updateTenant } from './update.ts'
import { toTenantView } from './view.ts'
import { watchTenant } from './watch.ts'

const tags = ['tenants']

export const tenantsRouter = router({
  create: signedIn
    .meta({
      scope: 'tenants:write',
      openapi: {
        method: 'POST',
        path: '/tenants',
        tags,
        summary: 'Create a tenant and provision it',
      },
      audit: 'tenant.created',
      errors: [
        'workplace_suspended',
        'operator_required',
        'partner_unavailable',
        'subscription_required',
        'already_exists',
        'not_found',
        'integration_off',
        'access_level',
        'partner_suspended',
        'limit_reached',
      ],
    })
    .input(CreateTenant)
    .output(TenantView)
    .mutation(({ ctx, input }) => createTenant(ctx, ctx.caller, input)),
  list: signedIn
    .meta({
      scope: 'tenants:read',
      openapi: { method: 'GET', path: '/tenants', tags, summary: 'List the tenants you may see' },
    })
    .input(ListTenants)
    .output(TenantPage)
    .query(({ ctx, input }) => listTenants(ctx, ctx.caller, input)),
  get: tenantReader
    .meta({
      scope: 'tenants:read',
      delegable: 'never',
      openapi: { method: 'GET', path: '/tenants/{slug}', tags, summary: 'Read a tenant' },
      errors: ['not_member'],
    })
    .input(GetTenant)
    .output(TenantDetail)
    .query(({ ctx, input }) => {
      const health = !isPlainMember(ctx.caller, ctx.access.tenant)
      const tenant = toTenantView(ctx.record, ctx.access.tenant.role, ctx.services.clock.now(), {
        health,
        grant: usableGrant(ctx.caller, ctx.access.tenant),
        custodian: isCustodian(ctx.caller, ctx.access.tenant),
      })
      return input.expand === undefined
        ? tenant
        : expandTenant(ctx, ctx.access, tenant, input.expand)
    }),
  update: adminPartnerOrOperator
    .meta({
      scope: 'tenants:write',
      delegable: 'never',
      recentSignIn: 'when it has `domains` or `partnerId`',
      openapi: { method: 'PATCH', path: '/tenants/{slug}', tags, summary: 'Change a tenant' },
      audit: 'tenant.updated',
      errors: [
        'edit_conflict',
        'limit_reached',
        'operator_required',
        'domain_in_use',
        'tenant_deleted',
        'tenant_suspended',
        'partner_unavailable',
        'domain_not_verified',
        'already_exists',
        'billing_limited',
        'upstream_failed',
        'partner_terminated',
        'subscription_exists',
        'subscription_required',
        'primary_domain',
      ],
    })
    .input(UpdateTenant)
    .use(async ({ ctx, input, next }) => {
      await requireRecentSignIn(
        ctx,
        () => input.domains !== undefined || input.partnerId !== undefined,
      )
      return next()
    })
    .output(TenantView)
    .mutation(({ ctx, input }) => updateTenant(ctx, ctx.access, input)),
  delete: ownerOrOperator
    .meta({
      scope: 'never',
      delegable: 'never',
      openapi: {
        method: 'DELETE',
        path: '/tenants/{slug}',
        tags,
        summary: 'Delete a tenant, keeping its record',
      },
      audit: 'tenant.deleted',
      errors: [
        'already_deleted',
        'not_deleted',
        'tenant_deleted',
        'payments_not_configured',
        'partner_terminated',
        'partner_suspended',
        'access_level',
        'payment_failed',
        'upstream_failed',
        'subscription_state',
        'subscription_ended',
        'subscription_exists',
      ],
    })
    .input(DeleteTenant)
    .concat(recentSignIn)
    .output(z.void())
    .mutation(({ ctx, input }) => deleteTenant(ctx, ctx.access, input)),
  reconcile: adminPartnerOrOperator
    .meta({
      scope: 'tenants:write',
      delegable: 'never',
      openapi: {
        method: 'POST',
        path: '/tenants/{slug}/reconcile',
        tags,
        summary: 'Run provisioning again',
      },
      audit: 'tenant.reconciled',
      errors: ['tenant_deleted', 'provisioning_in_progress'],
    })
    .input(TenantPath)
    .output(ReconcileResult)
    .mutation(({ ctx }) => reconcileTenant(ctx, ctx.access)),
  suspend: partnerOrOperator
    .meta({
      scope: 'tenants:write',
      delegable: 'never',
      openapi: {
        method: 'POST',
        path: '/tenants/{slug}/suspend',
        tags,
        summary: 'Suspend a tenant',
      },
      audit: 'tenant.suspended',
      errors: ['already_suspended', 'already_deleted', 'tenant_deleted', 'partner_terminated'],
    })
    .input(SuspendTenant)
    .output(TenantView)
    .mutation(({ ctx, input }) => suspendTenant(ctx, ctx.access, input)),
  resume: partnerOrOperator
    .meta({
      scope: 'tenants:write',
      delegable: 'never',
      openapi: {
        method: 'POST',
        path: '/tenants/{slug}/resume',
        tags,
        summary: 'End a suspension',
      },
      audit: 'tenant.resumed',
      errors: ['not_suspended', 'already_deleted', 'tenant_deleted', 'partner_terminated'],
    })
    .input(ResumeTenant)
    .output(TenantView)
    .mutation(({ ctx, input }) => resumeTenant(ctx, ctx.access, input)),
  restore: operatorOfTenant
    .meta({
      scope: 'tenants:write',
      delegable: 'never',
      openapi: {
        method: 'POST',
        path: '/tenants/{slug}/restore',
        tags,
        summary: 'Restore a deleted tenant',
      },
      audit: 'tenant.restored',
      errors: [
        'not_deleted',
        'restore_expired',
        'partner_terminated',
        'partner_suspended',
        'access_level',
      ],
    })
    .input(RestoreTenant)
    .output(RestoredTenant)
    .mutation(({ ctx, input }) => restoreTenant(ctx, ctx.access, input)),
  purge: operatorOfTenant
    .meta({
      scope: 'never',
      delegable: 'never',
      openapi: {
        method: 'POST',
        path: '/tenants/{slug}/purge',
        tags,
        summary: 'Purge a deleted tenant now',
      },
      audit: 'tenant.purge_started',
      errors: ['not_deleted'],
    })
    .input(PurgeTenant)
    .concat(recentSignIn)
    .output(TenantPurge)
    .mutation(({ ctx, input }) => purgeTenant(ctx, ctx.access, input)),
  limits: adminReader
    .meta({
      scope: 'tenants:read',
      delegable: 'never',
      openapi: {
        method: 'GET',
        path: '/tenants/{slug}/limits',
        tags,
        summary: 'See how much of each limit is used',
      },
    })
    .input(TenantPath)
    .output(TenantLimits)
    .query(({ ctx }) => readTenantLimits(ctx, ctx.access)),
  setLimits: operatorOfTenant
    .meta({
      scope: 'tenants:write',
      delegable: 'never',
      openapi: {
        method: 'PATCH',
        path: '/tenants/{slug}/limits',
        tags,
        summary: 'Set limits for a tenant',
      },
      audit: 'tenant.limits_changed',
      errors: ['tenant_deleted'],
    })
    .input(SetTenantLimits)
    .output(TenantLimits)
    .mutation(({ ctx, input }) => setTenantLimits(ctx, ctx.access, input)),
  events: memberOrOperator
    .meta({
      scope: 'never',
      delegable: 'any',
      openapi: {
        method: 'GET',
        path: '/tenants/{slug}/events',
        tags,
        summary: 'Follow provisioning as server-sent events',
      },
    })
    .input(TenantPath)
    .subscription(({ ctx, signal }) => watchTenant(ctx, ctx.access, signal ?? ctx.request.signal)),
})
