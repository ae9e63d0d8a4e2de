import { mailState } from '@atrium/core/mail-states'
import type { ListMailQueue } from '@atrium/core/outbox'
import { cursor } from '@atrium/core/paging'
import { currentCursor } from '@atrium/ui/paging'
import { lenient, words } from '@atrium/ui/search-params'
import { z } from 'zod'
import { trailOf } from '../parts/trail.ts'

/** What the address of the mail queue carries. */
export const MailQueueSearch = z.object({ q: words, state: lenient(mailState), trail: trailOf(cursor) })
export type MailQueueSearch = z.infer<typeof MailQueueSearch>

const mailsPerPage = 25

/** The query of the page that an address names. */
export function mailQueueQuery({ trail, ...filters }: MailQueueSearch): ListMailQueue {
  return { ...filters, cursor: currentCursor(trail), limit: mailsPerPage }
}
