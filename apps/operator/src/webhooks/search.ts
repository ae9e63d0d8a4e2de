import type { ListWebhookEvents } from '@atrium/core/billing/webhooks'
import { webhookStates } from '@atrium/core/platform/choices'
import { currentCursor } from '@atrium/ui/paging'
import {
  cursorHistoryOf,
  oneOf,
  searchReader,
  shaped,
  textUpTo,
  words,
} from '@atrium/ui/search-params'

const eventId = shaped(/^[\w.-]{1,255}$/)

/** The search parameters of the inbox. `event`: the event whose payload is open. */
export const readWebhooksSearch = searchReader({
  q: words,
  state: oneOf(webhookStates),
  type: textUpTo(100),
  event: eventId,
  cursors: cursorHistoryOf(eventId),
})
export type WebhooksSearch = ReturnType<typeof readWebhooksSearch>

const perPage = 25

/** The query of the page in the address. */
export function webhooksQuery({
  cursors,
  event: _,
  ...filters
}: WebhooksSearch): ListWebhookEvents {
  return { ...filters, cursor: currentCursor(cursors), limit: perPage }
}
