import { schedulingLimits } from '@atrium/core/scheduling/scheduling'
import type { SlotsView, SlotView } from '@atrium/core/scheduling/slot-availability'
import { currentZoneName, isTimeZone } from '@atrium/core/scheduling/time-zones'
import { addDays, addMonths, isDate, isMonth, lastDayOf, monthOfDate, weekOf } from './days.ts'

/**
 * What a visitor chose so far; it lives in the page's address, so that it can be kept, sent on and
 * gone back to.
 */
export interface Choice {
  zone: string
  /**
   * False while the visitor has not chosen: then the host's zone is shown, or the one that the
   * script finds.
   */
  zoneChosen: boolean
  duration: number
  view: 'month' | 'week'
  month: string | undefined
  date: string | undefined
  /** Proves the visitor's own hold, which is not in the way; kept from page to page. */
  lock: string | undefined
}

/** Reads the query of a picker's address. What makes no sense counts as not chosen. */
export function readChoice(
  query: Readonly<Record<string, string>>,
  standard: { zone: string; duration: number; durations: readonly number[] },
): Choice {
  const { zone, duration, view, month, date, lock } = query
  const zoneChosen = zone !== undefined && isTimeZone(zone)
  return {
    zone: currentZoneName(zoneChosen ? zone : standard.zone),
    zoneChosen,
    duration:
      standard.durations.find((minutes) => String(minutes) === duration) ?? standard.duration,
    view: view === 'week' ? 'week' : 'month',
    month: isMonth(month) ? month : undefined,
    date: isDate(date) ? date : undefined,
    lock: lock !== undefined && /^[\w-]{1,200}$/.test(lock) ? lock : undefined,
  }
}

/** What of a choice belongs into an address; `standardDuration` needs no mention. */
export function choiceQuery(choice: Choice, standardDuration: number): Record<string, string> {
  return {
    ...(choice.zoneChosen && { zone: choice.zone }),
    ...(choice.duration !== standardDuration && { duration: String(choice.duration) }),
    ...(choice.view === 'week' && { view: 'week' }),
    ...(choice.month !== undefined && { month: choice.month }),
    ...(choice.date !== undefined && { date: choice.date }),
    ...(choice.lock !== undefined && { lock: choice.lock }),
  }
}

export function address(path: string, query: Readonly<Record<string, string>>): string {
  const search = new URLSearchParams(query).toString()
  // Readable, and as valid in a query as it is encoded (RFC 3986 section 3.4).
  return search === '' ? path : `${path}?${search.replaceAll('%2F', '/').replaceAll('%3A', ':')}`
}

/** The times that a page shows. */
export interface SlotAvailability {
  today: string
  /** The month of a month view. */
  month: string
  /** The dates of a week view, else of the month. */
  dates: string[]
  slots: Readonly<Record<string, readonly SlotView[]>>
  /** The day whose times are listed. */
  date: string | undefined
  /**
   * The first day after the shown ones that has times; looked for where the shown ones have none.
   */
  nextFree: string | undefined
}

/** The whole range of a question; a response with very many starts covers only part of it. */
export async function askWhole(
  ask: (from: string) => Promise<Pick<SlotsView, 'slots' | 'nextFrom'>>,
  from: string,
): Promise<Readonly<Record<string, readonly SlotView[]>>> {
  const { slots, nextFrom } = await ask(from)
  if (nextFrom === null || nextFrom <= from) return slots
  return { ...slots, ...(await askWhole(ask, nextFrom)) }
}

/** Asks for the times of `[from, to]`, dates in the visitor's zone. */
export type AskSlots = (
  from: string,
  to: string,
) => Promise<Readonly<Record<string, readonly SlotView[]>>>

/** A page shows at most so many months ahead: event types may be open for two years. */
export const mostMonths = 24

/**
 * The times for a choice, with one question; with a second one where the shown days have none, to
 * tell or show when there are some. A visitor who has chosen no month sees the first one with
 * times.
 */
export async function findAvailability(
  ask: AskSlots,
  choice: Choice,
  today: string,
  firstWeekday: number,
): Promise<SlotAvailability> {
  const shown =
    choice.view === 'week' ? weekShown(choice, today, firstWeekday) : monthShown(choice, today)
  const first = shown.dates[0] ?? today
  const last = shown.dates.at(-1) ?? first
  const slots = await ask(first < today ? today : first, last)
  const chosen =
    choice.date !== undefined && choice.date >= today && shown.dates.includes(choice.date)
      ? choice.date
      : undefined
  const free = firstFree(slots)
  if (free !== undefined)
    return { today, ...shown, slots, date: chosen ?? free, nextFree: undefined }

  const from = addDays(last, 1)
  const later = await ask(from, addDays(from, schedulingLimits.rangeDays - 1))
  const nextFree = firstFree(later)
  const undecided =
    choice.month === undefined && choice.date === undefined && choice.view === 'month'
  if (nextFree === undefined || !undecided)
    return { today, ...shown, slots, date: chosen, nextFree }
  // Two months fit whole into the second question, as it begins with a month.
  return {
    today,
    ...monthShown({ ...choice, month: monthOfDate(nextFree) }, today),
    slots: later,
    date: nextFree,
    nextFree: undefined,
  }
}

export function firstFree(
  slots: Readonly<Record<string, readonly SlotView[]>>,
): string | undefined {
  return Object.keys(slots)
    .sort()
    .find((date) => (slots[date]?.length ?? 0) > 0)
}

function monthShown({ month, date }: Choice, today: string): { month: string; dates: string[] } {
  const now = monthOfDate(today)
  const requested = month ?? (date === undefined ? now : monthOfDate(date))
  const end = addMonths(now, mostMonths)
  const shown = between(requested, now, end)
  return { month: shown, dates: datesOf(`${shown}-01`, lastDayOf(shown)) }
}

function weekShown(
  { month, date }: Choice,
  today: string,
  firstWeekday: number,
): { month: string; dates: string[] } {
  const requested = date ?? (month === undefined ? today : `${month}-01`)
  const last = lastDayOf(addMonths(monthOfDate(today), mostMonths))
  const day = between(requested, today, last)
  return { month: monthOfDate(day), dates: weekOf(day, firstWeekday) }
}

/** Dates and months are in order as text. */
function between(requested: string, least: string, most: string): string {
  if (requested < least) return least
  return requested > most ? most : requested
}

function datesOf(from: string, to: string): string[] {
  const dates: string[] = []
  for (let date = from; date <= to; date = addDays(date, 1)) dates.push(date)
  return dates
}
