import type {
  CalendarAttachment,
  MailValue,
  MailValues,
  OutgoingMail,
} from '@atrium/core/outbox/outbox'
import type { HostTemplateKey, VisitorTemplateKey } from '@atrium/core/scheduling/booking-emails'
import { formatTimes } from '@atrium/core/scheduling/format-times'
import type { BookingChangeKind, BookingParty } from '@atrium/core/scheduling/scheduling'
import { hasProvenDomain } from '@atrium/db/mail/domains'
import { isMailQueued } from '@atrium/db/outbox/outbox'
import type { Trx } from '@atrium/db/platform/connect'
import type { BookingRow } from '@atrium/db/scheduling/bookings'
import { findHostById, type HostRow } from '@atrium/db/scheduling/hosts'
import { defaultLanguage, formatLocale, languageOfLocale } from '@atrium/messages/languages'
import type { Config } from '../../platform/config.ts'
import { portalLink } from '../../platform/links.ts'
import { ofRecipient, type Take } from '../../rpc/limits.ts'
import type { InTransaction } from '../../rpc/services.ts'
import {
  type BookingWithHosts,
  bookingPageLink,
  invitedGuests,
  meetingPlace,
  otherGuests,
  writtenAnswers,
} from './facts.ts'

/** A change as its mails tell it. */
export interface AnnouncedChange {
  kind: BookingChangeKind
  previousStart?: Date | undefined
  /** The booking as it was with another host, where the change gave it to this one. */
  before?: BookingRow | undefined
  reason?: string | undefined
  /** The member who did it, who needs no mail about it. */
  actorId: string | null
  /** What a visitor writes goes to hosts alone. */
  by: BookingParty | undefined
}

/** Queues the mails of a change, once per version of the booking and recipient. */
export async function sendChangeMails(
  trx: Trx,
  services: InTransaction,
  facts: BookingWithHosts,
  change: AnnouncedChange,
): Promise<void> {
  const { booking, hosts } = facts
  const key = `booking:${booking.id}:${change.kind}:${booking.version}`
  const toVisitor = visitorTemplate(change.kind, booking)
  const replaced = change.before?.invited === true && booking.status === 'confirmed'
  if (change.actorId === null && causingMail.has(change.kind)) {
    const announced = [
      booking.visitorEmail,
      ...(notifiesGuests(toVisitor, booking) ? invitedGuests(booking) : []),
    ]
    await takeVisitorMails(
      trx,
      services,
      facts,
      replaced ? [...announced, ...announced] : announced,
    )
  }
  if (toVisitor) await sendToVisitor(trx, services, booking, toVisitor, change, key)
  if (replaced)
    await sendToVisitor(trx, services, booking, 'booking.replaced', change, `${key}:replaced`)
  if (change.before)
    return sendHandOverMails(trx, services, facts, { ...change, before: change.before }, key)
  const toHosts = hostTemplate(change.kind, booking)
  if (!toHosts) return
  for (const host of hosts) {
    if (host.userId !== change.actorId)
      await sendToHost(trx, services, facts, host, toHosts, change, `${key}:host:${host.id}`)
  }
}

/**
 * Notifies the new host of a booking, including one who moved it without choosing the host, and the
 * previous one, unless that host moved it or is gone.
 */
async function sendHandOverMails(
  trx: Trx,
  services: InTransaction,
  facts: BookingWithHosts,
  change: AnnouncedChange & { before: BookingRow },
  key: string,
): Promise<void> {
  const template =
    facts.booking.status === 'pending' ? 'booking.host_requested' : 'booking.host_booked'
  for (const host of facts.hosts)
    await sendToHost(trx, services, facts, host, template, change, `${key}:host:${host.id}`)
  const former = await findHostById(trx, change.before.hostId)
  if (former?.userStatus !== 'active' || former.userId === change.actorId) return
  await sendToHost(
    trx,
    services,
    facts,
    former,
    'booking.host_reassigned',
    change,
    `${key}:host:${former.id}`,
  )
}

