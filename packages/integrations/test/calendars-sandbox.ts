import type { StartOptions } from '@atrium/sandbox/start'
import type {
  CalendarEvent,
  Calendars,
  HostCalendar,
  MailboxCredential,
} from '../src/calendars/port.ts'
import { stalwartCalendars } from '../src/calendars/stalwart.ts'
import type { HttpClientOptions } from '../src/http-client.ts'
import {
  againstStalwart,
  type MailTestServer,
  stalwartUrl,
  startMailTestServer,
} from './mail-server.ts'

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

type Json = Parameters<MailTestServer['sandbox']['mail']['calendars']['add']>[1]

/** The calendar of a host as the owner's mail client changes it, past our client. */
interface OwnCalendar {
  /** Adds an event; answers its id. */
  add(host: Host, event: Json): Promise<string>
  change(host: Host, id: string, patch: Json): Promise<void>
  remove(host: Host, id: string): Promise<void>
  /** Changes the calendar itself. */
  settings(host: Host, patch: Json): Promise<void>
  /** All events, in order of time. */
  events(host: Host): Promise<Json[]>
}

export interface CalendarTestServer extends MailTestServer, OwnCalendar {
  calendars(options?: Partial<HttpClientOptions>): Calendars
  /** A mailbox with an app password and its calendar, in the zone of Berlin. */
  host(localPart: string): Promise<Host>
}

export async function startCalendarTestServer(
  options: StartOptions['mail'] = {},
): Promise<CalendarTestServer> {
  const testServer = await startMailTestServer({ searchLagMs: 60_000, ...options })
  const calendars = (more: Partial<HttpClientOptions> = {}) =>
    stalwartCalendars({
      baseUrl: stalwartUrl ?? testServer.sandbox.mailUrl,
      backoffMs: { initial: 1, max: 5 },
      deadlineMs: 10_000,
      operationDeadlineMs: 20_000,
      ...more,
    })
  const own = againstStalwart ? calendarsAtStalwart(testServer) : calendarsAtStandIn(testServer)
  return Object.assign(testServer, own, {
    calendars,
    async host(localPart: string) {
      const mail = testServer.client()
      const { id: domainId } = await mail.ensureDomain({
        name: 'acme.test',
        description: 'tenant acme',
      })
      const { id: accountId } = await mail.createAccount({
        localPart,
        domainId,
        displayName: localPart,
        password: hostPassword,
      })
      const { secret } = await mail.createAppPassword({ accountId, description: 'Scheduling' })
      const address = `${localPart}@acme.test`
      const credential = { username: address, secret }
      const calendar = await calendars().open(credential)
      await calendars().setTimeZone({ credential, calendar, timeZone: 'Europe/Berlin' })
      return { accountId, address, credential, calendar }
    },
  })
}

function calendarsAtStandIn({ sandbox }: MailTestServer): OwnCalendar {
  const own = sandbox.mail.calendars
  const done = (outcome: ReturnType<typeof own.add>) => {
    if ('rejected' in outcome) throw new Error(outcome.rejected)
    return outcome.id
  }
  return {
    add: async (host, event) => done(own.add(host.address, event)),
    change: async (host, id, patch) => void done(own.change(host.address, id, patch)),
    remove: async (host, id) => void done(own.remove(host.address, id)),
    settings: async (host, patch) => void done(own.settings(host.address, patch)),
    events: async (host) => (own.list()[host.address] ?? []).map(({ event }) => event),
  }
}

/** What the server keeps beside the JSCalendar object itself. */
const ofTheServer = [
  'id',
  'calendarIds',
  'isDraft',
  'isOrigin',
  'utcStart',
  'utcEnd',
  'baseEventId',
  'useDefaultAlerts',
  'mayInviteSelf',
  'mayInviteOthers',
  'hideAttendees',
  'blobId',
  'created',
  'iCalendar',
  'sequence',
]

/** By the rights of the platform's key, which holds `impersonate`. */
function calendarsAtStalwart({ call }: MailTestServer): OwnCalendar {
  const set = async (type: string, { accountId }: Host, change: object) => {
    const result = await call(`${type}/set`, {
      accountId,
      ...(type === 'CalendarEvent' && { sendSchedulingMessages: false }),
      ...change,
    })
    const { notCreated, notUpdated, notDestroyed } = result as unknown as Record<
      string,
      object | null | undefined
    >
    const refused = [notCreated, notUpdated, notDestroyed].filter(
      (one) => one && Object.keys(one).length > 0,
    )
    if (refused.length > 0) throw new Error(JSON.stringify(refused))
    return result
  }
  return {
    add: async (host, event) => {
      const calendarIds = { [host.calendar.calendarId]: true }
      const { created } = await set('CalendarEvent', host, {
        create: { event: { '@type': 'Event', calendarIds, ...event } },
      })
      return created.event?.id ?? ''
    },
    change: async (host, id, patch) =>
      void (await set('CalendarEvent', host, { update: { [id]: patch } })),
    remove: async (host, id) => void (await set('CalendarEvent', host, { destroy: [id] })),
    // Each person has settings of their own for a calendar, so they are changed as the host.
    settings: async (host, patch) => {
      const { username, secret } = host.credential
      const response = await fetch(`${stalwartUrl}/jmap`, {
        method: 'POST',
        headers: {
          authorization: `Basic ${Buffer.from(`${username}:${secret}`).toString('base64')}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({
          using: ['urn:ietf:params:jmap:core', 'urn:ietf:params:jmap:calendars'],
          methodCalls: [
            [
              'Calendar/set',
              { accountId: host.accountId, update: { [host.calendar.calendarId]: patch } },
              '0',
            ],
          ],
        }),
      })
      const answer = await response.text()
      if (!answer.includes('"updated"')) throw new Error(answer)
    },
    events: async ({ accountId }) => {
      const { list } = await call('CalendarEvent/get', { accountId, ids: null })
      const plain = list.map(
        (event) =>
          Object.fromEntries(
            Object.entries(event).filter(([name]) => !ofTheServer.includes(name)),
          ) as Json,
      )
      return plain.sort((one, other) => String(one.start).localeCompare(String(other.start)))
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
