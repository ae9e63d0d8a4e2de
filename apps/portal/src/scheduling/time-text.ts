import type { EventTypeView } from '@atrium/core/scheduling/event-types'
import { type Hours, minutesOf, type Weekday, weekdays } from '@atrium/core/scheduling/schedules'
import type { Assignment, LocationKind } from '@atrium/core/scheduling/scheduling'
import { dateOf, dayOf, weekdayOf } from '@atrium/core/scheduling/time-zones'
import { formatDay } from '@atrium/ui/format'

export const dayNames: Readonly<Record<Weekday, string>> = {
  mon: 'Monday',
  tue: 'Tuesday',
  wed: 'Wednesday',
  thu: 'Thursday',
  fri: 'Friday',
  sat: 'Saturday',
  sun: 'Sunday',
}

export const locationNames: Readonly<Record<LocationKind, string>> = {
  video: 'Video call',
  phone: 'Phone, the visitor calls',
  visitor_phone: 'Phone, you call the visitor',
  in_person: 'In person',
}

export const assignmentNames: Readonly<Record<Assignment, string>> = {
  host: 'One host',
  round_robin: 'Whoever is free, in turns',
  collective: 'All hosts together',
}

/** 90 as "1 h 30 min", 2880 as "2 days". */
export function durationText(minutes: number): string {
  if (minutes === 0) return 'none'
  if (minutes % 1_440 === 0) return minutes === 1_440 ? '1 day' : `${minutes / 1_440} days`
  if (minutes < 60) return `${minutes} min`
  const rest = minutes % 60
  return rest === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${rest} min`
}

/** The lengths that visitors can choose: "30 min", "30 min, 1 h or 2 h". */
export function durationsText(durations: readonly number[]): string {
  const all = durations.map(durationText)
  return all.length < 2 ? (all[0] ?? '') : `${all.slice(0, -1).join(', ')} or ${all.at(-1)}`
}

/** The weekday of a date. */
export function weekdayOfDate(date: string): Weekday {
  return weekdays[weekdayOf(dayOf(date))] as Weekday
}

/** "Sat, 5 Jun 2027". */
export function dateText(date: string): string {
  return `${dayNames[weekdayOfDate(date)]}, ${formatDay(date)}`
}

export function nextDate(date: string, days = 1): string {
  return dateOf(dayOf(date) + days)
}

/** What reaches over midnight, said in words; undefined for hours within their day. */
export function acrossMidnight({ start, end }: Hours, following: string): string | undefined {
  if (!isTime(start) || !isTime(end)) return undefined
  const [from, to] = [minutesOf(start), minutesOf(end)]
  if (to > from) return undefined
  if (from === to) return from === 0 ? 'All day long' : `24 hours, until ${end} on ${following}`
  return to === 0 ? 'Until midnight' : `Until ${end} on ${following}`
}

/** "09:00–12:00, 13:00–17:00", or "closed". */
export function hoursText(hours: readonly Hours[]): string {
  return hours.length === 0 ? 'closed' : hours.map(({ start, end }) => `${start}–${end}`).join(', ')
}

export function isTime(text: string): boolean {
  return /^\d{2}:\d{2}$/.test(text)
}

/** How the name of an event type's address is shown before and after it is saved. */
export function withoutScheme(address: string): string {
  return address.replace(/^https?:\/\//, '')
}

/**
 * A state of an event type that visitors would notice; undefined for one that is there for
 * everybody.
 */
export function stateOf({
  active,
  listed,
}: Pick<EventTypeView, 'active' | 'listed'>): 'off' | 'unlisted' | undefined {
  if (!active) return 'off'
  return listed ? undefined : 'unlisted'
}

/** The date that it is now in a zone. */
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