/**
 * What visitors do that causes mail, and that they can do again and again. A cancellation is not
 * among them: each ends a booking that was counted.
 */
const causingMail: ReadonlySet<BookingChangeKind> = new Set([
  'requested',
  'confirmed',
  'rescheduled',
])

const notifiesGuests = (template: VisitorTemplateKey | undefined, booking: BookingRow) =>
  template !== undefined && calendarOf(template, booking) !== undefined

/**
 * Counts mails that a visitor causes per recipient, per host and for the tenant. Throws AppError
 * `rate_limited`.
 */
async function takeVisitorMails(
  trx: Trx,
  { limits, config }: InTransaction,
  { booking, hosts }: BookingWithHosts,
  recipients: readonly string[],
): Promise<void> {
  const amount = recipients.length + hosts.length
  const known = await hasProvenDomain(trx, booking.tenantId, config.tenantDomain)
  await limits.takeIn(trx, undefined, [
    ...recipients.map(
      (address): Take => ({ limit: 'visitor_mails_recipient_day', of: ofRecipient(address) }),
    ),
    ...hosts.map(
      ({ id }): Take => ({ limit: 'visitor_mails_host_day', of: id, tenantId: booking.tenantId }),
    ),
    ...(known
      ? []
      : [{ limit: 'visitor_mails_unproven_day' as const, of: booking.tenantId, amount }]),
    { limit: 'visitor_mails_day', of: booking.tenantId, amount },
  ])
}

/**
 * Only the visitor has heard of a request, and it has no calendar entry that could move: moving it
 * makes a new request.
 */
function visitorTemplate(
  kind: BookingChangeKind,
  { status }: BookingRow,
): VisitorTemplateKey | undefined {
  switch (kind) {
    case 'requested':
      return 'booking.requested'
    case 'confirmed':
      return 'booking.confirmed'
    case 'rescheduled':
      return status === 'pending' ? 'booking.requested' : 'booking.moved'
    case 'link_renewed':
      return status === 'pending' ? 'booking.requested' : 'booking.confirmed'
    case 'cancelled':
      return 'booking.cancelled'
    case 'declined':
      return 'booking.declined'
    case 'expired':
      return 'booking.expired'
    case 'no_show':
      return undefined
  }
}

function hostTemplate(
  kind: BookingChangeKind,
  { status }: BookingRow,
): HostTemplateKey | undefined {
  switch (kind) {
    case 'requested':
      return 'booking.host_requested'
    case 'confirmed':
      return 'booking.host_booked'
    case 'rescheduled':
      return status === 'pending' ? 'booking.host_requested' : 'booking.host_moved'
    case 'cancelled':
      return 'booking.host_cancelled'
    case 'declined':
    case 'expired':
    case 'link_renewed':
    case 'no_show':
      return undefined
  }
}

async function sendToVisitor(
  trx: Trx,
  services: InTransaction,
  booking: BookingRow,
  template: VisitorTemplateKey,
  change: AnnouncedChange,
  key: string,
): Promise<void> {
  const calendar = calendarOf(template, booking, change.before)
  const announced = change.by === 'visitor' ? { ...change, reason: undefined } : change
  const values = {
    ...visitorValues(services.config, booking),
    ...changeValues(announced, booking.visitorZone, booking.visitorLocale),
    ...(change.before ? { 'previous.hostName': change.before.hostName } : {}),
  }
  const mail = { ...visitorMail(booking), template, calendar }
  const name = booking.visitorName
  await services.outbox.send(trx, {
    ...mail,
    to: booking.visitorEmail,
    name,
    values: { ...values, 'recipient.name': name },
    key: `${key}:visitor`,
  })
  // Guests know of a booking from the moment on that it is confirmed; a new link is none of theirs.
  if (!calendar || change.kind === 'link_renewed') return
  await sendToGuests(trx, services, booking, { ...mail, values, key })
}

