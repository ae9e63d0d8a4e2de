import { z } from 'zod'
import { auditActions } from '../audit/audit.ts'
import { says } from '../platform/issue-text.ts'
import { cursor, page, pageLimit } from '../platform/paging.ts'
import { overlapHours } from '../platform/secret-overlap.ts'
import { instant, line } from '../platform/text.ts'

/** How long an endpoint has to answer. */
export const deliveryDeadlineMs = 15_000
/** How much of a request and of a response the log keeps, in characters. */
export const loggedLength = 4_096
/** An endpoint that fails for so many days is switched off. */
export const failingDays = 5
/** After so many days a delivery is deleted from the log. */
export const deliveryDays = 7

const [minute, hour] = [60, 3_600]
/**
 * Seconds between the tries of one event: ten tries within three days, as Standard Webhooks
 * proposes.
 */
export const retryAfterSeconds = [
  5,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  18 * hour,
  22 * hour,
] as const

export const disabledReasons = ['person', 'failing'] as const
export type DisabledReason = (typeof disabledReasons)[number]

/** `event`: in the order of events; `replay`: one event again; `test`: the test event. */
export const deliveryKinds = ['event', 'replay', 'test'] as const
export type DeliveryKind = (typeof deliveryKinds)[number]

/** The type of test events, which no action of the audit log has. */
export const testEventType = 'webhook_endpoint.test'

const eventType = z.enum(auditActions)

const httpUrl = z
  .string()
  .trim()
  .max(2_000)
  .refine((text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined
    return (
      url !== undefined &&
      ['https:', 'http:'].includes(url.protocol) &&
      url.username === '' &&
      url.password === ''
    )
  }, says('webAddress'))
  .meta({ openapi: { pattern: '^https?://' } })

export const WebhookEndpointView = z.object({
  id: z.uuid(),
  url: z.string(),
  description: z.string(),
  /** Types of events that are delivered; empty: all. */
  types: z.array(z.string()),
  createdAt: instant,
  /** Until when deliveries carry a signature of the secret before the last rotation. */
  previousSecretEndsAt: instant.nullable(),
  disabledAt: instant.nullable(),
  disabledReason: z.enum(disabledReasons).nullable(),
  /** Since when every delivery failed; null while they succeed. */
  failingSince: instant.nullable(),
})
export type WebhookEndpointView = z.infer<typeof WebhookEndpointView>

export const WebhookEndpointList = z.object({ items: z.array(WebhookEndpointView) })
export type WebhookEndpointList = z.infer<typeof WebhookEndpointList>

/** The only responses that contain the secret. */
export const WebhookEndpointWithSecret = WebhookEndpointView.extend({
  /** `whsec_…`, for libraries of Standard Webhooks. */
  secret: z.string(),
})
export type WebhookEndpointWithSecret = z.infer<typeof WebhookEndpointWithSecret>

/** One request to an endpoint and how it ended. */
export const WebhookDelivery = z.object({
  id: z.uuid(),
  eventId: z.uuid(),
  eventType: z.string(),
  kind: z.enum(deliveryKinds),
  /** 1 for the first try of the event. */
  attempt: z.number().int(),
  at: instant,
  milliseconds: z.number().int(),
  /** Whether the endpoint accepted it, with a status from 200 to 299. */
  ok: z.boolean(),
  status: z.number().int().nullable(),
  /** Why there is no status. */
  error: z.string().nullable(),
  /** Body of the request, at most 4,096 characters. */
  request: z.string(),
  response: z.string().nullable(),
})
export type WebhookDelivery = z.infer<typeof WebhookDelivery>

export const WebhookDeliveryPage = page(WebhookDelivery)
export type WebhookDeliveryPage = z.infer<typeof WebhookDeliveryPage>

const owner = { slug: z.string().max(200) }
const path = { id: z.uuid() }
const types = z.array(eventType).max(auditActions.length)
const created = {
  url: httpUrl,
  description: line(200, 0).default(''),
  types: types.default([]),
}
const updated = {
  ...path,
  url: httpUrl.optional(),
  description: line(200, 0).optional(),
  types: types.optional(),
  enabled: z.boolean().optional(),
}
const rotated = { ...path, overlapHours }
const deliveries = { ...path, cursor: cursor.optional(), limit: pageLimit }
const replayed = { ...path, eventId: z.uuid().optional(), since: instant.optional() }

export const ListWebhookEndpoints = z.strictObject(owner)

export const CreateWebhookEndpoint = z.strictObject({ ...owner, ...created })
export const CreatePlatformEndpoint = z.strictObject(created)
export type CreateWebhookEndpoint = z.infer<typeof CreatePlatformEndpoint>

export const UpdateWebhookEndpoint = z.strictObject({ ...owner, ...updated })
export const UpdatePlatformEndpoint = z.strictObject(updated)
export type UpdateWebhookEndpoint = z.infer<typeof UpdatePlatformEndpoint>

export const WebhookEndpointPath = z.strictObject({ ...owner, ...path })
export const PlatformEndpointPath = z.strictObject(path)
export type WebhookEndpointPath = z.infer<typeof PlatformEndpointPath>

export const RotateWebhookSecret = z.strictObject({ ...owner, ...rotated })
export const RotatePlatformSecret = z.strictObject(rotated)
export type RotateWebhookSecret = z.infer<typeof RotatePlatformSecret>

export const ListWebhookDeliveries = z.strictObject({ ...owner, ...deliveries })
export const ListPlatformDeliveries = z.strictObject(deliveries)
export type ListWebhookDeliveries = z.infer<typeof ListPlatformDeliveries>

const oneOrSince = ({ eventId, since }: { eventId?: unknown; since?: unknown }) =>
  (eventId === undefined) !== (since === undefined)
const eventOrSince = { ...says('eventOrSince'), path: ['eventId'] }

/** One event again, or all since a moment. */
export const ReplayEvents = z
  .strictObject({ ...owner, ...replayed })
  .refine(oneOrSince, eventOrSince)
export const ReplayPlatformEvents = z.strictObject(replayed).refine(oneOrSince, eventOrSince)
export type ReplayEvents = z.infer<typeof ReplayPlatformEvents>

/** The delivery of the one event; null where all since a moment are delivered by the job. */
export const ReplayedEvents = z.object({ delivery: WebhookDelivery.nullable() })
export type ReplayedEvents = z.infer<typeof ReplayedEvents>
