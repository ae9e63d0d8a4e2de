import { SetError } from '../errors.ts'
import {
  isObject,
  type Json,
  type JsonObject,
  objectOf,
  own,
  textOf,
  withoutProperty,
  withProperty,
} from '../json.ts'
import { parsePointer, utcDate } from '../patch.ts'
import { isZone } from './access.ts'
import { durationSeconds } from './instances.ts'
import { parseLocal, parseRule } from './recurrence.ts'
import type { StoredEvent } from './store.ts'

/** Properties of draft-ietf-calext-jscalendarbis that an event may have. */
const eventProperties = new Set(
  `@type uid relatedTo prodId created updated sequence method title description descriptionContentType showWithoutTime locations mainLocationId
  virtualLocations links locale keywords categories color recurrenceId recurrenceIdTimeZone recurrenceRule recurrenceOverrides excluded priority
  freeBusyStatus privacy organizerCalendarAddress participants requestStatus alerts localizations timeZone timeZones start duration
  endTimeZone status iCalendar`.split(/\s+/),
)
const enumerations: Readonly<Record<string, readonly string[]>> = {
  status: ['confirmed', 'tentative', 'cancelled'],
  freeBusyStatus: ['busy', 'free'],
  privacy: ['public', 'private', 'secret'],
}
const immutable = new Set(['baseEventId', 'isOrigin', 'method'])
/** Bytes of an event as iCalendar, for which its JSON stands here. */
const maxEventSize = 512 * 1024

const invalid = (property: string, description: string) =>
  new SetError('invalidProperties', { properties: [property], description })

/**
 * An event with the properties and pointers of a create or an update written into it, checked as
 * the server checks them.
 */
export function changedEvent(
  previous: StoredEvent | undefined,
  id: string | undefined,
  patch: Json,
  now: number,
): StoredEvent {
  if (!isObject(patch))
    throw new SetError('invalidProperties', { description: 'Invalid value type for object' })
  let next: StoredEvent = previous ?? {
    calendarIds: [],
    isDraft: false,
    event: { '@type': 'Event' },
    indexedAt: 0,
  }
  let utc: { start?: number; end?: number } = {}
  for (const [pointer, value] of Object.entries(patch)) {
    const [property = '', ...path] = parsePointer(pointer)
    if (property === 'utcStart' || property === 'utcEnd') {
      utc = { ...utc, [property === 'utcStart' ? 'start' : 'end']: utcValue(property, value) }
    } else if (property === 'calendarIds')
      next = { ...next, calendarIds: changedCalendarIds(next.calendarIds, path, value) }
    else if (property === 'isDraft') next = { ...next, isDraft: booleanValue(property, value) }
    else if (
      property === 'useDefaultAlerts' ||
      property === 'mayInviteSelf' ||
      property === 'mayInviteOthers' ||
      property === 'hideAttendees'
    )
      booleanValue(property, value)
    else if (property === 'id') {
      if (value !== id) throw invalid('id', 'This property is immutable.')
    } else if (immutable.has(property)) throw invalid(property, 'This property is immutable.')
    else if (!eventProperties.has(property)) throw invalid(property, 'Invalid property.')
    else next = { ...next, event: writtenAt(next.event, [property, ...path], value, pointer) }
  }
  const event = keptDate(
    previous?.event,
    withUtcTimes(next.event, utc),
    Object.hasOwn(patch, 'iCalendar'),
  )
  if (next.calendarIds.length === 0)
    throw invalid('calendarIds', 'Event has to belong to at least one calendar.')
  assertConvertible(event)
  const stamped = withProperty(kept(event), 'updated', utcDate(now))
  if (JSON.stringify(stamped).length > maxEventSize)
    throw new SetError('invalidProperties', {
      description: `Event size ${JSON.stringify(stamped).length} exceeds the maximum allowed size of ${maxEventSize} bytes.`,
    })
  return { ...next, event: stamped }
}

/** As it comes back from iCalendar, which the server keeps it in: no places leave no property. */
function kept(event: JsonObject): JsonObject {
  return isObject(event.locations) && Object.keys(event.locations).length === 0
    ? withoutProperty(event, 'locations')
    : event
}

function booleanValue(property: string, value: Json): boolean {
  if (typeof value !== 'boolean') throw invalid(property, 'Invalid value.')
  return value
}

