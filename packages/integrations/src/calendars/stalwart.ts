import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { CallOptions } from '../call-options.ts'
import type { Operation } from '../call-policy.ts'
import { type HttpClient, type HttpClientOptions, httpClient, shaped } from '../http-client.ts'
import { setFailure } from '../mail/jmap.ts'
import type { Calendars, HostCalendar, MailboxCredential } from './port.ts'
import { busyPeriods, longestRangeMs } from './stalwart-availability.ts'
import { ask, calendarsCapability, change, type MailboxCall } from './stalwart-calls.ts'
import { putEvent, readEvent, removeEvent } from './stalwart-events.ts'

// The server allows four requests in flight per account, across all our processes.
const requestsInFlight = 2
// Visitors wait for the result of these calls.
const patience = { deadlineMs: 3_000, operationDeadlineMs: 5_000, retries: 2 }
const mostClients = 1_000

const Session = z.object({
  primaryAccounts: z.object({ [calendarsCapability]: z.string().min(1) }),
})
const OwnCalendars = z.object({
  list: z.array(
    z.object({
      id: z.string().min(1),
      isDefault: z.boolean().nullish(),
      timeZone: z.string().nullish(),
      myRights: z.object({ mayReadFreeBusy: z.boolean(), mayWriteOwn: z.boolean() }),
    }),
  ),
})

/**
 * Calendars of Stalwart 0.16.18 or newer over JMAP (draft-ietf-jmap-calendars), each call signed in
 * as the mailbox that it is about. A mailbox has a client of its own: its limit of requests in
 * flight, and a circuit that no other mailbox opens.
 */
export function stalwartCalendars(options: HttpClientOptions): Calendars {
  const clientOf = clientsByCredential(options)

  function signedIn<T>(
    call: string,
    credential: MailboxCredential,
    callOptions: CallOptions | undefined,
    run: (operation: Operation, client: HttpClient) => Promise<T>,
  ): Promise<T> {
    const client = clientOf(credential)
    return client.operation(call, callOptions, (operation) => {
      // A colon ends the name in Basic, and the server reads what follows a percent sign as the
      // name of another account.
      if (credential.username === '' || /[:%\s]/.test(credential.username))
        throw operation.fail('unauthorized', { note: 'nobody can sign in with this name' })
      return run(operation, client)
    })
  }

  return {
    open: (credential, callOptions) =>
      signedIn('openCalendar', credential, callOptions, async (operation, client) => {
        const accountId = await ownAccount(operation, client)
        return writableCalendar({ operation, client, accountId })
      }),

    setTimeZone: ({ credential, calendar, timeZone }, callOptions) =>
      signedIn('setCalendarTimeZone', credential, callOptions, async (operation, client) => {
        const call = { operation, client, accountId: calendar.accountId }
        const outcome = await change(
          call,
          'Calendar',
          { id: calendar.calendarId, update: { timeZone } },
          true,
        )
        if ('rejected' in outcome) throw setFailure(operation, outcome.rejected)
      }),

    busyPeriods: ({ credential, calendar, from, to, addresses = [] }, callOptions) =>
      signedIn('busyPeriods', credential, callOptions, (operation, client) => {
        if (!(from < to) || to - from > longestRangeMs)
          throw operation.fail('refused', {
            note: 'the range must be longer than nothing and at most 365 days',
          })
        const own = [credential.username, ...addresses]
        return busyPeriods({ operation, client, accountId: calendar.accountId }, { from, to }, own)
      }),

    putEvent: ({ credential, calendar, event, eventId }, callOptions) =>
      signedIn('putEvent', credential, callOptions, (operation, client) =>
        operation.repeat(() =>
          putEvent({ operation, client, accountId: calendar.accountId }, calendar, event, eventId),
        ),
      ),

    removeEvent: ({ credential, calendar, ...event }, callOptions) =>
      signedIn('removeEvent', credential, callOptions, (operation, client) =>
        operation.repeat(() =>
          removeEvent({ operation, client, accountId: calendar.accountId }, event),
        ),
      ),

    readEvent: ({ credential, calendar, eventId }, callOptions) =>
      signedIn('readEvent', credential, callOptions, (operation, client) =>
        readEvent({ operation, client, accountId: calendar.accountId }, eventId),
      ),
  }
}

/** Clients by what they sign in with, kept under a hash, the longest unused one dropped first. */
function clientsByCredential(
  options: HttpClientOptions,
): (credential: MailboxCredential) => HttpClient {
  const clients = new Map<string, HttpClient>()
  const settings = { concurrency: requestsInFlight, ...patience, ...options }
  const make = (pair: string) =>
    httpClient('mail', `Basic ${Buffer.from(pair).toString('base64')}`, settings)
  // Reports an unusable address at start-up, not at the first host.
  make(':')
  return ({ username, secret }) => {
    const pair = `${username}:${secret}`
    const key = createHash('sha256').update(pair).digest('base64')
    const client = clients.get(key) ?? make(pair)
    clients.delete(key)
    clients.set(key, client)
    const oldest = clients.keys().next().value
    if (clients.size > mostClients && oldest !== undefined) clients.delete(oldest)
    return client
  }
}

async function ownAccount(operation: Operation, client: HttpClient): Promise<string> {
  const session = await client.send(operation, {
    label: 'GET /jmap/session',
    method: 'GET',
    path: 'jmap/session',
    repeatable: true,
    accept: [200],
    read: shaped(Session),
  })
  return session.primaryAccounts[calendarsCapability]
}

/**
 * The default calendar, else the only one, else the first that may be written. The first look makes
 * a mailbox's default calendar.
 */
function writableCalendar(call: MailboxCall): Promise<HostCalendar> {
  const { operation, accountId } = call
  const properties = ['id', 'isDefault', 'timeZone', 'myRights']
  return ask(call, [['Calendar/get', { accountId, properties }, 'get']], true, ([result]) => {
    const usable = OwnCalendars.parse(result).list.filter(
      ({ myRights }) => myRights.mayReadFreeBusy && myRights.mayWriteOwn,
    )
    const inOrder = usable.sort(
      (one, other) => one.id.length - other.id.length || (one.id < other.id ? -1 : 1),
    )
    const calendar = inOrder.find(({ isDefault }) => isDefault) ?? inOrder[0]
    if (!calendar)
      throw operation.fail('refused', {
        status: 200,
        note: 'the mailbox has no calendar that may be written',
      })
    return { accountId, calendarId: calendar.id, timeZone: calendar.timeZone ?? null }
  })
}
