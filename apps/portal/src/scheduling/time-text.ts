import type { EventTypeView } from '@atrium/core/scheduling/event-types'
import { type Hours, minutesOf, type Weekday, weekdays } from '@atrium/core/scheduling/schedules'
import type { LocationKind } from '@atrium/core/scheduling/scheduling'
import { dateOf, dayOf, weekdayOf } from '@atrium/core/scheduling/time-zones'
import { formatMinutes } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { viewerLocale as locale } from '@atrium/ui/page-language'

const t = translations('portal.scheduling')

const longDay = new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' })
const shortDay = new Intl.DateTimeFormat(locale, { weekday: 'short', timeZone: 'UTC' })
const longDate = new Intl.DateTimeFormat(locale, {
  weekday: 'long',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
})
const oneOf = new Intl.ListFormat(locale, { type: 'disjunction' })

/** "Monday", or "Mon". */
export function dayName(day: Weekday, length: 'long' | 'short' = 'long'): string {
  // The first of January 2024 is a Monday.
  const date = Date.UTC(2024, 0, 1 + weekdays.indexOf(day))
  return (length === 'long' ? longDay : shortDay).format(date)
}

/** How people meet: "Video call". */
export const locationName = (kind: LocationKind): string => t(`locations.${kind}`)

/** The lengths that visitors can choose: "30 minutes", "30 minutes, 1 hour or 2 hours". */
export function durationsText(durations: readonly number[]): string {
  return oneOf.format(durations.map(formatMinutes))
}

/** The weekday of a date. */
export function weekdayOfDate(date: string): Weekday {
  return weekdays[weekdayOf(dayOf(date))] as Weekday
}

/** "Saturday, 5 Jun 2027". */
export function dateText(date: string): string {
  return longDate.format(new Date(date))
}

export function nextDate(date: string, days = 1): string {
  return dateOf(dayOf(date) + days)
}

/** How hours that end on the next day are shown; undefined for hours within one day. */
export function acrossMidnight({ start, end }: Hours, following: string): string | undefined {
  if (!isTime(start) || !isTime(end)) return undefined
  const [from, to] = [minutesOf(start), minutesOf(end)]
  if (to > from) return undefined
  const until = { time: end, day: following }
  if (from === to) return from === 0 ? t('hours.allDay') : t('hours.wholeDay', until)
  return to === 0 ? t('hours.untilMidnight') : t('hours.untilNextDay', until)
}

/** "09:00–12:00, 13:00–17:00", or "closed". */
export function hoursText(hours: readonly Hours[]): string {
  return hours.length === 0
    ? t('hours.closed')
    : hours.map(({ start, end }) => `${start}–${end}`).join(', ')
}

export function isTime(text: string): boolean {
  return /^\d{2}:\d{2}$/.test(text)
}

/** An address as it is shown beside the field for its last part. */
export function withoutScheme(address: string): string {
  return address.replace(/^https?:\/\//, '')
}

/** A state of an event type that visitors would notice; undefined for one that is public. */
export function stateOf({
  active,
  listed,
}: Pick<EventTypeView, 'active' | 'listed'>): 'off' | 'unlisted' | undefined {
  if (!active) return 'off'
  return listed ? undefined : 'unlisted'
}

/** Today's date in a time zone. */
export function todayIn(zone: string, now: Date = new Date()): string {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).formatToParts(now)
  const part = (type: Intl.DateTimeFormatPartTypes) =>
    parts.find((one) => one.type === type)?.value ?? ''
  return `${part('year')}-${part('month')}-${part('day')}`
}
