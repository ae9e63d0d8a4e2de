import { describeTemplate } from '@atrium/core/branding/email-templates'
import {
  type ListMailQueue,
  type MailQueuePage,
  maskedAddress,
  type QueuedMail,
} from '@atrium/core/outbox/outbox'
import { cutPage } from '@atrium/core/platform/paging'
import { countMails, listMails, type MailRow } from '@atrium/db/outbox/outbox'
import type { Context } from '../rpc/context.ts'
import { readerLanguage, readFailure } from '../rpc/reader-language.ts'

/**
 * The queue of outgoing mail under the filters, newest first. Recipients are masked, and what a
 * mail says is not shown.
 */
export async function listMailQueue(
  { services }: Context,
  { cursor, ...filter }: ListMailQueue,
): Promise<MailQueuePage> {
  const { db } = services.database
  const [rows, { waiting, failed, gaveUp }] = await Promise.all([
    listMails(db, { ...filter, before: cursor }),
    countMails(db),
  ])
  const { items, nextCursor } = cutPage(rows, filter.limit)
  const sending = services.systems.mailer ? 'on' : 'off'
  return {
    items: items.map(toQueuedMail),
    nextCursor,
    summary: { sending, waiting, failed, gaveUp },
  }
}

export function toQueuedMail(row: MailRow): QueuedMail {
  return {
    ...row,
    error: readFailure(row.error),
    title: describeTemplate(row.template, readerLanguage()).title,
    recipient: row.recipient === null ? null : maskedAddress(row.recipient),
    nextAt: row.nextAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    sentAt: row.sentAt?.toISOString() ?? null,
  }
}
