import { textsArgument } from '../arguments.ts'
import { MethodError } from '../errors.ts'
import { type JsonObject, objectOf, textOf } from '../json.ts'
import type { MethodCall } from '../method.ts'
import { addressesOf, mailboxOf } from './access.ts'
import { type InstantSpan, instancesIn, maxInstances } from './instances.ts'
import { participantOf } from './participants.ts'
import type { CalendarMailbox, StoredEvent } from './store.ts'
import { syntheticId } from './synthetic-ids.ts'

const statuses = ['confirmed', 'tentative', 'unavailable'] as const
type BusyStatus = (typeof statuses)[number]

interface Period extends InstantSpan {
  readonly status: BusyStatus
  readonly event: JsonObject
}

/**
 * `Principal/getAvailability`: when a person is busy. Without `eventProperties` periods of one
 * status that meet are merged; nothing is cut at the range. To a caller without the right to see it
 * the answer is an empty list.
 */
export function getAvailability({ world, caller, args }: MethodCall): JsonObject {
  const id = textOf(args, 'id')
  if (id === '') throw new MethodError('invalidArguments', 'Missing principal id')
  const properties = textsArgument(args, 'eventProperties') ?? []
  if (properties.some((name) => name !== 'id' && name !== 'baseEventId'))
    throw new MethodError(
      'invalidArguments',
      "Only 'id' and 'baseEventId' properties are supported in results",
    )
  const range = { start: utcArgument(args, 'utcStart'), end: utcArgument(args, 'utcEnd') }
  const mailbox = mailboxOf(world, id)
  const isMember = id === caller.accountId || caller.permissions.has('impersonate')
  const addresses = addressesOf(world, id)
  const periods = Object.entries(mailbox.events)
    .filter(
      ([, stored]) =>
        isMember ||
        stored.calendarIds.some((calendarId) =>
          mayReadFreeBusy(mailbox, calendarId, caller.accountId),
        ),
    )
    .flatMap(([eventId, stored]) => periodsOf(eventId, stored, mailbox, addresses, range))
  if (periods.length > maxInstances) throw new MethodError('requestTooLarge')
  const sorted = periods.sort(
    (one, other) =>
      statuses.indexOf(one.status) - statuses.indexOf(other.status) || one.start - other.start,
  )
  return {
    list:
      properties.length > 0
        ? sorted.map((one) => shown(one, one.event))
        : merged(sorted).map((one) => shown(one, null)),
  }
}

function utcArgument(args: JsonObject, name: string): number {
  const text = textOf(args, name)
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(at))
    throw new MethodError(
      'invalidArguments',
      `Invalid value for argument "${name}", expected a UTC date`,
    )
  return at
}

function mayReadFreeBusy(mailbox: CalendarMailbox, calendarId: string, accountId: string): boolean {
  const rights = objectOf(objectOf(mailbox.calendars[calendarId] ?? {}, 'shareWith'), accountId)
  return rights.mayReadFreeBusy === true || rights.mayReadItems === true
}

function periodsOf(
  eventId: string,
  stored: StoredEvent,
  mailbox: CalendarMailbox,
  addresses: ReadonlySet<string>,
  range: InstantSpan,
): Period[] {
  const calendar = stored.calendarIds
    .map((id) => mailbox.calendars[id])
    .find((one) => one !== undefined)
  const include = textOf(calendar ?? {}, 'includeInAvailability')
  if (!calendar || include === 'none' || textOf(stored.event, 'status') === 'cancelled') return []
  const zone = textOf(calendar, 'timeZone') || 'UTC'
  return instancesIn(stored.event, range, zone).flatMap((one) => {
    const status = busyStatus(one.event, include, addresses)
    return status === undefined
      ? []
      : [
          {
            ...one.span,
            status,
            event: { id: syntheticId(one.component, eventId), baseEventId: eventId },
          },
        ]
  })
}

/**
 * Undefined for what keeps nobody from being free: cancelled, marked free, declined, and whatever
 * is confidential.
 */
function busyStatus(
  event: JsonObject,
  include: string,
  addresses: ReadonlySet<string>,
): BusyStatus | undefined {
  if (
    textOf(event, 'status') === 'cancelled' ||
    textOf(event, 'freeBusyStatus') === 'free' ||
    textOf(event, 'privacy') === 'secret'
  )
    return undefined
  if (include === 'all') return 'confirmed'
  const own = participantOf(event, addresses)
  switch (own && textOf(own, 'participationStatus')) {
    case undefined:
    case 'declined':
      return undefined
    case 'accepted':
      return 'confirmed'
    case 'tentative':
      return 'tentative'
    default:
      return 'unavailable'
  }
}

function merged(periods: readonly Period[]): readonly Period[] {
  const all: Period[] = []
  for (const period of periods) {
    const last = all.at(-1)
    if (last && last.status === period.status && period.start <= last.end)
      all[all.length - 1] = { ...last, end: Math.max(last.end, period.end) }
    else all.push(period)
  }
  return all
}

function shown({ start, end, status }: Period, event: JsonObject | null): JsonObject {
  const utc = (at: number) => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z')
  return { utcStart: utc(start), utcEnd: utc(end), busyStatus: status, event }
}
