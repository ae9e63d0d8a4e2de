import type { PageLanguage } from '@atrium/messages/languages'
import { z } from 'zod'
import { type MailTemplateKey, mailTemplateKeys } from '../branding/template-keys.ts'
import { mailState } from '../mail/mail-states.ts'
import { cursor, pageLimit } from '../platform/paging.ts'
import { instant, line } from '../platform/text.ts'
import { slugFilter } from '../tenants/slugs.ts'

/**
 * The calendar object (RFC 5545) that a mail about a booking carries; made when the mail is sent.
 */
export interface CalendarAttachment {
  /** RFC 5546. */
  readonly method: 'REQUEST' | 'CANCEL'
  readonly sequence: number
  /** ISO 8601 instants, as they were when the mail was queued. */
  readonly start: string
  readonly end: string
  /**
   * As they were when the mail was queued: a later move may give the booking to another host.
   * Absent in mails of earlier versions.
   */
  readonly uid?: string
  readonly organizer?: { readonly name: string; readonly address: string }
}

/** The value of a template variable; a list for one to loop over. */
export type MailValue = string | number | readonly string[]

export type MailValues = Readonly<Record<string, MailValue>>

/** A mail that the platform is to send. */
export interface OutgoingMail {
  /** Whose branding it bears; null for the platform's own. */
  readonly tenantId: string | null
  readonly template: MailTemplateKey
  /** One address, `user@host`. */
  readonly to: string
  /** Name of the recipient, for the header. */
  readonly name?: string | undefined
  /** Who gets it, where that is a person on record: it is in that person's language. */
  readonly userId?: string | undefined
  /** Absent: the recipient's, else the tenant's, else English. */
  readonly language?: PageLanguage | undefined
  /**
   * The variables of the template by their dotted names, without those that every template has.
   * Written out for people, amounts included; a function where that depends on the language.
   */
  readonly values: MailValues | ((language: PageLanguage) => MailValues)
  /**
   * A mail of the same key is never queued twice. Made of ids, not of what says something about
   * people.
   */
  readonly key: string
  /** The booking that it is about: `link.manage` comes from there, when the mail is sent. */
  readonly bookingId?: string | undefined
  readonly calendar?: CalendarAttachment | undefined
}

/**
 * Seconds until the next try after the first, second … failure; after the last of them a mail is
 * given up.
 */
export const mailRetrySeconds = [60, 300, 1_800, 7_200, 43_200] as const

/** Recipient and values of a mail that is over are erased after so many days. */
export const mailKeptDays = 30

const templateKey = z.enum(mailTemplateKeys)

/** A mail of the queue as operators see it. */
export const QueuedMail = z.object({
  id: z.uuid(),
  template: templateKey,
  /** What the message is, in words. */
  title: z.string(),
  tenantSlug: z.string().nullable(),
  /** `a…@acme.test`; null once it was erased. */
  recipient: z.string().nullable(),
  state: mailState,
  attempts: z.number().int(),
  /** When it is retried; null when there is no automatic retry. */
  nextAt: instant.nullable(),
  error: z.string().nullable(),
  messageId: z.string(),
  createdAt: instant,
  sentAt: instant.nullable(),
})
export type QueuedMail = z.infer<typeof QueuedMail>

export const MailQueuePage = z.object({
  items: z.array(QueuedMail),
  nextCursor: z.string().nullable(),
  /**
   * Over the whole queue. `sending` is off while this installation has no outgoing mail server:
   * mails wait then.
   */
  summary: z.object({
    sending: z.enum(['on', 'off']),
    waiting: z.number().int(),
    failed: z.number().int(),
    gaveUp: z.number().int(),
  }),
})
export type MailQueuePage = z.infer<typeof MailQueuePage>

export const ListMailQueue = z.strictObject({
  state: mailState.optional(),
  /** Part of a template's key or of a tenant's slug. */
  q: line(100).optional(),
  tenantSlug: slugFilter.optional(),
  cursor: cursor.optional(),
  limit: pageLimit,
})
export type ListMailQueue = z.infer<typeof ListMailQueue>

export const MailPath = z.strictObject({ id: z.uuid() })
export type MailPath = z.infer<typeof MailPath>

/** The address masked for people other than its recipient: the first character and the host. */
export function maskedAddress(address: string): string {
  const at = address.lastIndexOf('@')
  return at < 1 ? '…' : `${[...address][0]}…${address.slice(at)}`
}

/** Seconds until a mail is retried after so many failures; undefined when it is given up. */
export function mailRetryDelay(failures: number): number | undefined {
  return mailRetrySeconds[failures - 1]
}
