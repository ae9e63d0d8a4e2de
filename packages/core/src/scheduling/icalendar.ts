/**
 * RFC 5546 section 1.4. `PUBLISH` is a copy to keep; the other two are sent to people who are
 * invited.
 */
export type CalendarMethod = 'REQUEST' | 'CANCEL' | 'PUBLISH'

export interface CalendarPerson {
  /** `user@host`; a host in letters of its own becomes A-labels (RFC 5891). */
  readonly address: string
  /** Empty where none is known. */
  readonly name: string
}

export interface CalendarAttendee extends CalendarPerson {
  /**
   * Holds the meeting and so takes part; everybody else is asked, because nobody has replied yet.
   */
  readonly chair?: boolean | undefined
}

/** One meeting at one time, as one message about it tells it. */
export interface CalendarObject {
  readonly method: CalendarMethod
  /** The same for all messages about the meeting. */
  readonly uid: string
  readonly sequence: number
  /** When the message is made, milliseconds since 1970. */
  readonly stamp: number
  /** Milliseconds since 1970; parts of a second are dropped. */
  readonly start: number
  readonly end: number
  readonly summary: string
  readonly description: string
  /** Empty for none. */
  readonly location: string
  /** Spelled the same in all messages, because clients tell meetings apart by it too. */
  readonly organizer: CalendarPerson
  /** The address that sends in the name of the organizer, where it is another one. */
  readonly sentBy?: string | undefined
  /** Left out of a `PUBLISH`, which has none (RFC 5546 section 3.2.1). */
  readonly attendees: readonly CalendarAttendee[]
}

/**
 * The meeting as an iCalendar object (RFC 5545) with one VEVENT in UTC, as RFC 5546 asks for the
 * method. Any text is taken: what cannot stand in the format is replaced or dropped. RangeError for
 * times that are none, an end that is not after the start, a negative sequence.
 */
export function calendarObject(object: CalendarObject): string {
  const { method, sequence, start, end } = object
  if (!(end > start)) throw new RangeError('A meeting ends after it starts.')
  if (!Number.isSafeInteger(sequence) || sequence < 0)
    throw new RangeError('The sequence is not a whole number from 0.')
  const attendees = method === 'PUBLISH' ? [] : object.attendees
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Atrium//Scheduling//EN',
    'CALSCALE:GREGORIAN',
    `METHOD:${method}`,
    'BEGIN:VEVENT',
    `UID:${text(object.uid)}`,
    `SEQUENCE:${sequence}`,
    `DTSTAMP:${utc(object.stamp)}`,
    `DTSTART:${utc(start)}`,
    `DTEND:${utc(end)}`,
    `SUMMARY:${text(object.summary)}`,
    ...(object.description === '' ? [] : [`DESCRIPTION:${text(object.description)}`]),
    ...(object.location === '' ? [] : [`LOCATION:${text(object.location)}`]),
    `STATUS:${method === 'CANCEL' ? 'CANCELLED' : 'CONFIRMED'}`,
    'CLASS:PUBLIC',
    `TRANSP:${method === 'CANCEL' ? 'TRANSPARENT' : 'OPAQUE'}`,
    organizerLine(object),
    ...attendees.map(attendeeLine),
    'END:VEVENT',
    'END:VCALENDAR',
  ]
  return lines.map((line) => `${folded(line)}\r\n`).join('')
}

function organizerLine({ organizer, sentBy }: CalendarObject): string {
  const by =
    sentBy === undefined || sentBy === organizer.address
      ? ''
      : `;SENT-BY="${calendarAddress(sentBy)}"`
  return `ORGANIZER${commonName(organizer.name)}${by}:${calendarAddress(organizer.address)}`
}

function attendeeLine({ name, address, chair = false }: CalendarAttendee): string {
  const state = chair ? 'ACCEPTED' : 'NEEDS-ACTION'
  const role = chair ? 'CHAIR' : 'REQ-PARTICIPANT'
  const response = chair ? '' : ';RSVP=TRUE'
  return `ATTENDEE${commonName(name)};CUTYPE=INDIVIDUAL;ROLE=${role};PARTSTAT=${state}${response}:${calendarAddress(address)}`
}

/** RFC 5545 section 3.3.5, form 2. */
function utc(instant: number): string {
  return `${new Date(instant).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`
}

/**
 * Line ends of every kind become one, other controls go, halves of surrogate pairs are replaced.
 */
function cleaned(value: string): string {
  return (
    value
      .toWellFormed()
      .replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the controls are what is being dropped
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufeff]/g, '')
  )
}

/** RFC 5545 section 3.3.11. */
function text(value: string): string {
  return cleaned(value)
    .replace(/[\\;,]/g, (character) => `\\${character}`)
    .replace(/\n/g, '\\n')
}

/**
 * A quoted parameter (RFC 5545 section 3.2) on one line, its carets and quotes as RFC 6868 writes
 * them.
 */
function commonName(name: string): string {
  const line = cleaned(name).replace(/\s+/g, ' ').trim()
  return line === '' ? '' : `;CN="${line.replaceAll('^', '^^').replaceAll('"', "^'")}"`
}

/** A mailto address: the local part as RFC 6068 section 2 allows it, the host as A-labels. */
function calendarAddress(address: string): string {
  const plain = cleaned(address).replace(/\s/g, '')
  const at = plain.lastIndexOf('@')
  const local = plain.slice(0, at).replace(/[^A-Za-z0-9!$'*+._~-]/gu, encodeURIComponent)
  return `mailto:${local}@${asciiHost(plain.slice(at + 1))}`
}

function asciiHost(host: string): string {
  if (/^[A-Za-z0-9.-]+$/.test(host)) return host
  // The URL parser is the one place of the language that knows IDNA.
  return URL.canParse(`http://${host}`)
    ? new URL(`http://${host}`).hostname
    : encodeURIComponent(host)
}

const encoder = new TextEncoder()
/** RFC 5545 section 3.1: octets of a line, without its end. */
const longestLine = 75

/** Folds by octets, and never inside of a character. */
function folded(line: string): string {
  if (encoder.encode(line).length <= longestLine) return line
  let [output, used] = ['', 0]
  for (const character of line) {
    const octets = encoder.encode(character).length
    if (used + octets > longestLine) {
      output += '\r\n '
      used = 1
    }
    output += character
    used += octets
  }
  return output
}
