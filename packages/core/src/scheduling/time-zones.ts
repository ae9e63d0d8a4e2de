/**
 * Time zones as whole numbers. A local date is a day number: days since 1970-01-01. A local time is
 * minutes after the local midnight, an instant is milliseconds since 1970. Temporal is asked for
 * the changes of a zone once per year; all the rest is addition.
 */

const dayMs = 86_400_000
const minuteMs = 60_000

/**
 * A stretch of time in which a zone's offset stays the same: `[from, to)` in milliseconds,
 * `offsetMs` to be added to UTC.
 */
export interface ZoneSegment {
  readonly from: number
  readonly to: number
  readonly offsetMs: number
}

/**
 * True for a name of the IANA time zone database, in any case. Offsets such as `+02:00` are no
 * zones: they have no daylight saving time, and a person's calendar does.
 */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/**
 * Names that the IANA database replaced (its file `backward`), and that browsers and operating
 * systems still use.
 */
const renamedZones: Readonly<Record<string, string>> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Catamarca': 'America/Argentina/Catamarca',
  'America/Coral_Harbour': 'America/Atikokan',
  'America/Cordoba': 'America/Argentina/Cordoba',
  'America/Fort_Wayne': 'America/Indiana/Indianapolis',
  'America/Godthab': 'America/Nuuk',
  'America/Indianapolis': 'America/Indiana/Indianapolis',
  'America/Jujuy': 'America/Argentina/Jujuy',
  'America/Knox_IN': 'America/Indiana/Knox',
  'America/Louisville': 'America/Kentucky/Louisville',
  'America/Mendoza': 'America/Argentina/Mendoza',
  'Asia/Ashkhabad': 'Asia/Ashgabat',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Dacca': 'Asia/Dhaka',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Macao': 'Asia/Macau',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Asia/Thimbu': 'Asia/Thimphu',
  'Asia/Ujung_Pandang': 'Asia/Makassar',
  'Asia/Ulan_Bator': 'Asia/Ulaanbaatar',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
}
const renamedInLowerCase = new Map(
  Object.entries(renamedZones).map(([old, name]) => [old.toLowerCase(), name]),
)

/**
 * The present name of a zone, which may be given by a former one: `Europe/Kyiv` for `Europe/Kiev`.
 * Others stay as they are.
 */
export function currentZoneName(zone: string): string {
  return renamedInLowerCase.get(zone.toLowerCase()) ?? zone
}

/** Every zone that this runtime lists, by its present name, and UTC. */
export function listTimeZones(): string[] {
  return [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone').map(currentZoneName)])]
}

/**
 * True when both names mean the same zone: `Asia/Calcutta` and `Asia/Kolkata`, say. Both must be
 * zones.
 */
export function isSameTimeZone(one: string, other: string): boolean {
  return Temporal.Instant.fromEpochMilliseconds(0)
    .toZonedDateTimeISO(one)
    .equals(Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(other))
}

const kept = new Map<string, readonly ZoneSegment[]>()
const mostKept = 2_000

/**
 * The segments that cover `[from, to]`, ascending and without gaps. RangeError for a name that is
 * no zone.
 */
export function zoneSegments(zone: string, from: number, to: number): readonly ZoneSegment[] {
  const [first, last] = [new Date(from).getUTCFullYear(), new Date(to).getUTCFullYear()]
  if (first === last) return segmentsOfYear(zone, first)
  const all: ZoneSegment[] = []
  for (let year = first; year <= last; year++) {
    for (const segment of segmentsOfYear(zone, year)) {
      const before = all.at(-1)
      if (before && before.offsetMs === segment.offsetMs)
        all[all.length - 1] = { ...before, to: segment.to }
      else all.push(segment)
    }
  }
  return all
}

/** Of one year in UTC, so that the years of a range follow one another without overlap. */
function segmentsOfYear(zone: string, year: number): readonly ZoneSegment[] {
  const key = `${zone} ${year}`
  const known = kept.get(key)
  if (known) return known
  const [from, to] = [Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1)]
  const segments: ZoneSegment[] = []
  let at = Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(zone)
  for (;;) {
    const next = at.getTimeZoneTransition('next')
    const end = next === null ? to : Math.min(to, next.epochMilliseconds)
    segments.push({ from: at.epochMilliseconds, to: end, offsetMs: at.offsetNanoseconds / 1e6 })
    if (next === null || next.epochMilliseconds >= to) break
    at = next
  }
  if (kept.size >= mostKept) kept.clear()
  kept.set(key, segments)
  return segments
}

