import type { CallOptions } from '../call-options.ts'

/** Signs in to one mailbox: its address and an app password or password. */
export interface MailboxCredential {
  username: string
  secret: string
}

/** The mailbox behind a credential, and the calendar that bookings are written into. */
export interface HostCalendar {
  accountId: string
  calendarId: string
  /** IANA name; null while the calendar has none. All-day and floating events are read in it. */
  timeZone: string | null
}

/**
 * A busy period of the host, as the server reports it. Periods come in any order, may overlap, and
 * may extend beyond the range.
 */
export interface BusyPeriod {
  /** Milliseconds since 1970. */
  start: number
  end: number
  /**
   * The event behind it, by the id that `putEvent` returned, also for an instance of a recurring
   * event; null when the server names none.
   */
  eventId: string | null
}

export interface CalendarParticipant {
  /** Plain address, `user@host`. */
  address: string
  name: string
}

export interface CalendarEvent {
  /** Stable over all changes; the key that makes a second try harmless. */
  uid: string
  title: string
  description: string
  location: string | null
  /** Milliseconds since 1970, whole minutes. */
  start: number
  end: number
  /** IANA name of the host's zone, in which the event is stored. */
  timeZone: string
  organizer: CalendarParticipant
  participants: readonly CalendarParticipant[]
}

/**
 * Hosts' calendars at the mail server. Every method rejects with `UpstreamError` alone, unless the
 * signal ended it.
 */
export interface Calendars {
  /**
   * Signs in and finds the calendar to write to. `unauthorized` for a wrong secret, `refused` when
   * the mailbox has no writable calendar.
   */
  open(credential: MailboxCredential, options?: CallOptions): Promise<HostCalendar>
  /** Sets the zone in which the calendar's floating and all-day events are read. Repeatable. */
  setTimeZone(
    request: { credential: MailboxCredential; calendar: HostCalendar; timeZone: string },
    options?: CallOptions,
  ): Promise<void>
  /**
   * All busy periods of the host in `[from, to)`, each with its event. Events that the host
   * declined are left out; `addresses` are the host's addresses besides the user name of the
   * credential, needed to find the host's reply. A range over 365 days is `refused`. Never returns
   * an empty list for a calendar that it may not read.
   */
  busyPeriods(
    request: {
      credential: MailboxCredential
      calendar: Pick<HostCalendar, 'accountId'>
      from: number
      to: number
      addresses?: readonly string[] | undefined
    },
    options?: CallOptions,
  ): Promise<BusyPeriod[]>
  /**
   * Creates the event, or updates the event with this uid. `eventId` is the result of an earlier
   * write, to find the event directly. Repeatable. Returns the event's id.
   */
  putEvent(
    request: {
      credential: MailboxCredential
      calendar: HostCalendar
      event: CalendarEvent
      eventId: string | null
    },
    options?: CallOptions,
  ): Promise<{ eventId: string }>
  /**
   * Takes the event away. An absent one counts as removed. Without `eventId` it is looked for by
   * uid around `start`.
   */
  removeEvent(
    request: {
      credential: MailboxCredential
      calendar: HostCalendar
      uid: string
      start: number
      eventId: string | null
    },
    options?: CallOptions,
  ): Promise<void>
  /** The current period of an event that we wrote; undefined when it was deleted or cancelled. */
  readEvent(
    request: {
      credential: MailboxCredential
      calendar: Pick<HostCalendar, 'accountId'>
      eventId: string
    },
    options?: CallOptions,
  ): Promise<{ start: number; end: number } | undefined>
}
