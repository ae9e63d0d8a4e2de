import { createHash } from 'node:crypto'
import type { CalendarEvent, CalendarParticipant } from './port.ts'

/**
 * The server keys participants by UUIDs of this namespace over their address; others come back
 * doubled.
 */
const participantNamespace = Buffer.from('7f1e1965ae734454b088232c90730ce2', 'hex')

// What the server announces as `maxParticipantsPerEvent`, the organizer among them.
const mostParticipants = 20

/** A version 5 UUID of RFC 9562 section 5.5. */
function uuid5(name: string): string {
  const bytes = createHash('sha1')
    .update(participantNamespace)
    .update(name)
    .digest()
    .subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** The key under which the server lists a participant. */
export function participantKey(address: string): string {
  return uuid5(`mailto:${address}`)
}

/** The organizer takes part; no other participant has replied. */
function participant(
  { address, name }: CalendarParticipant,
  roles: Record<string, true>,
): [string, object] {
  const entry = {
    '@type': 'Participant',
    calendarAddress: `mailto:${address}`,
    name,
    kind: 'individual',
    roles,
    participationStatus: roles.owner ? 'accepted' : 'needs-action',
  }
  return [participantKey(address), entry]
}

/** Seconds as a duration of RFC 8984 section 1.4.6. */
function duration(seconds: number): string {
  const [hours, minutes, rest] = [
    Math.floor(seconds / 3600),
    Math.floor((seconds % 3600) / 60),
    seconds % 60,
  ]
  const text = `${hours > 0 ? `${hours}H` : ''}${minutes > 0 ? `${minutes}M` : ''}${rest > 0 ? `${rest}S` : ''}`
  return `PT${text || '0S'}`
}

/**
 * Start and length as the server stores them: wall time and zone. It adds the length to the wall
 * time, and takes a wall time that exists twice for none; an event in that hour or over a change of
 * the clocks is therefore written in UTC.
 */
export function eventTime({
  start,
  end,
  timeZone,
}: Pick<CalendarEvent, 'start' | 'end' | 'timeZone'>) {
  const at = (instant: number, zone: string) =>
    Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO(zone)
  const local = at(start, timeZone)
  const wall = local.toPlainDateTime()
  const isOnce = wall
    .toZonedDateTime(timeZone, { disambiguation: 'later' })
    .equals(wall.toZonedDateTime(timeZone, { disambiguation: 'earlier' }))
  const isExact = isOnce && local.offsetNanoseconds === at(end, timeZone).offsetNanoseconds
  return {
    start: (isExact ? wall : at(start, 'UTC').toPlainDateTime()).toString({
      smallestUnit: 'second',
    }),
    timeZone: isExact ? timeZone : 'Etc/UTC',
    duration: duration(Math.round((end - start) / 1000)),
  }
}

/**
 * Changes by a calendar client that an update has to revert: a series, an end in another zone, and
 * the form that the server stores beside it, which keeps an all-day event a date whatever start is
 * written.
 */
export const takenBack = {
  recurrenceRule: null,
  recurrenceOverrides: null,
  endTimeZone: null,
  iCalendar: null,
}

/**
 * The event as a JSCalendar object with everything that we decide about it: to create it with, and
 * to bring it back to.
 */
export function storedEvent(event: CalendarEvent): Record<string, unknown> {
  const organizer = event.organizer.address.toLowerCase()
  const guests = event.participants
    .filter(({ address }) => address.toLowerCase() !== organizer)
    .slice(0, mostParticipants - 1)
  return {
    uid: event.uid,
    title: event.title,
    description: event.description,
    ...eventTime(event),
    showWithoutTime: false,
    status: 'confirmed',
    freeBusyStatus: 'busy',
    locations:
      event.location === null ? {} : { '1': { '@type': 'Location', name: event.location } },
    // Without it the server names the caller.
    organizerCalendarAddress: `mailto:${event.organizer.address}`,
    participants: Object.fromEntries([
      participant(event.organizer, { owner: true, chair: true }),
      ...guests.map((guest) => participant(guest, { required: true })),
    ]),
  }
}
