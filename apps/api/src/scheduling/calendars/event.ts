import { type BookingRow, findBooking } from '@atrium/db/scheduling/bookings'
import { findHostsById, type HostRow } from '@atrium/db/scheduling/hosts'
import { languageOfRecipient } from '@atrium/db/users/languages'
import type { CalendarEvent, CalendarParticipant } from '@atrium/integrations/calendars/port'
import { defaultLanguage, type PageLanguage } from '@atrium/messages/languages'
import { mailTexts } from '@atrium/messages/mail'
import { portalLink } from '../../platform/links.ts'
import type { Services } from '../../rpc/services.ts'
import {
  eventUid,
  invitedGuests,
  meetingPlace,
  otherGuests,
  writtenAnswers,
} from '../bookings/facts.ts'

/** Below what the mail server takes (20), the organizer and a host's own entry aside. */
const mostParticipants = 18
/** Bookings whose details are in the description; the others are only counted. */
const mostDescribed = 20

/**
 * The event in a host's calendar for the bookings that share it. It never holds what opens a
 * booking to its visitor.
 */
export async function calendarEvent(
  services: Services,
  host: HostRow,
  { group, bookingIds }: { group: string; bookingIds: readonly string[] },
): Promise<CalendarEvent> {
  const { db } = services.database
  const described = await Promise.all(
    bookingIds.slice(0, mostDescribed).map((id) => findBooking(db, id)),
  )
  const bookings = described.filter((booking) => booking !== undefined)
  const [first] = bookings
  if (!first) throw new Error('an event tells of no booking')
  const otherIds = first.hosts.map(({ hostId }) => hostId).filter((id) => id !== first.hostId)
  const otherHosts = await findHostsById(db, otherIds)
  const people = [
    ...otherHosts.map(({ mailAddress, name }) => ({ address: mailAddress, name })),
    ...bookings.flatMap((booking) => [
      { address: booking.visitorEmail, name: booking.visitorName },
      // A calendar program may mail everyone in the event when the host changes it there.
      ...invitedGuests(booking).map((address) => ({ address, name: '' })),
    ]),
  ]
  const participants = distinct(people).slice(0, mostParticipants)
  const place = meetingPlace(first)
  const further = bookingIds.length - bookings.length
  return {
    uid: eventUid(first, group),
    title:
      first.seats > 1
        ? `${first.title} (${bookingIds.length} of ${first.seats})`
        : `${first.title}: ${first.visitorName}`,
    description: describe(services, bookings, {
      further,
      language: hasWords(bookings, further) ? await languageOf(services, host) : defaultLanguage,
    }),
    location: place === '' ? null : place,
    start: first.startAt.getTime(),
    end: first.endAt.getTime(),
    timeZone: host.zone,
    organizer: { address: first.organizerAddress, name: first.hostName },
    participants,
  }
}

/** Whether the description has more than names, addresses and what visitors wrote. */
function hasWords(bookings: readonly BookingRow[], further: number): boolean {
  return further > 0 || bookings.some((booking) => otherGuests(booking).length > 0)
}

async function languageOf(
  { database }: Services,
  { mailAddress: address, tenantId, userId }: HostRow,
): Promise<PageLanguage> {
  const language = await languageOfRecipient(database.db, { address, tenantId, userId })
  return language ?? defaultLanguage
}

function distinct(people: readonly CalendarParticipant[]): CalendarParticipant[] {
  const byAddress = new Map(people.map((person) => [person.address.toLowerCase(), person]))
  return [...byAddress.values()]
}

function describe(
  { config }: Services,
  bookings: readonly BookingRow[],
  { further, language }: { further: number; language: PageLanguage },
): string {
  const [first] = bookings
  const one = bookings.length === 1 ? `?booking=${first?.id}` : ''
  const link = first ? portalLink(config, `/t/${first.tenantSlug}/scheduling/bookings${one}`) : ''
  return [
    ...bookings.map((booking) => describeOne(booking, language)),
    ...(further > 0 ? [mailTexts(language)('calendar.furtherBookings', { count: further })] : []),
    ...(link === '' ? [] : [link]),
  ].join('\n\n')
}

function describeOne(booking: BookingRow, language: PageLanguage): string {
  const guests = otherGuests(booking)
  const invited = booking.visitorConfirmedAt !== null
  return [
    `${booking.visitorName} <${booking.visitorEmail}>`,
    ...(guests.length > 0
      ? [
          mailTexts(language)(invited ? 'calendar.guests' : 'calendar.guestsNotInvited', {
            guests: guests.join(', '),
          }),
        ]
      : []),
    ...writtenAnswers(booking),
    ...(booking.note === null ? [] : [booking.note]),
  ].join('\n')
}
