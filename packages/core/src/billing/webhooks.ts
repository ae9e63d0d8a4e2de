import { z } from 'zod'
import { webhookStates } from '../platform/choices.ts'
import { says } from '../platform/issue-text.ts'
import { page, pageLimit } from '../platform/paging.ts'
import { instant, line } from '../platform/text.ts'
import { InboxHealth } from './billing.ts'

export { webhookStates }

export const webhookState = z.enum(webhookStates)
export type WebhookState = z.infer<typeof webhookState>

/** Seconds from each failed try of an event to the next; after the last one the event is parked. */
const retrySeconds = [60, 300, 1_800, 7_200, 43_200] as const

/**
 * When an event is retried after its `attempts`th try failed; undefined when it is to be parked.
 */
export function webhookRetrySeconds(attempts: number): number | undefined {
  return retrySeconds[attempts - 1]
}

const eventId = z.string().max(255)

export const ListWebhookEvents = z.strictObject({
  state: webhookState.optional(),
  /** An event type such as invoice.paid, or a leading part of one such as invoice. */
  type: line(100).optional(),
  /** Matches the ids of the event and of its object. */
  q: line(200).optional(),
  /** The id of the last event shown. */
  cursor: eventId.regex(/^[\w.-]+$/, says('cursor')).optional(),
  limit: pageLimit,
})
export type ListWebhookEvents = z.infer<typeof ListWebhookEvents>

export const WebhookEventPath = z.strictObject({
  id: eventId.regex(/^[\w.-]+$/, says('id')),
})
export type WebhookEventPath = z.infer<typeof WebhookEventPath>

export const WebhookEventItem = z.object({
  id: z.string(),
  type: z.string(),
  objectId: z.string().nullable(),
  state: webhookState,
  attempts: z.number().int(),
  /** When it happened at the payment processor. */
  createdAt: instant,
  receivedAt: instant,
  nextAt: instant.nullable(),
  finishedAt: instant.nullable(),
  /** Why it failed or what became of it. */
  note: z.string().nullable(),
  livemode: z.boolean(),
  apiVersion: z.string().nullable(),
})
export type WebhookEventItem = z.infer<typeof WebhookEventItem>

/** The payload without personal data and links that open without a session. */
export const WebhookEventView = WebhookEventItem.extend({
  payload: z.record(z.string(), z.unknown()),
})
export type WebhookEventView = z.infer<typeof WebhookEventView>

export const WebhookEventPage = page(WebhookEventItem).extend({ health: InboxHealth })
export type WebhookEventPage = z.infer<typeof WebhookEventPage>

export const ReplayedEvents = z.object({ replayed: z.number().int() })
export type ReplayedEvents = z.infer<typeof ReplayedEvents>

const personal =
  /email|phone|address|^name$|_name$|^line[12]$|city|postal|^ip|ip_|description|statement|_url$|^url$|_pdf$|secret|fingerprint|^value$|vat|iban|custom_fields|footer|memo|comment|nickname|user_agent|last4/i
const word = /\S+/g

/**
 * What may be shown of an event: its shape, ids, words and amounts. Values under names that hold
 * personal data become `***`.
 */
export function maskedPayload(payload: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(payload).map(([key, value]) => [key, maskedValue(key, value, 0)]),
  )
}

function maskedValue(key: string, value: unknown, depth: number): unknown {
  if (value === null || value === undefined || typeof value === 'boolean') return value ?? null
  if (depth > 12) return '…'
  if (personal.test(key)) return '***'
  if (Array.isArray(value)) return value.map((item) => maskedValue('', item, depth + 1))
  if (typeof value === 'object') {
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, maskedValue(name, item, depth + 1)]),
    )
  }
  return typeof value === 'string'
    ? value.replace(word, (text) => (text.includes('@') ? '***' : text))
    : value
}
