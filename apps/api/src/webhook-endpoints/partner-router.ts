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
import { partnerOwner, partnerOwnerReader } from '../rpc/guards.ts'
import { recentSignIn } from '../rpc/procedure.ts'
import { router } from '../rpc/trpc.ts'
import { ofPartner } from '../service-tokens/owner.ts'
import {
  changeWebhookEndpoint,
  createWebhookEndpoint,
  removeWebhookEndpoint,
  rotateWebhookSecret,
} from './change.ts'
import { listWebhookDeliveries, listWebhookEndpoints } from './list.ts'
import { replayEvents, testWebhookEndpoint } from './try.ts'

const tags = ['webhooks']
const path = '/partners/{slug}/webhook-endpoints' as const

/**
 * Where the events of a partner are delivered to: for owners of the partner. Its service tokens
 * have the rights of a manager, so they cannot read them.
 */
export const partnerEndpointsRouter = router({
  listOfPartner: partnerOwnerReader
    .meta({
      scope: 'never',
      openapi: { method: 'GET', path, tags, summary: "List the partner's webhook endpoints" },
    })
    .input(ListWebhookEndpoints)
    .output(WebhookEndpointList)
    .query(({ ctx }) => listWebhookEndpoints(ctx, ofPartner(ctx, ctx.partnerAccess))),
  createOfPartner: partnerOwner
    .meta({
      scope: 'never',
      openapi: {
        method: 'POST',
        path,
        tags,
        summary: 'Create a webhook endpoint of the partner',
      },
      errors: ['limit_reached', 'integration_off'],
      audit: 'webhook_endpoint.created',
      creates: true,
      secretResponse: true,
    })
    .input(CreateWebhookEndpoint)
    .concat(recentSignIn)
    .output(WebhookEndpointWithSecret)
    .mutation(({ ctx, input }) =>
      createWebhookEndpoint(ctx, ofPartner(ctx, ctx.partnerAccess), input),
    ),
  updateOfPartner: partnerOwner
    .meta({
      scope: 'never',
      openapi: {
        method: 'PATCH',
        path: `${path}/{id}`,
        tags,
        summary: 'Change a webhook endpoint of the partner, or switch it off or on',
      },
      audit: 'webhook_endpoint.updated',
    })
    .input(UpdateWebhookEndpoint)
    .output(WebhookEndpointView)
    .mutation(({ ctx, input }) =>
      changeWebhookEndpoint(ctx, ofPartner(ctx, ctx.partnerAccess), input),
    ),
  rotateOfPartner: partnerOwner
    .meta({
      scope: 'never',
      openapi: {
        method: 'POST',
        path: `${path}/{id}/rotate`,
        tags,
        summary: 'Give a webhook endpoint of the partner a new secret',
      },
      errors: ['integration_off'],
      audit: 'webhook_endpoint.secret_rotated',
      secretResponse: true,
    })
    .input(RotateWebhookSecret)
    .concat(recentSignIn)
    .output(WebhookEndpointWithSecret)
    .mutation(({ ctx, input }) =>
      rotateWebhookSecret(ctx, ofPartner(ctx, ctx.partnerAccess), input),
    ),
  removeOfPartner: partnerOwner
    .meta({
      scope: 'never',
      openapi: {
        method: 'DELETE',
        path: `${path}/{id}`,
        tags,
        summary: 'Remove a webhook endpoint of the partner with its log',
      },
      audit: 'webhook_endpoint.removed',
    })
    .input(WebhookEndpointPath)
    .output(z.void())
    .mutation(({ ctx, input }) =>
      removeWebhookEndpoint(ctx, ofPartner(ctx, ctx.partnerAccess), input),
    ),
  deliveriesOfPartner: partnerOwnerReader
    .meta({
      scope: 'never',
      openapi: {
        method: 'GET',
        path: `${path}/{id}/deliveries`,
        tags,
        summary: 'List the deliveries of a webhook endpoint of the partner',
      },
    })
    .input(ListWebhookDeliveries)
    .output(WebhookDeliveryPage)
    .query(({ ctx, input }) =>
      listWebhookDeliveries(ctx, ofPartner(ctx, ctx.partnerAccess), input),
    ),
  testOfPartner: partnerOwner
    .meta({
      scope: 'never',
      openapi: {
        method: 'POST',
        path: `${path}/{id}/test`,
        tags,
        summary: 'Send a test event to a webhook endpoint of the partner',
      },
      errors: ['integration_off'],
      audit: 'webhook_endpoint.tested',
    })
    .input(WebhookEndpointPath)
    .output(WebhookDelivery)
    .mutation(({ ctx, input }) =>
      testWebhookEndpoint(ctx, ofPartner(ctx, ctx.partnerAccess), input),
    ),
  replayOfPartner: partnerOwner
    .meta({
      scope: 'never',
      openapi: {
        method: 'POST',
        path: `${path}/{id}/replay`,
        tags,
        summary: 'Deliver one event of the partner again, or all since a moment',
      },
      errors: ['integration_off'],
      audit: 'webhook_endpoint.replayed',
    })
    .input(ReplayEvents)
    .output(ReplayedEvents)
    .mutation(({ ctx, input }) => replayEvents(ctx, ofPartner(ctx, ctx.partnerAccess), input)),
})
