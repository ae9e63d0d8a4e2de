import type { Db, Trx } from '@atrium/db/platform/connect'
import type { BookingRow } from '@atrium/db/scheduling/bookings'
import { findHostsById } from '@atrium/db/scheduling/hosts'
import { defaultLanguage, languageOfLocale } from '@atrium/messages/languages'
import { mailTexts } from '@atrium/messages/mail'
import {
  type BookingWithHosts,
  invitedGuests,
  meetingPlace,
  writtenAnswers,
} from '../bookings/facts.ts'
import { type CalendarMethod, type CalendarObject, calendarObject } from './calendar-object.ts'

export interface Invitation {
  method: CalendarMethod
  sequence: number
  /** When the message is made. */
  now: Date
  start: Date
  end: Date
  /**
   * A guest's copy has neither the visitor's answers nor number, nor any link that opens the
   * booking.
   */
  reader: 'visitor' | 'guest'
  /**
   * Where the visitor asks for the manage link. The link itself does not go into calendars, which
   * others may read.
   */
  lookupLink?: string | undefined
  /** With what the visitor wrote: not in mails, whose address may be a stranger's. */
  withAnswers?: boolean | undefined
  /** The address that the mail comes from. */
  sentBy?: string | undefined
  /** Of the host who had the booking when the message was queued; the booking's own when absent. */
  uid?: string | undefined
  organizer?: { name: string; address: string } | undefined
}

export async function withHosts(db: Db | Trx, booking: BookingRow): Promise<BookingWithHosts> {
  const found = await findHostsById(
    db,
    booking.hosts.map(({ hostId }) => hostId),
  )
  return {
    booking,
    hosts: found.sort((a, b) => Number(b.id === booking.hostId) - Number(a.id === booking.hostId)),
  }
}

/**
 * The booking as an iCalendar object for visitor and guests. The organizer is the booking's host,
 * with the address from when the host got the booking, because calendars reject changes by another
 * organizer: another host has another UID. Everyone except the organizer is asked to reply.
 */
export function invitation({ booking, hosts }: BookingWithHosts, message: Invitation): string {
  const guest = message.reader === 'guest'
  const {
    uid = booking.uid,
    organizer = { name: booking.hostName, address: booking.organizerAddress },
  } = message
  const attendees: CalendarObject['attendees'] = [
    ...(uid === booking.uid
      ? hosts.map(({ name, mailAddress, id }) => ({
          name,
          address: mailAddress,
          chair: id === booking.hostId,
        }))
      : [{ ...organizer, chair: true }]),
    { name: guest ? '' : booking.visitorName, address: booking.visitorEmail },
    ...invitedGuests(booking).map((address) => ({ name: '', address })),
  ]
  return calendarObject({
    method: message.method,
    uid,
    sequence: message.sequence,
    stamp: message.now.getTime(),
    start: message.start.getTime(),
    end: message.end.getTime(),
    summary: mailTexts(languageOfLocale(booking.visitorLocale) ?? defaultLanguage)(
      'calendar.meetingWith',
      { meeting: booking.title, person: organizer.name },
    ),
    description: guest ? '' : describe(booking, message),
    location: meetingPlace(booking, guest ? 'guest' : undefined),
    organizer,
    sentBy: message.sentBy,
    attendees,
  })
}

function describe(booking: BookingRow, { lookupLink = '', withAnswers }: Invitation): string {
  const words = mailTexts(languageOfLocale(booking.visitorLocale) ?? defaultLanguage)
  return [
    ...(withAnswers ? writtenAnswers(booking) : []),
    ...(withAnswers && booking.note !== null ? [booking.note] : []),
    ...(lookupLink === '' ? [] : [words('moveOrCancel', { link: lookupLink })]),
  ].join('\n')
}
