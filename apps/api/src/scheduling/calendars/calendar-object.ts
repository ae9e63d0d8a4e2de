import { domainToASCII } from 'node:url'
import { createEvent, type EventAttributes } from 'ics'

/**
 * RFC 5546 section 1.4. `PUBLISH` is a copy to keep; the other two are sent to people who are
 * invited.
 */
export type CalendarMethod = 'REQUEST' | 'CANCEL' | 'PUBLISH'

export interface CalendarPerson {
  /** `user@host`; a host that is not ASCII becomes A-labels (RFC 5891). */
  readonly address: string
  /** Empty where none is known. */
  readonly name: string
}

export interface CalendarAttendee extends CalendarPerson {
  /** Organizes the meeting and has accepted it; all others are asked to reply. */
  readonly chair?: boolean | undefined
}

/** What one message says about one meeting. */
export interface CalendarObject {
  readonly method: CalendarMethod
  /** The same for all messages about the meeting. */
  readonly uid: string
  readonly sequence: number
  /** When the message is made, whole milliseconds since 1970. */
  readonly stamp: number
  /** Whole milliseconds since 1970; the object holds whole seconds. */
  readonly start: number
  readonly end: number
  readonly summary: string
  /** Empty for none. */
  readonly description: string
  /** Empty for none. */
  readonly location: string
  /** Spelled the same in all messages, because clients tell meetings apart by it too. */
  readonly organizer: CalendarPerson
  /** The address that sends in the name of the organizer, where it is another one. */
  readonly sentBy?: string | undefined
  /** Not written into a `PUBLISH`, which has none (RFC 5546 section 3.2.1). */
  readonly attendees: readonly CalendarAttendee[]
}

/**
 * Placeholder for a text that `ics` must not write itself. Sanitised texts never contain this
 * character.
 */
const placeholder = '\u0000'

/**
 * The meeting as an iCalendar object (RFC 5545) with one VEVENT in UTC, as RFC 5546 demands it for
 * the method. Texts may hold any characters: those that the format cannot hold are replaced or
 * dropped. Throws RangeError for an invalid time, an end that is not after the start, a negative
 * sequence and an address without a valid host.
 */
export function calendarObject(object: CalendarObject): string {
  const { method, uid, sequence, stamp, start, end, organizer, sentBy } = object
  if (!(end > start) || !Number.isFinite(new Date(end).getTime()))
    throw new RangeError('A meeting ends at a valid time after its start.')
  if (sequence < 0) throw new RangeError('The sequence is a whole number from 0.')
  const description = cleaned(object.description)
  // The types of `ics` lack what it writes as DTSTAMP.
  const event: EventAttributes & { timestamp: number } = {
    productId: '-//Atrium//Scheduling//EN',
    method,
    uid,
    sequence,
    timestamp: stamp,
    start,
    end,
    title: cleaned(object.summary) || placeholder,
    description: description && placeholder,
    location: cleaned(object.location),
    status: method === 'CANCEL' ? 'CANCELLED' : 'CONFIRMED',
    classification: 'PUBLIC',
    transp: method === 'CANCEL' ? 'TRANSPARENT' : 'OPAQUE',
    organizer: {
      ...person(organizer),
      ...(sentBy && sentBy !== organizer.address && { sentBy: mailAddress(sentBy) }),
    },
    attendees: (method === 'PUBLISH' ? [] : object.attendees).map((attendee) => ({
      ...person(attendee),
      cutype: 'INDIVIDUAL',
      ...(attendee.chair
        ? { role: 'CHAIR', partstat: 'ACCEPTED' }
        : { role: 'REQ-PARTICIPANT', partstat: 'NEEDS-ACTION', rsvp: true }),
    })),
  }
  const { error, value } = createEvent(event)
  if (value === null) throw new RangeError(`The meeting cannot be written: ${error?.message}`)
  return (
    value
      .replace('X-PUBLISHED-TTL:PT1H\r\n', '')
      .replaceAll('\r\n\t', '')
      // `ics` folds in quadratic time: the longest description would block the process for seconds.
      .replace(`DESCRIPTION:${placeholder}`, () => `DESCRIPTION:${escaped(description)}`)
      .replaceAll(`;CN="${placeholder}"`, '')
      .replaceAll(placeholder, '')
      .split('\r\n')
      .map((line) => folded(withPlainParameters(line)))
      .join('\r\n')
  )
}

function person({ name, address }: CalendarPerson): { name: string; email: string } {
  // One line, with carets and quotes as RFC 6868 writes them in a parameter.
  const line = cleaned(name).replace(/\s+/g, ' ').trim()
  return {
    name: line.replaceAll('^', '^^').replaceAll('"', "^'") || placeholder,
    email: mailAddress(address),
  }
}

/**
 * The local part percent-encoded as in a mailto address (RFC 6068 section 2), the host as A-labels.
 */
function mailAddress(address: string): string {
  const plain = cleaned(address).replace(/\s/g, '')
  const at = plain.lastIndexOf('@')
  const local = plain
    .slice(0, Math.max(at, 0))
    .replace(/[^A-Za-z0-9!$'*+._~-]/gu, encodeURIComponent)
    // What the function leaves as it is.
    .replaceAll('(', '%28')
    .replaceAll(')', '%29')
  return `${local}@${domainToASCII(plain.slice(at + 1))}`
}

/** Line ends of every kind become one, other controls go, lone surrogates are replaced. */
function cleaned(value: string): string {
  return (
    value
      .toWellFormed()
      .replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: it drops the controls
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufeff]/g, '')
  )
}

/** RFC 5545 section 3.3.11. */
function escaped(text: string): string {
  return text.replace(/[\\;,]/g, '\\$&').replaceAll('\n', '\\n')
}

/**
 * `ics` quotes keywords, which RFC 5545 section 3.2 does not allow, and writes the scheme of some
 * addresses in capitals; clients compare the organizer's address as text.
 */
function withPlainParameters(line: string): string {
  if (line.startsWith('ATTENDEE;')) return line.replace(/="([A-Z-]+)"/g, '=$1')
  if (!/^ORGANIZER[;:]/.test(line)) return line
  return line
    .replace('ORGANIZER;SENT-BY="MAILTO:', 'ORGANIZER;SENT-BY="mailto:')
    .replace(/:MAILTO:([^":]+)$/, ':mailto:$1')
}

/** RFC 5545 section 3.1: octets of a line, without its end. */
const longestLine = 75

/** Folds by octets and never within a character; `ics` counts characters. */
function folded(line: string): string {
  let [output, used] = ['', 0]
  for (const character of line) {
    const octets = Buffer.byteLength(character)
    if (used + octets > longestLine) {
      output += '\r\n '
      used = 1
    }
    output += character
    used += octets
  }
  return output
}