/**
 * Sends the visitor's mail to the guests, without the link and without anything that the visitor
 * wrote.
 */
async function sendToGuests(
  trx: Trx,
  services: InTransaction,
  booking: BookingRow,
  { values, key, ...mail }: Omit<OutgoingMail, 'to' | 'values'> & { values: MailValues },
): Promise<void> {
  for (const [index, to] of invitedGuests(booking).entries()) {
    await services.outbox.send(trx, {
      ...mail,
      to,
      values: { ...values, ...asGuest(booking) },
      key: `${key}:guest:${index}`,
    })
  }
}

/**
 * Sends the manage link to the visitor once more, at most once an hour. Throws AppError
 * `rate_limited`.
 */
export async function sendLinkMail(
  trx: Trx,
  services: InTransaction,
  booking: BookingRow,
  now: Date,
): Promise<void> {
  const template = visitorTemplate('link_renewed', booking)
  if (!template) return
  const change = { kind: 'link_renewed' as const, actorId: null, by: undefined }
  const hour = Math.floor(now.getTime() / 3_600_000)
  const key = `booking:${booking.id}:link_sent:${booking.version}:${hour}`
  if (await isMailQueued(trx, `${key}:visitor`)) return
  await sendToVisitor(trx, services, booking, template, change, key)
  // One mail per booking and hour would add up, and the sender may have booked in a stranger's
  // name.
  await takeVisitorMails(trx, services, { booking, hosts: [] }, [booking.visitorEmail])
}

/** Invites the guests of a confirmed booking whose visitor has just confirmed their address. */
export async function inviteGuestsByMail(
  trx: Trx,
  services: InTransaction,
  booking: BookingRow,
): Promise<void> {
  const template = 'booking.confirmed' as const
  await takeVisitorMails(trx, services, { booking, hosts: [] }, invitedGuests(booking))
  await sendToGuests(trx, services, booking, {
    ...visitorMail(booking),
    template,
    calendar: calendarOf(template, booking),
    values: visitorValues(services.config, booking),
    key: `booking:${booking.id}:guests_invited:${booking.version}`,
  })
}

/** In the language of the visitor, for guests too. */
const visitorMail = (booking: BookingRow) => ({
  tenantId: booking.tenantId,
  bookingId: booking.id,
  language: languageOfLocale(booking.visitorLocale) ?? defaultLanguage,
})

const asGuest = (booking: BookingRow) => ({
  'recipient.name': '',
  'link.manage': '',
  'booking.visitorName': booking.visitorEmail,
  'booking.guestsToConfirm': [],
  'booking.location': meetingPlace(booking, 'guest'),
})

/**
 * What a mail does in the calendars of its readers. That of `booking.replaced` cancels the event of
 * the former host, with its UID.
 */
function calendarOf(
  template: VisitorTemplateKey,
  booking: BookingRow,
  before?: BookingRow,
): CalendarAttachment | undefined {
  if (template === 'booking.replaced')
    return before && { method: 'CANCEL', ...eventOf(before), sequence: booking.sequence }
  const times = eventOf(booking)
  if (template === 'booking.confirmed' || template === 'booking.moved')
    return { method: 'REQUEST', ...times }
  // A recipient who never got a REQUEST has nothing to cancel.
  return template === 'booking.cancelled' && booking.invited
    ? { method: 'CANCEL', ...times }
    : undefined
}

function eventOf(booking: BookingRow): Omit<CalendarAttachment, 'method'> {
  return {
    sequence: booking.sequence,
    start: booking.startAt.toISOString(),
    end: booking.endAt.toISOString(),
    uid: booking.uid,
    organizer: { name: booking.hostName, address: booking.organizerAddress },
  }
}

