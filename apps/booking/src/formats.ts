import { currentZoneName, isRepeatedTime } from '@atrium/core/scheduling/time-zones'
import { type BookingText, bookingTexts } from '@atrium/messages/booking'
import { type PageLanguage, pseudoLanguage } from '@atrium/messages/languages'
import type { Context } from 'hono'
import { accepts } from 'hono/accepts'

/**
 * How a visitor's page is written: its texts, and dates and times as the visitor's region writes
 * them in the page's language.
 */
export interface Formats {
  language: PageLanguage
  /** BCP 47: the page's language as the visitor writes it, such as `de-AT`. */
  locale: string
  text: BookingText
  /** 0 for Monday to 6 for Sunday. */
  firstWeekday: number
  /** `14:30` or `2:30 PM`. */
  time(instant: string, zone: string): string
  /** `Wednesday, 25 November 2026`. */
  day(date: string): string
  /** `Wed, 25 Nov`. */
  shortDay(date: string): string
  /** `23–29 November 2026`. */
  dayRange(first: string, last: string): string
  /** `November 2026`. */
  month(month: string): string
  /** `Wed`, and the whole word; 0 for Monday. */
  weekday(day: number): { short: string; long: string }
  /** Day, start and end of a meeting: `Wednesday, 25 November 2026, 14:00–14:30`. */
  span(start: string, end: string, zone: string): string
  /** `Wednesday, 25 November 2026, 14:00`. */
  moment(instant: string, zone: string): string
  /** `GMT+1`. */
  offset(instant: string, zone: string): string
  /** `45 minutes`, `1 hour, 30 minutes`. */
  duration(minutes: number): string
  /** `a, b and c`, or with `or`. */
  list(kind: 'conjunction' | 'disjunction', texts: readonly string[]): string
}

/** For visitors who name no region of the page's language. */
const standardLocales: Readonly<Record<PageLanguage, string>> = {
  en: 'en-GB',
  de: 'de-DE',
  [pseudoLanguage]: 'en-GB',
}

/** Formats of one language take about 0.2 MiB. */
const mostKept = 50
const kept = new Map<string, Formats>()
/** Time zones that the formats of one language keep. */
const mostZones = 20
/** What Intl makes of each tag that visitors send, because it takes 0.2 ms to ask. */
const mostTags = 1_000
const resolvedTags = new Map<string, string>()

/**
 * The formats of the page's language. The region comes from the first entry of Accept-Language in
 * that language, by the tag under which Intl has its data: `de` for `de-XX-1996`.
 */
export function formatsOf(c: Context, language: PageLanguage): Formats {
  const standard = standardLocales[language]
  const locale = accepts(c, {
    header: 'Accept-Language',
    supports: [],
    default: standard,
    match: (offers) =>
      offers
        .filter(({ q }) => q > 0)
        .map(({ type }) => type)
        .find((tag) => primary(tag) === primary(standard) && isKnown(tag)) ?? standard,
  })
  const dates = keeping(resolvedTags, mostTags, locale, resolved)
  return keeping(kept, mostKept, `${language} ${dates}`, () => createFormats(dates, language))
}

/** The language of a tag: `de` for `de-AT`. */
function primary(tag: string): string | undefined {
  return tag.split('-')[0]?.toLowerCase()
}

/** Whatever visitors send, this returns one of the few hundred tags that Intl has data for. */
function resolved(tag: string): string {
  return new Intl.DateTimeFormat(new Intl.Locale(tag).baseName).resolvedOptions().locale
}

/** What is kept under the key, made where it is missing. When it is full, the oldest goes. */
function keeping<Value>(
  cache: Map<string, Value>,
  most: number,
  key: string,
  make: (key: string) => Value,
): Value {
  const known = cache.get(key)
  if (known !== undefined) return known
  const made = make(key)
  const [oldest] = cache.keys()
  if (cache.size >= most && oldest !== undefined) cache.delete(oldest)
  cache.set(key, made)
  return made
}

/** How many languages are kept, of how many tags. */
export function keptFormats(): { languages: number; tags: number } {
  return { languages: kept.size, tags: resolvedTags.size }
}