function utcValue(property: string, value: Json): number {
  const at = typeof value === 'string' && value.endsWith('Z') ? Date.parse(value) : Number.NaN
  if (Number.isNaN(at)) throw invalid(property, 'Invalid value.')
  return at
}

function changedCalendarIds(
  current: readonly string[],
  path: readonly string[],
  value: Json,
): string[] {
  const [id] = path
  if (id !== undefined && path.length === 1 && (typeof value === 'boolean' || value === null)) {
    const others = current.filter((one) => one !== id)
    return value === true ? [...others, id] : others
  }
  if (id === undefined && isObject(value))
    return Object.keys(value).filter((one) => value[one] === true)
  throw invalid('calendarIds', 'Invalid patch operation for calendarIds.')
}

function writtenAt(
  object: JsonObject,
  path: readonly string[],
  value: Json,
  pointer: string,
): JsonObject {
  const [name = '', ...rest] = path
  if (rest.length === 0)
    return value === null ? withoutProperty(object, name) : withProperty(object, name, value)
  const inner = own(object, name)
  if (!isObject(inner)) throw invalid(pointer, 'Patch operation failed.')
  return withProperty(object, name, writtenAt(inner, rest, value, pointer))
}

function withUtcTimes(
  event: JsonObject,
  { start, end }: { start?: number; end?: number },
): JsonObject {
  if (start === undefined && end === undefined) return event
  if (start === undefined || end === undefined)
    throw new SetError('invalidProperties', {
      properties: ['utcStart', 'utcEnd'],
      description: 'Both utcStart and utcEnd must be provided.',
    })
  if (start >= end)
    throw new SetError('invalidProperties', {
      properties: ['utcStart', 'utcEnd'],
      description: 'utcStart must be before utcEnd.',
    })
  const zone = textOf(event, 'timeZone') || 'Etc/UTC'
  const wall = Temporal.Instant.fromEpochMilliseconds(start)
    .toZonedDateTimeISO(zone)
    .toPlainDateTime()
  return {
    ...event,
    timeZone: zone,
    start: wall.toString({ smallestUnit: 'second' }),
    duration: `PT${Math.round((end - start) / 1000)}S`,
  }
}

const isDate = (event: JsonObject) =>
  event.showWithoutTime === true && textOf(event, 'timeZone') === ''

/**
 * An event that was stored as a date stays one when it gets a time, unless the stored form goes
 * with it (`iCalendar` null).
 */
function keptDate(
  previous: JsonObject | undefined,
  event: JsonObject,
  isFormSet: boolean,
): JsonObject {
  if (!previous || !isDate(previous) || isDate(event) || isFormSet)
    return withoutProperty(event, 'iCalendar')
  return {
    ...withoutProperty(event, 'timeZone'),
    start: `${textOf(event, 'start').slice(0, 10)}T00:00:00`,
    showWithoutTime: true,
  }
}

/** Rejects what has no form in iCalendar, in which the server stores events. */
function assertConvertible(event: JsonObject): void {
  const inconvertible = (property: string) =>
    invalid(property, 'Failed to convert calendar event to iCalendar.')
  assertTimes(event, inconvertible)
  for (const [property, values] of Object.entries(enumerations)) {
    const value = own(event, property)
    if (value !== undefined && !values.some((one) => one === value)) throw inconvertible(property)
  }
  const rule = own(event, 'recurrenceRule')
  if (rule !== undefined && !parseRule(rule)) throw inconvertible('recurrenceRule')
  for (const [at, patch] of Object.entries(objectOf(event, 'recurrenceOverrides'))) {
    if (!parseLocal(at) || !isObject(patch)) throw inconvertible('recurrenceOverrides')
    assertTimes({ start: at, ...patch }, inconvertible)
  }
  for (const one of Object.values(objectOf(event, 'participants'))) {
    if (!isObject(one) || textOf(one, 'calendarAddress') === '') throw inconvertible('participants')
  }
}

function assertTimes(event: JsonObject, inconvertible: (property: string) => SetError): void {
  if (!parseLocal(textOf(event, 'start'))) throw inconvertible('start')
  const duration = own(event, 'duration')
  if (
    duration !== undefined &&
    (typeof duration !== 'string' || durationSeconds(duration) === undefined)
  )
    throw inconvertible('duration')
  const zone = own(event, 'timeZone')
  if (zone !== undefined && (typeof zone !== 'string' || !isZone(zone)))
    throw inconvertible('timeZone')
}
