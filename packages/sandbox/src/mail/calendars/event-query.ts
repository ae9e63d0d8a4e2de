import { booleanArgument, integerArgument } from '../arguments.ts'
import { MethodError } from '../errors.ts'
import { isObject, type Json, type JsonObject, objectOf, own, textOf } from '../json.ts'
import { maxQueryResults } from '../limits.ts'
import type { MethodCall } from '../method.ts'
import { mailboxOf, zoneArgument } from './access.ts'
import { type InstantSpan, instancesIn, maxInstances, wholeSpan } from './instances.ts'
import { parseLocal } from './recurrence.ts'
import type { StoredEvent } from './store.ts'
import { syntheticId } from './synthetic-ids.ts'

/** An event as filters see it. */
interface Row {
  readonly id: string
  readonly stored: StoredEvent
  /**
   * From the first occurrence to the last, floating times in UTC, as the server keeps it beside the
   * event.
   */
  readonly span: InstantSpan
}

type Condition = (row: Row) => boolean

/**
 * `CalendarEvent/query`. Time and calendar are read from the stored values; uid and words from an
 * index that lags behind.
 */
export function eventQuery({ world, accountId, args }: MethodCall): JsonObject {
  const mailbox = mailboxOf(world, accountId)
  const zone = zoneArgument(args)
  const range: { start: number; end: number } = {
    start: Number.NEGATIVE_INFINITY,
    end: Number.POSITIVE_INFINITY,
  }
  const matches = conditionOf(own(args, 'filter') ?? null, { zone, now: world.now(), range })
  const rows = Object.entries(mailbox.events).map(
    ([id, stored]): Row => ({ id, stored, span: wholeSpan(stored.event) }),
  )
  const found = rows.filter(matches)
  const ids =
    booleanArgument(args, 'expandRecurrences') && found.length > 0
      ? expanded(found, zone, range, args)
      : sorted(found, args)
  const position = Math.max(0, integerArgument(args, 'position') ?? 0)
  const limit = Math.min(integerArgument(args, 'limit') ?? maxQueryResults, maxQueryResults)
  return {
    accountId,
    queryState: world.calendars.stateOf(mailbox),
    canCalculateChanges: false,
    position,
    ids: ids.slice(position, position + limit),
    ...(booleanArgument(args, 'calculateTotal') && { total: ids.length }),
  }
}

function expanded(
  rows: readonly Row[],
  zone: string,
  range: InstantSpan,
  args: JsonObject,
): readonly string[] {
  if (!Number.isFinite(range.start) || !Number.isFinite(range.end))
    throw new MethodError(
      'invalidArguments',
      "Both 'after' and 'before' filters are required when expanding recurrences",
    )
  const all = rows.flatMap(({ id, stored }) =>
    instancesIn(stored.event, range, zone).map(({ number, span }) => ({
      id: syntheticId(number, id),
      start: span.start,
      uid: textOf(stored.event, 'uid'),
    })),
  )
  if (all.length > maxInstances)
    throw new MethodError(
      'invalidArguments',
      'The number of expanded recurrences exceeds the server limit',
    )
  return order(all, args).map(({ id }) => id)
}

function sorted(rows: readonly Row[], args: JsonObject): readonly string[] {
  return order(
    rows.map(({ id, stored, span }) => ({
      id,
      start: span.start,
      uid: textOf(stored.event, 'uid'),
    })),
    args,
  ).map(({ id }) => id)
}

function order<T extends { start: number; uid: string }>(
  rows: readonly T[],
  args: JsonObject,
): readonly T[] {
  const sort = own(args, 'sort')
  const first = Array.isArray(sort) && isObject(sort[0]) ? sort[0] : undefined
  if (!first) return rows
  const property = textOf(first, 'property')
  if (!['start', 'recurrenceId', 'uid'].includes(property))
    throw new MethodError('unsupportedSort', property)
  const direction = first.isAscending === false ? -1 : 1
  return [...rows].sort(
    (one, other) =>
      direction * (property === 'uid' ? (one.uid < other.uid ? -1 : 1) : one.start - other.start),
  )
}

interface FilterScope {
  readonly zone: string
  readonly now: number
  /** Filled with the bounds that the filter names anywhere. */
  readonly range: { start: number; end: number }
}

function conditionOf(filter: Json, scope: FilterScope): Condition {
  if (filter === null) return () => true
  if (!isObject(filter))
    throw new MethodError(
      'invalidArguments',
      'Invalid value for argument "filter", expected an object',
    )
  if (!Object.hasOwn(filter, 'operator')) {
    const conditions = Object.entries(filter).map(([name, value]) => property(name, value, scope))
    return (row) => conditions.every((one) => one(row))
  }
  const inner = own(filter, 'conditions')
  const conditions = Array.isArray(inner) ? inner.map((one: Json) => conditionOf(one, scope)) : []
  switch (filter.operator) {
    case 'AND':
      return (row) => conditions.every((one) => one(row))
    case 'OR':
      return (row) => conditions.some((one) => one(row))
    case 'NOT':
      return (row) => !conditions.some((one) => one(row))
    default:
      throw new MethodError('invalidArguments', 'Invalid filter operator')
  }
}

function property(name: string, value: Json, { zone, now, range }: FilterScope): Condition {
  const text = typeof value === 'string' ? value : ''
  const indexed =
    (matches: (event: JsonObject) => boolean): Condition =>
    ({ stored }) =>
      stored.indexedAt <= now && matches(stored.event)
  const words = (event: JsonObject) =>
    `${textOf(event, 'title')} ${textOf(event, 'description')} ${locations(event)}`.toLowerCase()
  switch (name) {
    case 'inCalendar':
      return ({ stored }) => stored.calendarIds.includes(text)
    case 'after': {
      const at = instant(text, zone)
      if (at === undefined) return () => true
      range.start = at
      return ({ span }) => at < span.end
    }
    case 'before': {
      const at = instant(text, zone)
      if (at === undefined) return () => true
      range.end = at
      return ({ span }) => at > span.start
    }
    case 'uid':
      return indexed((event) => textOf(event, 'uid') === text)
    case 'title':
    case 'text':
      return indexed((event) => words(event).includes(text.toLowerCase()))
    case 'description':
      return indexed((event) =>
        textOf(event, 'description').toLowerCase().includes(text.toLowerCase()),
      )
    case 'attendee':
      return indexed((event) =>
        JSON.stringify(objectOf(event, 'participants')).toLowerCase().includes(text.toLowerCase()),
      )
    default:
      throw new MethodError('unsupportedFilter', name)
  }
}

/**
 * A bound in the zone of the query. One that exists twice or not at all is left out, as on the real
 * server.
 */
function instant(text: string, zone: string): number | undefined {
  const wall = parseLocal(text)
  if (!wall) throw new MethodError('invalidArguments', 'Invalid local date-time')
  try {
    return wall.toZonedDateTime(zone, { disambiguation: 'reject' }).epochMilliseconds
  } catch {
    return undefined
  }
}

function locations(event: JsonObject): string {
  return Object.values(objectOf(event, 'locations'))
    .map((location) => (isObject(location) ? textOf(location, 'name') : ''))
    .join(' ')
}