function isKnown(locale: string): boolean {
  if (locale === '*' || locale.length > 35) return false
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(locale).length > 0
  } catch {
    return false
  }
}

export function createFormats(requested: string, language: PageLanguage): Formats {
  // Extensions could ask for calendars in which the page's grid makes no sense.
  const locale = new Intl.Locale(requested).baseName
  const make = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { calendar: 'gregory', ...options })
  const inZone = (options: Intl.DateTimeFormatOptions) => {
    const zones = new Map<string, Intl.DateTimeFormat>()
    return (zone: string) =>
      keeping(zones, mostZones, zone, (timeZone) => make({ ...options, timeZone }))
  }
  const time = inZone({ timeStyle: 'short' })
  const moment = inZone({ dateStyle: 'full', timeStyle: 'short' })
  const offset = inZone({ timeZoneName: 'shortOffset' })
  const day = make({ dateStyle: 'full', timeZone: 'UTC' })
  const shortDay = make({ weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' })
  const dayRange = make({ day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
  const month = make({ month: 'long', year: 'numeric', timeZone: 'UTC' })
  const [short, long] = (['short', 'long'] as const).map((weekday) =>
    make({ weekday, timeZone: 'UTC' }),
  ) as [Intl.DateTimeFormat, Intl.DateTimeFormat]
  // 1970-01-05 was a Monday.
  const weekdays = Array.from({ length: 7 }, (_, index) => {
    const date = new Date((4 + index) * 86_400_000)
    return { short: short.format(date), long: long.format(date) }
  })
  const offsetOf = (instant: string, zone: string) =>
    offset(zone)
      .formatToParts(new Date(instant))
      .find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const duration = new Intl.DurationFormat(locale, { style: 'long' })
  const lists = {
    conjunction: new Intl.ListFormat(locale, { type: 'conjunction' }),
    disjunction: new Intl.ListFormat(locale, { type: 'disjunction' }),
  }
  return {
    language,
    locale,
    text: bookingTexts(language),
    firstWeekday: firstWeekday(locale),
    time: (instant, zone) => time(zone).format(new Date(instant)),
    day: (date) => day.format(new Date(`${date}T00:00:00Z`)),
    shortDay: (date) => shortDay.format(new Date(`${date}T00:00:00Z`)),
    dayRange: (first, last) =>
      dayRange.formatRange(new Date(`${first}T00:00:00Z`), new Date(`${last}T00:00:00Z`)),
    month: (name) => month.format(new Date(`${name}-01T00:00:00Z`)),
    weekday: (index) => weekdays[index] ?? { short: '', long: '' },
    span: (start, end, zone) => {
      const [from, to] = [new Date(start), new Date(end)]
      const repeated = isRepeatedTime(zone, from.getTime()) || isRepeatedTime(zone, to.getTime())
      if (!repeated) return moment(zone).formatRange(from, to)
      // Without its difference from UTC a time of this hour names two moments.
      return `${moment(zone).format(from)} (${offsetOf(start, zone)}) – ${time(zone).format(to)} (${offsetOf(end, zone)})`
    },
    moment: (instant, zone) => moment(zone).format(new Date(instant)),
    offset: offsetOf,
    duration: (minutes) =>
      duration.format({ hours: Math.floor(minutes / 60), minutes: minutes % 60 }),
    list: (kind, texts) => lists[kind].format(texts),
  }
}

function firstWeekday(locale: string): number {
  const { firstDay } = new Intl.Locale(new Intl.Locale(locale).maximize()).getWeekInfo()
  return firstDay - 1
}

/** The place that a zone is named after: `America/New_York` as `New York`. */
export function placeOfZone(zone: string): string {
  const name = currentZoneName(zone)
  return (name.split('/').at(-1) ?? name).replaceAll('_', ' ')
}

/** A zone in a list of its region: `America/Indiana/Knox` as `Indiana, Knox`. */
export function zoneInRegion(zone: string): string {
  const [region = '', ...places] = zone.split('/')
  return (places.length === 0 ? [region] : places).join(', ').replaceAll('_', ' ')
}
