import type { MailOptions } from '../src/mail/system.ts'
import { basic, type MailServer, openMail, serviceKey } from './mail-server.ts'

/** What the tests read of a calendar, an event or a period: only what was asked for is there. */
export interface ShownEvent {
  readonly id: string
  readonly baseEventId: string
  readonly uid: string
  readonly start: string
  readonly timeZone: string
  readonly utcStart: string
  readonly utcEnd: string
  readonly busyStatus: string
  readonly event: { readonly id: string; readonly baseEventId: string } | null
  readonly recurrenceId: string
  readonly participants: Readonly<Record<string, { readonly calendarAddress: string }>>
  readonly organizerCalendarAddress: string
  readonly isDefault: boolean
  readonly isOrigin: boolean
  readonly name: string
}

interface Rejection {
  readonly type: string
  readonly description: string
  readonly properties: readonly string[]
}

export interface CalendarResult {
  readonly accountId: string
  readonly type: string
  readonly description: string
  readonly list: readonly ShownEvent[]
  readonly notFound: readonly string[]
  readonly ids: readonly string[]
  readonly oldState: string
  readonly newState: string
  readonly state: string
  readonly created: { readonly e: { readonly id: string } }
  readonly updated: unknown
  readonly destroyed: unknown
  readonly notCreated: { readonly e: Rejection }
  readonly notUpdated: Readonly<Record<string, Rejection>>
  readonly notDestroyed: Readonly<Record<string, Rejection>>
}

export interface CalendarServer extends AsyncDisposable {
  readonly server: MailServer
  readonly anna: string
  readonly ben: string
  /** One call, as Anna unless told otherwise: her account is filled in. */
  call(name: string, args?: object, as?: string): Promise<CalendarResult>
  /** Adds an event to Anna's calendar and answers its id. */
  add(event: object): Promise<string>
  /** When Anna is busy, `from to` in UTC, in order. */
  busy(from: string, to: string): Promise<string[]>
}

export const service = serviceKey
export const annaSignsIn = basic('anna@acme.test', 'Qm7-vTz4-Lk9s-Xp')
export const benSignsIn = basic('ben@acme.test', 'Qm7-vTz4-Lk9s-Xp')

/** A mail server with two mailboxes. Anna's calendar is in the zone of Berlin. */
export async function openCalendars(options: MailOptions = {}): Promise<CalendarServer> {
  const server = await openMail({ searchLagMs: 0, ...options })
  const { created } = await server.call('x:Domain/set', { create: { d: { name: 'acme.test' } } })
  const account = async (name: string) => {
    const object = {
      '@type': 'User',
      name,
      domainId: created.d.id,
      credentials: { '0': { '@type': 'Password', secret: 'Qm7-vTz4-Lk9s-Xp' } },
    }
    return (await server.call('x:Account/set', { create: { a: object } })).created.a.id
  }
  const [anna, ben] = [await account('anna'), await account('ben')]
  const call: CalendarServer['call'] = async (name, args = {}, as = annaSignsIn) => {
    const using = ['core', 'calendars', 'principals', 'principals:availability'].map(
      (one) => `urn:ietf:params:jmap:${one}`,
    )
    const response = await server.fetch('/jmap', {
      method: 'POST',
      headers: { authorization: as, 'content-type': 'application/json' },
      body: JSON.stringify({ using, methodCalls: [[name, { accountId: anna, ...args }, '0']] }),
    })
    const { methodResponses } = (await response.json()) as {
      methodResponses: [string, CalendarResult, string][]
    }
    const result = methodResponses[0]?.[1]
    if (!result) throw new Error(`${name} was not answered`)
    return result
  }
  await call('Calendar/set', { update: { b: { timeZone: 'Europe/Berlin' } } })
  return {
    server,
    anna,
    ben,
    call,
    async add(event) {
      const made = await call('CalendarEvent/set', {
        create: { e: { '@type': 'Event', calendarIds: { b: true }, ...event } },
      })
      if (!made.created) throw new Error(JSON.stringify(made.notCreated))
      return made.created.e.id
    },
    async busy(from, to) {
      const { list } = await call('Principal/getAvailability', {
        id: anna,
        utcStart: from,
        utcEnd: to,
        eventProperties: ['id'],
      })
      return list.map(({ utcStart, utcEnd }) => `${utcStart} ${utcEnd}`).sort()
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