function meetingValues(
  booking: BookingRow,
  zone: string,
  locale: string,
): Record<string, MailValue> {
  const times = formatTimes({
    start: booking.startAt.getTime(),
    end: booking.endAt.getTime(),
    zone,
    locale,
  })
  return {
    'booking.title': booking.title,
    'booking.date': times.date,
    'booking.startTime': times.startTime,
    'booking.endTime': times.endTime,
    'booking.timeZone': times.timeZone,
    'booking.location': meetingPlace(booking),
    'booking.hostName': booking.hostName,
    'booking.visitorName': booking.visitorName,
    'booking.guests': otherGuests(booking),
  }
}

function visitorValues(config: Config, booking: BookingRow): Record<string, MailValue> {
  return {
    ...meetingValues(booking, booking.visitorZone, booking.visitorLocale),
    'booking.guestsToConfirm': booking.visitorConfirmedAt === null ? otherGuests(booking) : [],
    'link.book': bookingPageLink(config, booking),
  }
}

function changeValues(
  { previousStart, reason = '' }: Pick<AnnouncedChange, 'previousStart' | 'reason'>,
  zone: string,
  locale: string,
): Record<string, MailValue> {
  if (!previousStart) return { reason }
  const start = previousStart.getTime()
  const before = formatTimes({ start, end: start, zone, locale })
  return { reason, 'previous.date': before.date, 'previous.startTime': before.startTime }
}

async function sendToHost(
  trx: Trx,
  services: InTransaction,
  { booking, hosts }: BookingWithHosts,
  host: HostRow,
  template: HostTemplateKey,
  change: Pick<AnnouncedChange, 'previousStart' | 'reason'>,
  key: string,
): Promise<void> {
  // A former host can no longer open the booking.
  const link = hosts.includes(host)
    ? portalLink(
        services.config,
        `/t/${booking.tenantSlug}/scheduling/bookings?booking=${booking.id}`,
      )
    : ''
  await services.outbox.send(trx, {
    tenantId: booking.tenantId,
    template,
    to: host.mailAddress,
    userId: host.userId,
    name: host.name,
    bookingId: booking.id,
    values: (language) => {
      const locale = formatLocale(language)
      return {
        ...meetingValues(booking, host.zone, locale),
        ...changeValues(change, host.zone, locale),
        'recipient.name': host.name,
        'booking.visitorEmail': booking.visitorEmail,
        'booking.answers': writtenAnswers(booking),
        'booking.note': booking.note ?? '',
        'link.bookings': link,
      }
    },
    key,
  })
}

/**
 * Notifies a host of an entry of their own calendar in the time of the booking, once per version of
 * the booking.
 */
export async function sendConflictMail(
  trx: Trx,
  services: InTransaction,
  facts: BookingWithHosts,
  hostId: string,
): Promise<void> {
  const { booking, hosts } = facts
  const host = hosts.find(({ id }) => id === hostId)
  if (!host) return
  await sendToHost(
    trx,
    services,
    facts,
    host,
    'booking.host_conflict',
    {},
    `booking:${booking.id}:conflict:${booking.version}:host:${hostId}`,
  )
}

/** Reminds visitor and guests, once per reminder and time of the meeting. */
export async function sendReminderMails(
  trx: Trx,
  services: InTransaction,
  booking: BookingRow,
  minutesBefore: number,
): Promise<void> {
  const start = booking.startAt.getTime()
  const key = `booking:${booking.id}:reminder:${minutesBefore}:${start}`
  // `start` is for the sender: a reminder that was held up while the meeting moved is not sent.
  const values = { ...visitorValues(services.config, booking), start }
  const mail = { ...visitorMail(booking), template: 'booking.reminder' as const }
  const name = booking.visitorName
  await services.outbox.send(trx, {
    ...mail,
    to: booking.visitorEmail,
    name,
    values: { ...values, 'recipient.name': name },
    key: `${key}:visitor`,
  })
  await sendToGuests(trx, services, booking, { ...mail, values, key })
}
