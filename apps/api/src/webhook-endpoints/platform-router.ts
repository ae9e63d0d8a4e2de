import {
  CreatePlatformEndpoint,
  ListPlatformDeliveries,
  PlatformEndpointPath,
  ReplayedEvents,
  ReplayPlatformEvents,
  RotatePlatformSecret,
  UpdatePlatformEndpoint,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookEndpointList,
  WebhookEndpointView,
  WebhookEndpointWithSecret,
} from '@atrium/core/webhook-endpoints/webhook-endpoints'
import { z } from 'zod'
import { operator } from '../rpc/guards.ts'
import { recentSignIn } from '../rpc/procedure.ts'
import { router } from '../rpc/trpc.ts'
import { ofPlatform } from '../service-tokens/owner.ts'
import {
  changeWebhookEndpoint,
  createWebhookEndpoint,
  removeWebhookEndpoint,
  rotateWebhookSecret,
} from './change.ts'
import { listWebhookDeliveries, listWebhookEndpoints } from './list.ts'
import { replayEvents, testWebhookEndpoint } from './try.ts'

const tags = ['webhooks']
const path = '/webhook-endpoints' as const

/** Where the events of the whole platform are delivered to. Only people set endpoints up. */
export const platformEndpointsRouter = router({
  listOfPlatform: operator
    .meta({
      scope: 'events:read',
      openapi: {
        method: 'GET',
        path,
        tags,
        summary: "List the platform's webhook endpoints",
      },
    })
    .input(z.strictObject({}).optional())
    .output(WebhookEndpointList)
    .query(({ ctx }) => listWebhookEndpoints(ctx, ofPlatform(ctx, ctx.caller))),
  createOfPlatform: operator
    .meta({
      scope: 'never',
      openapi: {
        method: 'POST',
        path,
        tags,
        summary: 'Create a webhook endpoint of the platform',
      },
      errors: ['limit_reached', 'integration_off'],
      audit: 'webhook_endpoint.created',
      creates: true,
      secretResponse: true,
    })
    .input(CreatePlatformEndpoint)
    .concat(recentSignIn)
    .output(WebhookEndpointWithSecret)
    .mutation(({ ctx, input }) => createWebhookEndpoint(ctx, ofPlatform(ctx, ctx.caller), input)),
  updateOfPlatform: operator
    .meta({
      scope: 'never',
      openapi: {
        method: 'PATCH',
        path: `${path}/{id}`,
        tags,
        summary: 'Change a webhook endpoint of the platform, or switch it off or on',
      },
      errors: ['not_found'],
      audit: 'webhook_endpoint.updated',
    })
    .input(UpdatePlatformEndpoint)
    .output(WebhookEndpointView)
    .mutation(({ ctx, input }) => changeWebhookEndpoint(ctx, ofPlatform(ctx, ctx.caller), input)),
  rotateOfPlatform: operator
    .meta({
      scope: 'never',
      openapi: {
        method: 'POST',
        path: `${path}/{id}/rotate`,
        tags,
        summary: 'Give a webhook endpoint of the platform a new secret',
      },
      errors: ['not_found', 'integration_off'],
      audit: 'webhook_endpoint.secret_rotated',
      secretResponse: true,
    })
    .input(RotatePlatformSecret)
    .concat(recentSignIn)
    .output(WebhookEndpointWithSecret)
    .mutation(({ ctx, input }) => rotateWebhookSecret(ctx, ofPlatform(ctx, ctx.caller), input)),
  removeOfPlatform: operator
    .meta({
      scope: 'never',
      openapi: {
        method: 'DELETE',
        path: `${path}/{id}`,
        tags,
        summary: 'Remove a webhook endpoint of the platform with its log',
      },
      errors: ['not_found'],
      audit: 'webhook_endpoint.removed',
    })
    .input(PlatformEndpointPath)
    .output(z.void())
    .mutation(({ ctx, input }) => removeWebhookEndpoint(ctx, ofPlatform(ctx, ctx.caller), input)),
  deliveriesOfPlatform: operator
    .meta({
      scope: 'events:read',
      openapi: {
        method: 'GET',
        path: `${path}/{id}/deliveries`,
        tags,
        summary: 'List the deliveries of a webhook endpoint of the platform',
      },
      errors: ['not_found'],
    })
    .input(ListPlatformDeliveries)
    .output(WebhookDeliveryPage)
    .query(({ ctx, input }) => listWebhookDeliveries(ctx, ofPlatform(ctx, ctx.caller), input)),
  testOfPlatform: operator
    .meta({
      scope: 'never',
      openapi: {
        method: 'POST',
        path: `${path}/{id}/test`,
        tags,
        summary: 'Send a test event to a webhook endpoint of the platform',
      },
      errors: ['not_found', 'integration_off'],
      audit: 'webhook_endpoint.tested',
    })
    .input(PlatformEndpointPath)
    .output(WebhookDelivery)
    .mutation(({ ctx, input }) => testWebhookEndpoint(ctx, ofPlatform(ctx, ctx.caller), input)),
  replayOfPlatform: operator
    .meta({
      scope: 'never',
      openapi: {
        method: 'POST',
        path: `${path}/{id}/replay`,
        tags,
        summary: 'Deliver one event of the platform again, or all since a moment',
      },
      errors: ['not_found', 'integration_off'],
      audit: 'webhook_endpoint.replayed',
    })
    .input(ReplayPlatformEvents)
    .output(ReplayedEvents)
    .mutation(({ ctx, input }) => replayEvents(ctx, ofPlatform(ctx, ctx.caller), input)),
})
