import {
  ListWebhookEvents,
  ReplayedEvents,
  WebhookEventPage,
  WebhookEventPath,
  WebhookEventView,
} from '@atrium/core/billing/webhooks'
import { z } from 'zod'
import { operator } from '../../rpc/guards.ts'
import { router } from '../../rpc/trpc.ts'
import { getWebhookEvent, listWebhookEvents } from './get.ts'
import { replayParked, replayWebhookEvent } from './replay.ts'

const tags = ['webhooks']
const path = '/webhooks/events' as const

/**
 * The inbox of the payment processor's events, for operators. What the processor itself calls
 * stands in `http/payment-webhook.ts`.
 */
export const webhooksRouter = router({
  list: operator
    .meta({
      scope: 'system:read',
      openapi: { method: 'GET', path, tags, summary: 'List events of the payment processor' },
    })
    .input(ListWebhookEvents)
    .output(WebhookEventPage)
    .query(({ ctx, input }) => listWebhookEvents(ctx.services, input)),
  get: operator
    .meta({
      scope: 'system:read',
      openapi: {
        method: 'GET',
        path: `${path}/{id}`,
        tags,
        summary: 'Read an event, personal data masked',
      },
      errors: ['not_found'],
    })
    .input(WebhookEventPath)
    .output(WebhookEventView)
    .query(({ ctx, input }) => getWebhookEvent(ctx.services, input.id)),
  replay: operator
    .meta({
      scope: 'system:write',
      openapi: {
        method: 'POST',
        path: `${path}/{id}/replay`,
        tags,
        summary: 'Have an event worked on again',
      },
      audit: 'webhook.replayed',
      errors: ['event_state', 'not_found'],
    })
    .input(WebhookEventPath)
    .output(WebhookEventView)
    .mutation(({ ctx, input }) => replayWebhookEvent(ctx, ctx.caller, input.id)),
  replayParked: operator
    .meta({
      scope: 'system:write',
      openapi: {
        method: 'POST',
        path: `${path}/replay-parked`,
        tags,
        summary: 'Have every parked event worked on again',
      },
      audit: 'webhook.replayed',
      creates: false,
    })
    .input(z.strictObject({}).optional())
    .output(ReplayedEvents)
    .mutation(({ ctx }) => replayParked(ctx, ctx.caller)),
})