/**
 * What a zone's clocks show. Made for one range; instants and dates outside of it are a RangeError.
 */
export interface LocalClock {
  /** The local date of an instant, as a day number. */
  dayAt(instant: number): number
  /** Minutes and parts of them since the local midnight of `dayAt`. */
  minutesAt(instant: number): number
  /**
   * The instant of a local time, RFC 5545 section 3.3.5: a time that does not exist moves on by the
   * length of the gap, one that exists twice is the first of the two. `minutes` may be 1440 and
   * more: the days that follow.
   */
  instantOf(day: number, minutes: number): number
  /** False for a date that the zone leaves out, as Samoa did with 30 December 2011. */
  hasDay(day: number): boolean
}

/**
 * The clock of a zone over `[from, to]`, with three days more at both ends. RangeError for a name
 * that is no zone.
 */
export function localClock(zone: string, from: number, to: number): LocalClock {
  const segments = zoneSegments(zone, from - 4 * dayMs, to + 4 * dayMs)
  let last = 0
  const segmentAt = (instant: number): ZoneSegment => {
    // Callers walk through time: the last result's segment, or the one after it, is nearly always
    // right.
    for (let tries = 0; tries < 2; tries++) {
      const segment = segments[last]
      if (segment && instant >= segment.from && instant < segment.to) return segment
      last = segment && instant >= segment.to ? last + 1 : 0
    }
    last = segments.findIndex((segment) => instant >= segment.from && instant < segment.to)
    const found = segments[last]
    if (found) return found
    last = 0
    throw new RangeError('The instant is outside of the range that this clock was made for.')
  }
  const dayAt = (instant: number) => Math.floor((instant + segmentAt(instant).offsetMs) / dayMs)
  const instantOf = (day: number, minutes: number) => {
    const wall = day * dayMs + minutes * minuteMs
    for (let i = 0; i < segments.length; i++) {
      const segment = segments[i] as ZoneSegment
      const instant = wall - segment.offsetMs
      if (instant < segment.from) {
        // Between the segment before and this one: the clocks left this time out. The offset before
        // the gap moves it on.
        const before = segments[i - 1]
        if (before) return wall - before.offsetMs
        break
      }
      if (instant < segment.to) return instant
    }
    throw new RangeError('The date is outside of the range that this clock was made for.')
  }
  return {
    dayAt,
    minutesAt: (instant) => {
      const local = instant + segmentAt(instant).offsetMs
      return (local - Math.floor(local / dayMs) * dayMs) / minuteMs
    },
    instantOf,
    hasDay: (day) => dayAt(instantOf(day, 0)) === day || dayAt(instantOf(day, 1439)) === day,
  }
}

/** `2027-03-28` as a day number. RangeError for what is no date of the calendar. */
export function dayOf(date: string): number {
  const at = Date.parse(`${date}T00:00:00Z`)
  if (Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== date)
    throw new RangeError(`${date} is not a date.`)
  return at / dayMs
}

/** A day number as `2027-03-28`. */
export function dateOf(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10)
}

/** 0 for Monday to 6 for Sunday (ISO 8601 counts 1 to 7). 1970-01-01 was a Thursday. */
export function weekdayOf(day: number): number {
  return (((day + 3) % 7) + 7) % 7
}

/** A number that is the same for all days of one ISO week, and one more in the next. */
export function weekOf(day: number): number {
  return Math.floor((day + 3) / 7)
}

/** A number that is the same for all days of one calendar month, and one more in the next. */
export function monthOf(day: number): number {
  const date = new Date(day * dayMs)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}

/**
 * What a clock in the zone shows at an instant, to the minute: `2027-06-04T14:00`. RangeError for a
 * name that is no zone.
 */
export function wallTimeOf(zone: string, instant: number): string {
  const clock = localClock(zone, instant, instant)
  const minutes = Math.floor(clock.minutesAt(instant))
  const two = (value: number) => String(value).padStart(2, '0')
  return `${dateOf(clock.dayAt(instant))}T${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}

/**
 * True for an instant whose local time comes twice in the zone, because the clocks go back.
 * RangeError for a name that is no zone.
 */
export function isRepeatedTime(zone: string, instant: number): boolean {
  const wall = Temporal.Instant.fromEpochMilliseconds(instant)
    .toZonedDateTimeISO(zone)
    .toPlainDateTime()
  const at = (disambiguation: 'earlier' | 'later') =>
    wall.toZonedDateTime(zone, { disambiguation }).epochMilliseconds
  return at('earlier') !== at('later')
}
