import { isObject, type JsonObject, objectOf, own, textOf } from '../json.ts'
import { occurrences, parseLocal, parseRule } from './recurrence.ts'

/** What the server expands of one event, and lists in one answer. */
export const maxInstances = 3_000

/** One occurrence of an event, in the wall time that it was written in. */
export interface Instance {
  /**
   * 1 for the event itself, then one for each moved or changed occurrence, in order of their
   * original times.
   */
  readonly component: number
  /** Counts the occurrences of one event from 0. */
  readonly number: number
  readonly start: Temporal.PlainDateTime
  /** `start` as milliseconds, as if it were UTC: for a first look without a zone. */
  readonly wall: number
  readonly seconds: number
  /** Undefined for floating times, all-day ones among them: the reader's zone holds. */
  readonly zone: string | undefined
  /** The event as it is at this occurrence: with the changes that were made to it. */
  readonly event: JsonObject
  /** The time at which the rule put the occurrence; undefined for an event that happens once. */
  readonly recurrenceId: string | undefined
}

export interface InstantSpan {
  /** Milliseconds since 1970. */
  readonly start: number
  readonly end: number
}

/**
 * Seconds of a duration of RFC 8984 section 1.4.6, days as 24 hours of wall time; undefined for
 * anything else.
 */
export function durationSeconds(text: string): number | undefined {
  if (!/^P(?=[\dT])(\d+W)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+S)?)?$/.test(text)) return undefined
  const { weeks, days, hours, minutes, seconds } = Temporal.Duration.from(text)
  return ((weeks * 7 + days) * 24 + hours) * 3600 + minutes * 60 + seconds
}

const expanded = new WeakMap<JsonObject, readonly Instance[]>()

/**
 * Every occurrence of an event, in order of its components and then of time; none of an event
 * without a start.
 */
export function instancesOf(event: JsonObject): readonly Instance[] {
  const known = expanded.get(event) ?? expand(event)
  expanded.set(event, known)
  return known
}

function expand(event: JsonObject): readonly Instance[] {
  const start = parseLocal(textOf(event, 'start'))
  if (!start) return []
  const overrides = Object.entries(objectOf(event, 'recurrenceOverrides')).sort(([one], [other]) =>
    one < other ? -1 : 1,
  )
  const rule = parseRule(own(event, 'recurrenceRule') ?? null)
  const isRecurring = rule !== undefined || overrides.length > 0
  const overridden = new Map(overrides)
  const planned = rule ? occurrences(rule, start, maxInstances) : [start]
  const main = planned.filter((at) => !overridden.has(at.toString({ smallestUnit: 'second' })))
  const changed = overrides.flatMap(([at, patch]) => {
    const original = parseLocal(at)
    return original && isObject(patch) && patch.excluded !== true
      ? [{ at, original, event: { ...event, ...patch }, patch }]
      : []
  })
  const all = [
    ...main.map((at) => ({
      component: 1,
      start: at,
      event,
      recurrenceId: isRecurring ? at.toString({ smallestUnit: 'second' }) : undefined,
    })),
    ...changed.map(({ at, original, event: own, patch }, index) => ({
      component: index + 2,
      start:
        textOf(own, 'start') === textOf(event, 'start')
          ? original
          : (parseLocal(textOf(own, 'start')) ?? original),
      event: own,
      recurrenceId: at,
      lastsAllDay: patch.start !== undefined && patch.duration === undefined,
    })),
  ]
  return all.slice(0, maxInstances).map((one, number) => ({
    ...one,
    number,
    wall: one.start.toZonedDateTime('UTC').epochMilliseconds,
    // A moved occurrence is a component of its own at the server: without a duration of its own it
    // lasts until the day is over.
    seconds:
      'lastsAllDay' in one && one.lastsAllDay
        ? restOfDay(one.start)
        : (durationSeconds(textOf(one.event, 'duration')) ?? 0),
    zone: textOf(one.event, 'timeZone') || undefined,
  }))
}

function restOfDay(start: Temporal.PlainDateTime): number {
  return start.until(start.withPlainTime('23:59:59'), { largestUnit: 'second' }).seconds
}

/**
 * When an occurrence is. Start and end are wall times of the zone both, so that an all-day event
 * takes 23 or 25 hours on a day of change; a time that a change leaves out moves on with all of the
 * event, one that exists twice is the first.
 */
export function spanOf({ start, seconds, zone }: Instance, floatingZone: string): InstantSpan {
  const at = (time: Temporal.PlainDateTime) => time.toZonedDateTime(zone ?? floatingZone)
  const begin = at(start)
  const isLeftOut = !begin.toPlainDateTime().equals(start)
  const end = isLeftOut ? begin.add({ seconds }) : at(start.add({ seconds }))
  return { start: begin.epochMilliseconds, end: end.epochMilliseconds }
}

/** Half-open on both sides: what only touches the range is not in it. */
export function isInRange(span: InstantSpan, range: InstantSpan): boolean {
  return range.start < span.end && range.end > span.start
}

// No zone is further from UTC, and no change of the clocks moves anything further.
const furthestMs = 26 * 3_600_000

/** The occurrences of an event within a range, with their instants. */
export function instancesIn(
  event: JsonObject,
  range: InstantSpan,
  floatingZone: string,
): readonly (Instance & { readonly span: InstantSpan })[] {
  return instancesOf(event).flatMap((one) => {
    const isFar =
      one.wall > range.end + furthestMs || one.wall + one.seconds * 1_000 < range.start - furthestMs
    if (isFar) return []
    const span = spanOf(one, floatingZone)
    return isInRange(span, range) ? [{ ...one, span }] : []
  })
}

/**
 * From the first occurrence to the last, floating times in UTC. Empty, so in no range, for an event
 * without a time.
 */
export function wholeSpan(event: JsonObject): InstantSpan {
  const spans = instancesOf(event)
    .toSorted((one, other) => one.wall - other.wall)
    .filter((_, index, all) => index === 0 || index === all.length - 1)
    .map((one) => spanOf(one, 'UTC'))
  return {
    start: Math.min(...spans.map(({ start }) => start)),
    end: Math.max(...spans.map(({ end }) => end)),
  }
}
