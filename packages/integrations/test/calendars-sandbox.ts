import type { StartOptions } from '@atrium/sandbox/start'
import type { CalendarEvent, Calendars, HostCalendar, MailboxCredential } from '../src/calendars/port.ts'
import { stalwartCalendars } from '../src/calendars/stalwart.ts'
import type { HttpClientOptions } from '../src/http-client.ts'
import { type MailSandbox, openMailSandbox } from './mail-sandbox.ts'

export const hostPassword = 'Qm7-vTz4-Lk9s-Xp'
/** A Monday in the summer time of Berlin. */
export const monday = Date.UTC(2027, 5, 7)
export const hour = 3_600_000
export const day = 24 * hour

export interface Host {
  readonly accountId: string
  readonly address: string
  readonly credential: MailboxCredential
  readonly calendar: HostCalendar
}

export interface CalendarHouse extends MailSandbox {
  calendars(options?: Partial<HttpClientOptions>): Calendars
  /** A mailbox with an app password and its calendar, in the zone of Berlin. */
  host(localPart: string): Promise<Host>
  /** What the host's mail client adds to the calendar; answers the event's id. */
  add(host: Host, event: Parameters<MailSandbox['sandbox']['mail']['calendars']['add']>[1]): string
}

export async function openCalendarHouse(options: StartOptions['mail'] = {}): Promise<CalendarHouse> {
  const house = await openMailSandbox({ searchLagMs: 60_000, ...options })
  const calendars = (more: Partial<HttpClientOptions> = {}) =>
    stalwartCalendars({
      baseUrl: house.sandbox.mailUrl,
      backoffMs: { initial: 1, max: 5 },
      deadlineMs: 10_000,
      operationDeadlineMs: 20_000,
      ...more,
    })
  return {
    ...house,
    calendars,
    async host(localPart) {
      const mail = house.client()
      const { id: domainId } = await mail.ensureDomain({ name: 'acme.test', description: 'tenant acme' })
      const { id: accountId } = await mail.createAccount({ localPart, domainId, displayName: localPart, password: hostPassword })
      const { secret } = await mail.createAppPassword({ accountId, description: 'Scheduling' })
      const address = `${localPart}@acme.test`
      const credential = { username: address, secret }
      const calendar = await calendars().open(credential)
      await calendars().setTimeZone({ credential, calendar, timeZone: 'Europe/Berlin' })
      return { accountId, address, credential, calendar }
    },
    add(host, event) {
      const outcome = house.sandbox.mail.calendars.add(host.address, event)
      if ('refused' in outcome) throw new Error(outcome.refused)
      return outcome.id
    },
  }
}

/** A booking of half an hour, Monday at 10 in Berlin unless told otherwise. */
export function booking(host: Host, more: Partial<CalendarEvent> = {}): CalendarEvent {
  return {
    uid: 'bkg-1@atrium.test',
    title: 'Intro call: Paul Ito',
    description: 'Booked on the public page',
    location: 'Room 5',
    start: monday + 8 * hour,
    end: monday + 8.5 * hour,
    timeZone: 'Europe/Berlin',
    organizer: { address: host.address, name: 'Anna Berg' },
    participants: [{ address: 'paul@elsewhere.test', name: 'Paul Ito' }],
    ...more,
  }
}
