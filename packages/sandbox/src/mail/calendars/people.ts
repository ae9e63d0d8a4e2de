import { addressOf } from '../accounts.ts'
import { accountByAddress } from '../authentication.ts'
import { isObject, type Json, type JsonObject, objectOf, textOf } from '../json.ts'
import type { MethodCall } from '../method.ts'
import { accountPermissions } from '../permissions.ts'
import { references } from '../references.ts'
import type { MailWorld } from '../registry-type.ts'
import { mailboxOf } from './access.ts'
import { calendarSet } from './calendar-objects.ts'
import { eventSet } from './event-set.ts'
import { instancesOf, spanOf } from './instances.ts'

/** What became of a change, with the reason in the server's words when it rejected. */
export type Outcome = { readonly id: string } | { readonly rejected: string }

/** One event for a person to read. */
export interface ListedEvent {
  readonly id: string
  readonly title: string
  /** Milliseconds since 1970 of the first occurrence; undefined for an event without a time. */
  readonly start: number | undefined
  readonly end: number | undefined
  readonly event: JsonObject
}

/** Calendars as their owners use them, past the protocol but through the same rules. */
export interface PeopleCalendars {
  /** Adds a JSCalendar object to the person's default calendar. */
  add(address: string, event: JsonObject): Outcome
  /** Properties and pointers, as in `CalendarEvent/set`. */
  change(address: string, id: string, patch: JsonObject): Outcome
  remove(address: string, id: string): Outcome
  /** Changes the default calendar itself: its zone, whether it counts for availability. */
  settings(address: string, patch: JsonObject): Outcome
  /**
   * Events by the address of the mailbox, each list in order of time. Mailboxes whose calendar
   * nobody has opened yet are left out.
   */
  list(): Readonly<Record<string, readonly ListedEvent[]>>
}

export function peopleCalendars(world: MailWorld): PeopleCalendars {
  const carriedOut = (
    address: string,
    method: (call: MethodCall) => JsonObject,
    args: (calendarId: string) => JsonObject,
  ): Outcome => {
    const accountId = accountByAddress(world, address)
    const account = accountId === undefined ? undefined : world.store.get('Account', accountId)
    if (accountId === undefined || !account) return { rejected: `There is no mailbox ${address}.` }
    const mailbox = mailboxOf(world, accountId)
    const calendarId = mailbox.defaultId ?? Object.keys(mailbox.calendars)[0] ?? ''
    const permissions = accountPermissions(account)
    const caller = {
      accountId,
      address: addressOf(world, account),
      permissions,
      accountPermissions: permissions,
    }
    return outcomeOf(
      method({
        world,
        caller,
        accountId,
        args: args(calendarId),
        references: references(new Map()),
      }),
    )
  }
  return {
    add: (address, event) =>
      carriedOut(address, eventSet, (calendarId) => ({
        create: { event: { '@type': 'Event', calendarIds: { [calendarId]: true }, ...event } },
      })),
    change: (address, id, patch) =>
      carriedOut(address, eventSet, () => ({ update: { [id]: patch } })),
    remove: (address, id) => carriedOut(address, eventSet, () => ({ destroy: [id] })),
    settings: (address, patch) =>
      carriedOut(address, calendarSet, (calendarId) => ({ update: { [calendarId]: patch } })),
    list: () =>
      Object.fromEntries(
        world.calendars.accountIds().flatMap((accountId) => {
          const account = world.store.get('Account', accountId)
          return account ? [[addressOf(world, account), listed(world, accountId)]] : []
        }),
      ),
  }
}

function outcomeOf(result: JsonObject): Outcome {
  const rejection = ['notCreated', 'notUpdated', 'notDestroyed'].flatMap((name) =>
    Object.values(objectOf(result, name)),
  )[0]
  if (rejection !== undefined)
    return {
      rejected: isObject(rejection)
        ? textOf(rejection, 'description') || textOf(rejection, 'type')
        : 'refused',
    }
  const created: Json = objectOf(result, 'created').event ?? null
  const destroyed = result.destroyed
  const [id] = Array.isArray(destroyed) ? destroyed : Object.keys(objectOf(result, 'updated'))
  return { id: isObject(created) ? textOf(created, 'id') : String(id) }
}

function listed(world: MailWorld, accountId: string): readonly ListedEvent[] {
  const mailbox = mailboxOf(world, accountId)
  return Object.entries(mailbox.events)
    .map(([id, { event, calendarIds }]) => {
      const [first] = instancesOf(event)
      const zone = textOf(mailbox.calendars[calendarIds[0] ?? ''] ?? {}, 'timeZone') || 'UTC'
      const span = first && spanOf(first, zone)
      return { id, title: textOf(event, 'title'), start: span?.start, end: span?.end, event }
    })
    .sort((one, other) => (one.start ?? 0) - (other.start ?? 0))
}
