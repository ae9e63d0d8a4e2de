import type { ListMailQueue } from '@atrium/core/outbox/outbox'
import { mailStates } from '@atrium/core/platform/choices'
import { currentCursor } from '@atrium/ui/paging'
import { cursorHistoryOf, oneOf, recordId, searchReader, words } from '@atrium/ui/search-params'

/** The search parameters of the mail queue. */
export const readMailQueueSearch = searchReader({
  q: words,
  state: oneOf(mailStates),
  cursors: cursorHistoryOf(recordId),
})
export type MailQueueSearch = ReturnType<typeof readMailQueueSearch>

const mailsPerPage = 25

/** The query of the page in the address. */
export function mailQueueQuery({ cursors, ...filters }: MailQueueSearch): ListMailQueue {
  return { ...filters, cursor: currentCursor(cursors), limit: mailsPerPage }
}
