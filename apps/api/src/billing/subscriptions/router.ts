import {
  CancelSubscription,
  CancelTenantSubscription,
  ChangePreview,
  ChangeResult,
  ChangeSubscription,
  CreateSubscription,
  ListSubscriptions,
  PreviewSubscriptionChange,
  ReadSubscription,
  StartPreview,
  StartResult,
  StartSubscription,
  SubscriptionDetail,
  SubscriptionPage,
  SubscriptionView,
  TenantSubscription,
  UpdateSubscription,
} from '@atrium/core/billing/subscriptions'
import { TenantPath } from '@atrium/core/tenants/tenants'
import { z } from 'zod'
import { adminPartnerOrOperator, memberPartnerOrOperator, operator } from '../../rpc/guards.ts'
import { router } from '../../rpc/trpc.ts'
import { processorErrors } from '../invoices/processor-errors.ts'
import { cancelSubscription, discardPending, keepSubscription } from './cancel.ts'
import { changeSubscription } from './change.ts'
import { createSubscription } from './create.ts'
import { getSubscription, getTenantSubscription, listSubscriptions } from './get.ts'
import { previewChange } from './preview.ts'
import { previewStart } from './preview-start.ts'
import { removeSubscription } from './remove.ts'
import { startSubscription } from './start.ts'
import { updateSubscription } from './update.ts'

const tags = ['subscriptions']
const path = '/subscriptions/{id}' as const
const own = '/tenants/{slug}/subscription' as const

