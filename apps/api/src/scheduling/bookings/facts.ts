import { trimEnd } from '@atrium/core/platform/trim'
import type { BookingRow } from '@atrium/db/scheduling/bookings'
import type { HostRow } from '@atrium/db/scheduling/hosts'
import type { Config } from '../../platform/config.ts'

/**
 * How and where people meet, in words; empty when nothing is set. Guests get neither the visitor's
 * number nor name.
 */
export function meetingPlace(
  booking: Pick<
    BookingRow,
    'locationKind' | 'location' | 'hostName' | 'visitorName' | 'visitorEmail'
  >,
  reader?: 'guest' | undefined,
): string {
  const { locationKind, location, hostName, visitorName, visitorEmail } = booking
  if (locationKind !== 'visitor_phone') return location ?? ''
  if (reader === 'guest') return `${hostName} calls ${visitorEmail}`
  return `${hostName} calls ${location ?? visitorName}`
}

/**
 * The visitor's answers, each with its question's text. Answers to questions that were removed
 * since keep their key.
 */
export function writtenAnswers({
  fields,
  answers,
}: Pick<BookingRow, 'fields' | 'answers'>): string[] {
  const requested = new Map(fields.map(({ key, label }) => [key, label]))
  return Object.entries(answers)
    .filter(([, value]) => value !== '')
    .map(([key, value]) => `${requested.get(key) ?? key}: ${value}`)
}

/**
 * Where another time of the same event type can be booked; empty where there are no booking pages
 * or it is no longer on offer.
 */
export function bookingPageLink(
  { booking: { url } }: Pick<Config, 'booking'>,
  booking: BookingRow,
): string {
  if (url === null || !isOffered(booking)) return ''
  return `${trimEnd(url, /\//)}/${booking.tenantSlug}/${booking.eventTypeHostSlug}/${booking.eventTypeSlug}`
}

/**
 * The UID of a group's event in the hosts' calendars. That of the booking for the group that its
 * own UID names; for shared times, and for the event of a host who had the booking before, another
 * one.
 */
export function eventUid({ uid }: Pick<BookingRow, 'uid'>, group: string): string {
  return `${group}@${uid.slice(uid.lastIndexOf('@') + 1)}`
}

/** The group that a UID names: the part before the domain. */
export function groupOfUid(uid: string): string {
  return uid.slice(0, uid.lastIndexOf('@'))
}

/**
 * Whether a move may give the booking to another host: a round robin allows it, and one host has
 * the booking.
 */
export function hostMayChange({
  assignment,
  rescheduleHost,
  hosts,
}: Pick<BookingRow, 'assignment' | 'rescheduleHost' | 'hosts'>): boolean {
  return assignment === 'round_robin' && rescheduleHost === 'any' && hosts.length === 1
}

/**
 * Whether visitors find times for it: without its host where another one may get it, but never
 * without the one whose page it is on.
 */
export function isOffered(booking: BookingRow): boolean {
  return (
    booking.eventTypeActive &&
    booking.eventTypeHostActive &&
    (booking.hostActive || hostMayChange(booking))
  )
}

/** Guests without the visitor, each once. */
export function otherGuests({
  guests,
  visitorEmail,
}: Pick<BookingRow, 'guests' | 'visitorEmail'>): string[] {
  const seen = new Set([visitorEmail.toLowerCase()])
  return guests.filter((guest) => !seen.has(guest.toLowerCase()) && seen.add(guest.toLowerCase()))
}

/** Guests who may get mail: none until the visitor has confirmed their address. */
export function invitedGuests(
  booking: Pick<BookingRow, 'guests' | 'visitorEmail' | 'visitorConfirmedAt'>,
): string[] {
  return booking.visitorConfirmedAt === null ? [] : otherGuests(booking)
}

/** A booking with all who give their time to it, the organizer first. */
export interface BookingWithHosts {
  booking: BookingRow
  hosts: HostRow[]
}
