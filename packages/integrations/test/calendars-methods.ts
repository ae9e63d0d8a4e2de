import type { Calendars } from '../src/calendars/port.ts'
import type { CallOptions } from '../src/call-options.ts'
import { booking, type Host, monday } from './calendars-sandbox.ts'

export interface CalendarMethod {
  /** As errors and reports call it. */
  name: string
  /** Everything that it asks the server, as the names of its calls. */
  asks: readonly string[]
  run: (
    calendars: Calendars,
    host: Host,
    eventId: string,
    options?: CallOptions,
  ) => Promise<unknown>
}

const week = 7 * 86_400_000

/** Every method of the port, called as the platform calls it. */
export const calendarMethods: readonly CalendarMethod[] = [
  {
    name: 'openCalendar',
    asks: ['/jmap/session', 'Calendar/get'],
    run: (calendars, host, _, options) => calendars.open(host.credential, options),
  },
  {
    name: 'setCalendarTimeZone',
    asks: ['Calendar/set'],
    run: (calendars, host, _, options) =>
      calendars.setTimeZone({ ...host, timeZone: 'America/Chicago' }, options),
  },
  {
    name: 'busyPeriods',
    asks: ['Principal/getAvailability'],
    run: (calendars, host, _, options) =>
      calendars.busyPeriods({ ...host, from: monday, to: monday + week }, options),
  },
  {
    name: 'putEvent',
    asks: ['CalendarEvent/set'],
    run: (calendars, host, eventId, options) =>
      calendars.putEvent({ ...host, event: booking(host, { title: 'Moved' }), eventId }, options),
  },
  {
    name: 'removeEvent',
    asks: ['CalendarEvent/get', 'CalendarEvent/set'],
    run: (calendars, host, eventId, options) =>
      calendars.removeEvent(
        { ...host, uid: booking(host).uid, start: booking(host).start, eventId },
        options,
      ),
  },
  {
    name: 'readEvent',
    asks: ['CalendarEvent/get'],
    run: (calendars, host, eventId, options) => calendars.readEvent({ ...host, eventId }, options),
  },
]