export const subscriptionsRouter = router({
  list: operator
    .meta({
      scope: 'billing:read',
      openapi: { method: 'GET', path: '/subscriptions', tags, summary: 'List subscriptions' },
    })
    .input(ListSubscriptions)
    .output(SubscriptionPage)
    .query(({ ctx, input }) => listSubscriptions(ctx.services, input)),
  create: operator
    .meta({
      scope: 'billing:write',
      openapi: { method: 'POST', path: '/subscriptions', tags, summary: 'Make a subscription' },
      audit: 'subscription.created',
      errors: [
        ...processorErrors,
        'tenant_deleted',
        'subscription_exists',
        'price_unavailable',
        'subscription_ended',
        'subscription_state',
      ],
    })
    .input(CreateSubscription)
    .output(SubscriptionView)
    .mutation(({ ctx, input }) => createSubscription(ctx, ctx.caller, input)),
  get: operator
    .meta({
      scope: 'billing:read',
      openapi: { method: 'GET', path, tags, summary: 'Read a subscription with its history' },
      errors: ['not_found'],
    })
    .input(ReadSubscription)
    .output(SubscriptionDetail)
    .query(({ ctx, input }) => getSubscription(ctx.services, input)),
  update: operator
    .meta({
      scope: 'billing:write',
      openapi: { method: 'PATCH', path, tags, summary: 'Correct a subscription' },
      audit: 'subscription.updated',
      errors: [
        ...processorErrors,
        'subscription_ended',
        'version_conflict',
        'not_found',
        'subscription_state',
        'price_unavailable',
        'subscription_exists',
      ],
    })
    .input(UpdateSubscription)
    .output(SubscriptionView)
    .mutation(({ ctx, input }) => updateSubscription(ctx, ctx.caller, input)),
  remove: operator
    .meta({
      scope: 'billing:write',
      openapi: {
        method: 'DELETE',
        path,
        tags,
        summary: 'End a subscription now or with its period',
      },
      audit: 'subscription.canceled',
      errors: [
        ...processorErrors,
        'subscription_ended',
        'not_found',
        'subscription_state',
        'subscription_exists',
      ],
    })
    .input(CancelSubscription)
    .output(z.void())
    .mutation(({ ctx, input }) => removeSubscription(ctx, ctx.caller, input)),
  getOfTenant: memberPartnerOrOperator
    .meta({
      scope: 'billing:read',
      delegable: 'never',
      openapi: { method: 'GET', path: own, tags, summary: "Read the tenant's subscription" },
    })
    .input(TenantPath)
    .output(TenantSubscription.nullable())
    .query(({ ctx }) => getTenantSubscription(ctx.services, ctx.access.tenant.id)),
  start: adminPartnerOrOperator
    .meta({
      scope: 'billing:write',
      delegable: 'never',
      openapi: { method: 'POST', path: own, tags, summary: 'Subscribe' },
      audit: 'subscription.created',
      creates: true,
      secretResponse: true,
      errors: [
        ...processorErrors,
        'rate_limited',
        'tenant_deleted',
        'billing_limited',
        'price_unavailable',
        'subscription_exists',
        'subscription_ended',
        'not_member',
        'subscription_state',
      ],
    })
    .input(StartSubscription)
    .output(StartResult)
    .mutation(({ ctx, input }) => startSubscription(ctx, ctx.access, input)),
  // A query in spite of its method: it only computes.
  previewStart: adminPartnerOrOperator
    .meta({
      scope: 'billing:read',
      delegable: 'never',
      openapi: {
        method: 'POST',
        path: `${own}/start-preview`,
        tags,
        summary: 'See what subscribing would cost, with tax',
      },
      errors: [...processorErrors, 'tenant_deleted', 'subscription_exists', 'price_unavailable'],
    })
    .input(StartSubscription)
    .output(StartPreview)
    .query(({ ctx, input }) => previewStart(ctx, ctx.access, input)),
  // A query in spite of its method: it only computes.
  preview: adminPartnerOrOperator
    .meta({
      scope: 'billing:read',
      delegable: 'never',
      openapi: {
        method: 'POST',
        path: `${own}/preview`,
        tags,
        summary: 'See what another plan or number of seats would cost',
      },
      errors: [
        ...processorErrors,
        'operator_managed',
        'subscription_ended',
        'currency_locked',
        'uncancel_first',
        'subscription_state',
        'quota_exceeded',
        'price_unavailable',
      ],
    })
    .input(PreviewSubscriptionChange)
    .output(ChangePreview)
    .query(({ ctx, input }) => previewChange(ctx, ctx.access, input)),
  change: adminPartnerOrOperator
    .meta({
      scope: 'billing:write',
      delegable: 'never',
      openapi: {
        method: 'POST',
        path: `${own}/change`,
        tags,
        summary: 'Change plan, cycle or seats as quoted',
      },
      audit: 'subscription.updated',
      errors: [
        ...processorErrors,
        'operator_managed',
        'rate_limited',
        'quote_expired',
        'tenant_deleted',
        'subscription_ended',
        'currency_locked',
        'uncancel_first',
        'subscription_state',
        'quota_exceeded',
        'price_unavailable',
        'not_member',
        'subscription_exists',
      ],
    })
    .input(ChangeSubscription)
    .output(ChangeResult)
    .mutation(({ ctx, input }) => changeSubscription(ctx, ctx.access, input)),
  cancel: adminPartnerOrOperator
    .meta({
      scope: 'billing:write',
      delegable: 'never',
      openapi: {
        method: 'POST',
        path: `${own}/cancel`,
        tags,
        summary: 'End the subscription with its period',
      },
      audit: 'subscription.canceled',
      errors: [
        ...processorErrors,
        'tenant_deleted',
        'subscription_ended',
        'subscription_state',
        'not_member',
        'subscription_exists',
      ],
    })
    .input(CancelTenantSubscription)
    .output(TenantSubscription)
    .mutation(({ ctx, input }) => cancelSubscription(ctx, ctx.access, input)),
  keep: adminPartnerOrOperator
    .meta({
      scope: 'billing:write',
      delegable: 'never',
      openapi: { method: 'POST', path: `${own}/keep`, tags, summary: 'Take the cancellation back' },
      audit: 'subscription.kept',
      errors: [
        ...processorErrors,
        'approval_required',
        'subscription_ended',
        'tenant_deleted',
        'subscription_exists',
        'not_member',
      ],
    })
    .input(TenantPath)
    .output(TenantSubscription)
    .mutation(({ ctx }) => keepSubscription(ctx, ctx.access)),
  discardPending: adminPartnerOrOperator
    .meta({
      scope: 'billing:write',
      delegable: 'never',
      openapi: {
        method: 'DELETE',
        path: `${own}/pending`,
        tags,
        summary: 'Take back the change that waits for the end of the period',
      },
      audit: 'subscription.updated',
      errors: [
        ...processorErrors,
        'approval_required',
        'tenant_deleted',
        'subscription_ended',
        'not_member',
      ],
    })
    .input(TenantPath)
    .output(z.void())
    .mutation(({ ctx }) => discardPending(ctx, ctx.access)),
})
