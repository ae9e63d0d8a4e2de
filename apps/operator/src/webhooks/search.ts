import { type ListWebhookEvents, webhookState } from '@atrium/core/webhooks'
import { currentCursor } from '@atrium/ui/paging'
import { lenient, words } from '@atrium/ui/search-params'
import { z } from 'zod'
import { trailOf } from '../parts/trail.ts'

const eventId = z.string().regex(/^[\w.-]{1,255}$/)

/** What the address of the inbox carries. `event`: the one whose payload is open. */
export const WebhooksSearch = z.object({
  q: words,
  state: lenient(webhookState),
  type: lenient(z.string().trim().min(1).max(100)),
  event: lenient(eventId),
  trail: trailOf(eventId),
})
export type WebhooksSearch = z.infer<typeof WebhooksSearch>

const perPage = 25

/** The query of the page that an address names. */
export function webhooksQuery({ trail, event: _, ...filters }: WebhooksSearch): ListWebhookEvents {
  return { ...filters, cursor: currentCursor(trail), limit: perPage }
}
