import {
  CreateWebhookEndpoint,
  ListWebhookDeliveries,
  ListWebhookEndpoints,
  ReplayEvents,
  ReplayedEvents,
  RotateWebhookSecret,
  UpdateWebhookEndpoint,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookEndpointList,
  WebhookEndpointPath,
  WebhookEndpointView,
  WebhookEndpointWithSecret,
} from '@atrium/core/webhook-endpoints/webhook-endpoints'
import { z } from 'zod'
import { adminOnly, adminOrOperator } from '../rpc/guards.ts'
import { recentSignIn } from '../rpc/procedure.ts'
import { mergeRouters, router } from '../rpc/trpc.ts'
import { ofTenant } from '../service-tokens/owner.ts'
import {
  changeWebhookEndpoint,
  createWebhookEndpoint,
  removeWebhookEndpoint,
  rotateWebhookSecret,
} from './change.ts'
import { listWebhookDeliveries, listWebhookEndpoints } from './list.ts'
import { partnerEndpointsRouter } from './partner-router.ts'
import { platformEndpointsRouter } from './platform-router.ts'
import { replayEvents, testWebhookEndpoint } from './try.ts'

const tags = ['webhooks']
const path = '/tenants/{slug}/webhook-endpoints' as const

/** What a program of a token could leave behind for after its revocation, only people set up. */
const byPeople = { scope: 'never', delegable: 'never' } as const
const errors = ['tenant_suspended', 'tenant_deleted', 'not_member', 'not_found'] as const

/** Where the events of a tenant are delivered to. */
const tenantEndpointsRouter = router({
  list: adminOrOperator
    .meta({
      scope: 'events:read',
      delegable: 'never',
      openapi: { method: 'GET', path, tags, summary: "List the tenant's webhook endpoints" },
    })
    .input(ListWebhookEndpoints)
    .output(WebhookEndpointList)
    .query(({ ctx }) => listWebhookEndpoints(ctx, ofTenant(ctx, ctx.access))),
  create: adminOnly
    .meta({
      ...byPeople,
      openapi: { method: 'POST', path, tags, summary: 'Create a webhook endpoint' },
      errors: [
        'tenant_suspended',
        'tenant_deleted',
        'not_member',
        'limit_reached',
        'integration_off',
      ],
      audit: 'webhook_endpoint.created',
      creates: true,
      secretResponse: true,
    })
    .input(CreateWebhookEndpoint)
    .concat(recentSignIn)
    .output(WebhookEndpointWithSecret)
    .mutation(({ ctx, input }) => createWebhookEndpoint(ctx, ofTenant(ctx, ctx.access), input)),
  update: adminOnly
    .meta({
      ...byPeople,
      openapi: {
        method: 'PATCH',
        path: `${path}/{id}`,
        tags,
        summary: 'Change a webhook endpoint, or switch it off or on',
      },
      errors,
      audit: 'webhook_endpoint.updated',
    })
    .input(UpdateWebhookEndpoint)
    .output(WebhookEndpointView)
    .mutation(({ ctx, input }) => changeWebhookEndpoint(ctx, ofTenant(ctx, ctx.access), input)),
  rotate: adminOnly
    .meta({
      ...byPeople,
      openapi: {
        method: 'POST',
        path: `${path}/{id}/rotate`,
        tags,
        summary: 'Give a webhook endpoint a new secret',
      },
      errors: [...errors, 'integration_off'],
      audit: 'webhook_endpoint.secret_rotated',
      secretResponse: true,
    })
    .input(RotateWebhookSecret)
    .concat(recentSignIn)
    .output(WebhookEndpointWithSecret)
    .mutation(({ ctx, input }) => rotateWebhookSecret(ctx, ofTenant(ctx, ctx.access), input)),
  remove: adminOrOperator
    .meta({
      ...byPeople,
      openapi: {
        method: 'DELETE',
        path: `${path}/{id}`,
        tags,
        summary: 'Remove a webhook endpoint with its log',
      },
      errors: ['not_found', 'partner_suspended', 'partner_terminated', 'access_level'],
      audit: 'webhook_endpoint.removed',
    })
    .input(WebhookEndpointPath)
    .output(z.void())
    .mutation(({ ctx, input }) => removeWebhookEndpoint(ctx, ofTenant(ctx, ctx.access), input)),
  deliveries: adminOrOperator
    .meta({
      scope: 'events:read',
      delegable: 'never',
      openapi: {
        method: 'GET',
        path: `${path}/{id}/deliveries`,
        tags,
        summary: 'List the deliveries of a webhook endpoint',
      },
      errors: ['not_found'],
    })
    .input(ListWebhookDeliveries)
    .output(WebhookDeliveryPage)
    .query(({ ctx, input }) => listWebhookDeliveries(ctx, ofTenant(ctx, ctx.access), input)),
  test: adminOnly
    .meta({
      ...byPeople,
      openapi: {
        method: 'POST',
        path: `${path}/{id}/test`,
        tags,
        summary: 'Send a test event to a webhook endpoint',
      },
      errors: ['not_found', 'integration_off'],
      audit: 'webhook_endpoint.tested',
    })
    .input(WebhookEndpointPath)
    .output(WebhookDelivery)
    .mutation(({ ctx, input }) => testWebhookEndpoint(ctx, ofTenant(ctx, ctx.access), input)),
  replay: adminOnly
    .meta({
      ...byPeople,
      openapi: {
        method: 'POST',
        path: `${path}/{id}/replay`,
        tags,
        summary: 'Deliver one event again, or all since a moment',
      },
      errors: [...errors, 'integration_off'],
      audit: 'webhook_endpoint.replayed',
    })
    .input(ReplayEvents)
    .output(ReplayedEvents)
    .mutation(({ ctx, input }) => replayEvents(ctx, ofTenant(ctx, ctx.access), input)),
})

/** Where the events of a tenant, a partner and the platform are delivered to. */
export const webhookEndpointsRouter = mergeRouters(
  tenantEndpointsRouter,
  partnerEndpointsRouter,
  platformEndpointsRouter,
)
