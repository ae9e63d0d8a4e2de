import {
  CreateSchedule,
  type DateOverride,
  type Hours,
  minutesOf,
  type ScheduleView,
  type Weekday,
  type WeeklyHours,
  weekdays,
} from '@atrium/core/scheduling/schedules'
import type { Span } from '@atrium/core/scheduling/slots'
import { isTime } from './time-text.ts'

export interface ScheduleFormValues {
  name: string
  timeZone: string
  weekly: WeeklyHours
  overrides: DateOverride[]
  standard: boolean
}

/** What the form is checked against: the API's own rules. */
export const ScheduleForm = CreateSchedule.omit({ slug: true, hostId: true })

// Fields for a time know no 24:00; the midnight that ends a day is 00:00 of the next one.
const typeable = (hours: readonly Hours[]): Hours[] =>
  hours.map(({ start, end }) => ({ start, end: end === '24:00' ? '00:00' : end }))

export function fromSchedule({
  name,
  timeZone,
  weekly,
  overrides,
  standard,
}: ScheduleView): ScheduleFormValues {
  return {
    name,
    timeZone,
    standard,
    weekly: Object.fromEntries(weekdays.map((day) => [day, typeable(weekly[day])])) as WeeklyHours,
    overrides: overrides.map(({ date, windows }) => ({ date, windows: typeable(windows) })),
  }
}

/** The next hours of a day that are likely meant: after a break of an hour, else a working day. */
export function furtherHours(hours: readonly Hours[]): Hours {
  const last = hours.at(-1)
  if (!last || !isTime(last.end)) return { start: '09:00', end: '17:00' }
  const from = minutesOf(last.end) + 60
  if (minutesOf(last.end) <= minutesOf(last.start) || from > 22 * 60)
    return { start: '09:00', end: '12:00' }
  const clock = (minutes: number) =>
    `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
  return { start: clock(from), end: clock(Math.min(from + 120, 23 * 60 + 45)) }
}

/** One day's hours given to others. */
export function copyDay(weekly: WeeklyHours, from: Weekday, to: readonly Weekday[]): WeeklyHours {
  return {
    ...weekly,
    ...Object.fromEntries(to.map((day) => [day, weekly[from].map((hours) => ({ ...hours }))])),
  }
}

/** The dates with this one's windows set, in order; `windows` undefined takes the date out. */
export function withDate(
  overrides: readonly DateOverride[],
  date: string,
  windows: Hours[] | undefined,
): DateOverride[] {
  const others = overrides.filter((entry) => entry.date !== date)
  if (windows === undefined) return others
  return [...others, { date, windows }].sort((a, b) => (a.date < b.date ? -1 : 1))
}

const dayMinutes = 1_440

/**
 * The open hours of each day of an ordinary week, Monday first, in minutes of the day: what reaches
 * over midnight shows on the next day. Half-typed times are left out.
 */
export function weekAtAGlance(weekly: WeeklyHours): Span[][] {
  const days: Span[][] = weekdays.map(() => [])
  for (const [index, day] of weekdays.entries()) {
    for (const { start, end } of weekly[day]) {
      if (!isTime(start) || !isTime(end)) continue
      const [from, to] = [minutesOf(start), minutesOf(end)]
      const until = to <= from ? to + dayMinutes : to
      days[index]?.push({ start: from, end: Math.min(until, dayMinutes) })
      if (until > dayMinutes) days[(index + 1) % 7]?.push({ start: 0, end: until - dayMinutes })
    }
  }
  return days
}
