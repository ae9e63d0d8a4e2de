import { z } from 'zod'
import { issueText, says } from '../platform/issue-text.ts'
import { cursor, page, pageLimit } from '../platform/paging.ts'
import { calendarDate, instant, line } from '../platform/text.ts'
import { schedulingLimits, timeZoneName } from './scheduling.ts'
import type { DayWindow, SlotSchedule } from './slots.ts'
import { dayOf } from './time-zones.ts'

/** Monday first, as ISO 8601 has it and as schedules are stored. */
export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
export type Weekday = (typeof weekdays)[number]

const clockTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, says('openingTime'))
const closingTime = z.string().regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, says('closingTime'))

/**
 * Local times of a day. An `end` that is not after the start is on the next day; the same time
 * twice is 24 hours.
 */
export const Hours = z.strictObject({ start: clockTime, end: closingTime })
export type Hours = z.infer<typeof Hours>

const hoursOfDay = z.array(Hours).max(schedulingLimits.windowsPerDay)

/** A weekday that is left out is closed. */
export const WeeklyHours = z.strictObject({
  mon: hoursOfDay.default([]),
  tue: hoursOfDay.default([]),
  wed: hoursOfDay.default([]),
  thu: hoursOfDay.default([]),
  fri: hoursOfDay.default([]),
  sat: hoursOfDay.default([]),
  sun: hoursOfDay.default([]),
})
export type WeeklyHours = z.infer<typeof WeeklyHours>

/** Takes the place of the weekday's hours on its local date; without windows the day is closed. */
export const DateOverride = z.strictObject({
  date: calendarDate(),
  windows: hoursOfDay,
})
export type DateOverride = z.infer<typeof DateOverride>

const overrides = z
  .array(DateOverride)
  .max(schedulingLimits.overrides)
  .superRefine((entries, context) => {
    const seen = new Set<string>()
    for (const [index, { date }] of entries.entries()) {
      if (seen.has(date))
        context.addIssue({
          code: 'custom',
          path: [index, 'date'],
          message: issueText('namedTwice', { value: date }),
        })
      seen.add(date)
    }
  })

const hoursRead = z.array(z.object({ start: z.string(), end: z.string() }))

/** Hours of a host. Everything in it is read in `timeZone`. */
export const ScheduleView = z.object({
  id: z.uuid(),
  hostId: z.uuid(),
  name: z.string(),
  timeZone: z.string(),
  weekly: z.object({
    mon: hoursRead,
    tue: hoursRead,
    wed: hoursRead,
    thu: hoursRead,
    fri: hoursRead,
    sat: hoursRead,
    sun: hoursRead,
  }),
  /** In the order of their dates. */
  overrides: z.array(z.object({ date: z.string(), windows: hoursRead })),
  /** Event types of the host that name no schedule follow this one. */
  standard: z.boolean(),
  /** Event types that name this schedule. */
  eventTypeCount: z.number().int(),
  version: z.number().int(),
  createdAt: instant,
  updatedAt: instant,
})
export type ScheduleView = z.infer<typeof ScheduleView>

/**
 * An upcoming booking that the hours held before a change, and hold no longer. It takes place as it
 * is.
 */
export const AffectedBooking = z.object({
  id: z.uuid(),
  title: z.string(),
  visitorName: z.string(),
  start: instant,
  end: instant,
})
export type AffectedBooking = z.infer<typeof AffectedBooking>

/** `affectedBookings` are the next ones of `affectedCount`. */
export const ReplacedSchedule = ScheduleView.extend({
  affectedBookings: z.array(AffectedBooking),
  affectedCount: z.number().int(),
})
export type ReplacedSchedule = z.infer<typeof ReplacedSchedule>

export const SchedulePage = page(ScheduleView)
export type SchedulePage = z.infer<typeof SchedulePage>

const slug = z.string().max(200)
const hostId = z.uuid()

export const ListSchedules = z.strictObject({
  slug,
  hostId: hostId.optional(),
  cursor: cursor.optional(),
  limit: pageLimit,
})
export type ListSchedules = z.infer<typeof ListSchedules>

export const ScheduleInTenant = z.strictObject({ slug, scheduleId: z.uuid() })
export type ScheduleInTenant = z.infer<typeof ScheduleInTenant>

const content = {
  name: line(100),
  timeZone: timeZoneName,
  weekly: WeeklyHours,
  overrides: overrides.default([]),
}

/**
 * `standard: true` takes that from the host's other schedule. A host's first one is the standard in
 * any case.
 */
export const CreateSchedule = z.strictObject({
  slug,
  hostId,
  ...content,
  standard: z.boolean().default(false),
})
export type CreateSchedule = z.infer<typeof CreateSchedule>

/**
 * Replaces what the schedule holds; without `standard` that stays as it is. `version` is the one
 * that was read.
 */
export const ReplaceSchedule = z.strictObject({
  slug,
  scheduleId: z.uuid(),
  version: z.number().int().min(1),
  ...content,
  standard: z.boolean().optional(),
})
export type ReplaceSchedule = z.infer<typeof ReplaceSchedule>

/** `09:30` as 570. */
export function minutesOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5))
}

/** 570 as `09:30`, 1440 as `24:00`. */
export function clockOf(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
}

function toWindow({ start, end }: Hours): DayWindow {
  return { start: minutesOf(start), end: minutesOf(end) }
}

function toHours({ start, end }: DayWindow): Hours {
  return { start: clockOf(start), end: clockOf(end) }
}

/** What is stored of weekly hours: seven lists of minutes after midnight, Monday first. */
export function storedWeek(weekly: WeeklyHours): { start: number; end: number }[][] {
  return weekdays.map((day) => weekly[day].map(toWindow))
}

/** Seven stored lists by the names of their days. */
export function weekOnWire(weekly: readonly (readonly DayWindow[])[]): WeeklyHours {
  return Object.fromEntries(
    weekdays.map((day, index) => [day, (weekly[index] ?? []).map(toHours)]),
  ) as WeeklyHours
}

export interface StoredDate {
  date: string
  windows: { start: number; end: number }[]
}

/** What is stored of overrides, in the order of their dates. */
export function storedDates(entries: readonly DateOverride[]): StoredDate[] {
  return entries
    .map(({ date, windows }) => ({ date, windows: windows.map(toWindow) }))
    .sort((a, b) => (a.date < b.date ? -1 : 1))
}

export function datesOnWire(entries: readonly StoredDate[]): DateOverride[] {
  return entries.map(({ date, windows }) => ({ date, windows: windows.map(toHours) }))
}

/** A stored schedule as `findSlots` reads it. */
export function toSlotSchedule(stored: {
  zone: string
  weekly: readonly (readonly DayWindow[])[]
  overrides: readonly StoredDate[]
}): SlotSchedule {
  return {
    zone: stored.zone,
    weekly: stored.weekly,
    overrides: new Map(stored.overrides.map(({ date, windows }) => [dayOf(date), windows])),
  }
}
