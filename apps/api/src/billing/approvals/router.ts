import {
  ApprovalPage,
  ApprovalResult,
  ApprovalView,
  ApproveRequest,
  DeclineRequest,
  ListApprovals,
  SetSpendingLimit,
  SpendingLimitView,
} from '@atrium/core/billing/approvals'
import { TenantPath } from '@atrium/core/tenants/tenants'
import { z } from 'zod'
import { adminReader, ownerOrOperator } from '../../rpc/guards.ts'
import { recentSignIn } from '../../rpc/procedure.ts'
import { router } from '../../rpc/trpc.ts'
import { processorErrors } from '../invoices/processor-errors.ts'
import { approveRequest } from './approve.ts'
import { declineRequest } from './decline.ts'
import { listApprovals } from './list.ts'
import { getSpendingLimit, removeSpendingLimit, setSpendingLimit } from './spending-limit.ts'

const tags = ['approvals']
const path = '/tenants/{slug}/approvals' as const
const limit = '/tenants/{slug}/partner-limit' as const

export const approvalsRouter = router({
  list: adminReader
    .meta({
      scope: 'billing:read',
      delegable: 'never',
      openapi: { method: 'GET', path, tags, summary: 'List what the partner asked for' },
    })
    .input(ListApprovals)
    .output(ApprovalPage)
    .query(({ ctx, input }) => listApprovals(ctx, ctx.access, input)),
  approve: ownerOrOperator
    .meta({
      scope: 'never',
      delegable: 'never',
      openapi: {
        method: 'POST',
        path: `${path}/{id}/approve`,
        tags,
        summary: 'Approve and carry out what the partner asked for',
      },
      audit: 'approval.approved',
      secretResponse: true,
      errors: [
        ...processorErrors,
        'approval_state',
        'operator_managed',
        'quote_expired',
        'tenant_deleted',
        'billing_limited',
        'subscription_exists',
        'subscription_ended',
        'subscription_state',
        'currency_locked',
        'uncancel_first',
        'quota_exceeded',
        'price_unavailable',
        'not_member',
        'not_admin',
      ],
    })
    .input(ApproveRequest)
    .output(ApprovalResult)
    .mutation(({ ctx, input }) => approveRequest(ctx, ctx.access, input)),
  decline: ownerOrOperator
    .meta({
      scope: 'never',
      delegable: 'never',
      openapi: {
        method: 'POST',
        path: `${path}/{id}/decline`,
        tags,
        summary: 'Decline what the partner asked for',
      },
      audit: 'approval.declined',
      errors: ['approval_state'],
    })
    .input(DeclineRequest)
    .output(ApprovalView)
    .mutation(({ ctx, input }) => declineRequest(ctx, ctx.access, input)),
  getLimit: adminReader
    .meta({
      scope: 'billing:read',
      delegable: 'never',
      openapi: {
        method: 'GET',
        path: limit,
        tags,
        summary: 'See what the partner may order in a month without asking',
      },
    })
    .input(TenantPath)
    .output(SpendingLimitView.nullable())
    .query(({ ctx }) => getSpendingLimit(ctx, ctx.access)),
  setLimit: ownerOrOperator
    .meta({
      scope: 'never',
      delegable: 'never',
      openapi: {
        method: 'PUT',
        path: limit,
        tags,
        summary: 'Set what the partner may order in a month without asking',
      },
      audit: 'spending_limit.set',
      errors: ['partner_unavailable'],
    })
    .input(SetSpendingLimit)
    .concat(recentSignIn)
    .output(SpendingLimitView)
    .mutation(({ ctx, input }) => setSpendingLimit(ctx, ctx.access, input)),
  removeLimit: ownerOrOperator
    .meta({
      scope: 'never',
      delegable: 'never',
      openapi: {
        method: 'DELETE',
        path: limit,
        tags,
        summary: 'Let the partner order nothing without asking',
      },
      audit: 'spending_limit.removed',
    })
    .input(TenantPath)
    .output(z.void())
    .mutation(({ ctx }) => removeSpendingLimit(ctx, ctx.access)),
})
