import { z } from 'zod'
import type { Issue } from '../platform/errors.ts'
import { issueText, says } from '../platform/issue-text.ts'
import { cursor, page, pageLimit } from '../platform/paging.ts'
import { calendarDate, instant, line, lines } from '../platform/text.ts'
import { isSlugShaped } from '../tenants/slugs.ts'
import { phoneNumber } from '../users/users.ts'
import { HostLimits } from './hosts.ts'
import {
  type Assignment,
  assignment,
  type LocationKind,
  limitsScope,
  locationKind,
  rescheduleHost,
  schedulingLimits,
  timeZoneName,
} from './scheduling.ts'
import type { BookingWindow } from './slots.ts'
import { dayOf } from './time-zones.ts'

const limits = schedulingLimits

/** Whole minutes within bounds, with a sentence that names them. */
function minutes(least: number, most: number) {
  const range = says('minutesBetween', { from: least, to: most })
  return z.number().int().min(least, range).max(most, range)
}

function count(least: number, most: number) {
  const range = says('between', { from: least, to: most })
  return z.number().int().min(least, range).max(most, range)
}

/** Adds an issue at the second and every further place of a value. */
function onlyOnce<Value extends string | number>() {
  return (values: readonly Value[], context: z.RefinementCtx<readonly Value[]>) => {
    for (const [index, value] of values.entries())
      if (values.indexOf(value) < index)
        context.addIssue({
          code: 'custom',
          path: [index],
          message: issueText('namedTwice', { value }),
        })
  }
}

const date = calendarDate()

/**
 * Which starts may be booked: today and so many days more, the days from one to another, or any. In
 * the zone of the schedule.
 */
export const BookingWindowSetting = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('rolling'), days: count(0, limits.rollingDays.most) }),
  z
    .strictObject({ kind: z.literal('fixed'), from: date, to: date })
    .refine(({ from, to }) => from <= to, {
      path: ['to'],
      ...says('lastDayBeforeFirst'),
    }),
  z.strictObject({ kind: z.literal('open') }),
])
export type BookingWindowSetting = z.infer<typeof BookingWindowSetting>

export const formFieldKinds = ['text', 'long_text', 'choice', 'phone', 'checkbox'] as const
export const formFieldKind = z.enum(formFieldKinds)
export type FormFieldKind = z.infer<typeof formFieldKind>

/** The maximum number of characters in an answer of each kind. */
export const answerCharacters: Readonly<Record<FormFieldKind, number>> = {
  text: 200,
  long_text: 2_000,
  choice: 100,
  phone: 32,
  checkbox: 5,
}

/**
 * A question of the booking form. Answers are stored under `key`, which is never shown; `options`
 * are of a `choice`.
 */
export const FormField = z
  .strictObject({
    key: z.string().regex(/^[a-z][a-z0-9_]{0,39}$/, says('questionKey')),
    label: line(200),
    kind: formFieldKind,
    required: z.boolean().default(false),
    options: z.array(line(answerCharacters.choice)).max(50).superRefine(onlyOnce()).optional(),
  })
  .superRefine(({ kind, options }, context) => {
    if (kind === 'choice' && (options ?? []).length < 2)
      context.addIssue({ code: 'custom', path: ['options'], message: issueText('twoChoices') })
    if (kind !== 'choice' && options !== undefined)
      context.addIssue({ code: 'custom', path: ['options'], message: issueText('optionsOfChoice') })
  })
export type FormField = z.infer<typeof FormField>

const formFields = z
  .array(FormField)
  .max(limits.formFields)
  .superRefine((fields, context) => {
    for (const [index, { key }] of fields.entries())
      if (fields.findIndex((field) => field.key === key) < index)
        context.addIssue({
          code: 'custom',
          path: [index, 'key'],
          message: issueText('namedTwice', { value: key }),
        })
  })

const durations = z
  .array(minutes(limits.durationMinutes.least, limits.durationMinutes.most))
  .min(1)
  .max(limits.durations)
  .superRefine(onlyOnce())
  .meta({ openapi: { uniqueItems: true } })

/** Four weeks: a reminder before that is forgotten again. */
const earliestReminder = 40_320

const reminders = z
  .array(minutes(5, earliestReminder))
  .max(limits.reminders)
  .superRefine(onlyOnce())
  .meta({ openapi: { uniqueItems: true } })

const hostId = z.uuid()
const hostIds = z
  .array(hostId)
  .max(limits.hostsPerEventType)
  .superRefine(onlyOnce())
  .meta({ openapi: { uniqueItems: true } })

const eventSlug = z
  .string()
  .max(63)
  .refine(isSlugShaped, says('slug'))
  .meta({ openapi: { minLength: 2, pattern: '^[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$' } })

/** What decides which times are offered. */
const timing = {
  /** Null: the standard schedule of the host. */
  scheduleId: z.uuid().nullable(),
  /** The first one is what a visitor gets who chooses none. */
  durations,
  /** From one start to the next; null: the duration. */
  stepMinutes: minutes(limits.stepMinutes.least, limits.stepMinutes.most).nullable(),
  noticeMinutes: minutes(0, limits.noticeMinutes.most),
  beforeMinutes: minutes(0, limits.bufferMinutes),
  afterMinutes: minutes(0, limits.bufferMinutes),
  bookingWindow: BookingWindowSetting,
  limits: HostLimits,
  /** For a round robin; elsewhere there is one host, or all take part. */
  limitsScope,
  /** Above 1 several visitors share one start. */
  seats: count(1, limits.seats),
  assignment,
  /** All hosts who take part; the own host is one of them. */
  hostIds,
}

const settings = {
  ...timing,
  title: line(100),
  eventSlug,
  description: lines(2_000).nullable(),
  locationKind,
  location: line(500).nullable(),
  requiresConfirmation: z.boolean(),
  /** How long the host has to confirm. */
  approvalHours: count(1, limits.approvalHours.most),
  /** Upcoming bookings of one address with a host; null for any number. */
  bookingsPerVisitor: count(1, limits.bookingsPerVisitor.most).nullable(),
  cancelCutoffMinutes: minutes(0, limits.noticeMinutes.most),
  rescheduleCutoffMinutes: minutes(0, limits.noticeMinutes.most),
  /** For a round robin; elsewhere the hosts of a booking stay. */
  rescheduleHost,
  fields: formFields,
  /** Minutes before the start. */
  reminders,
  active: z.boolean(),
  /** Unlisted ones are reached by their link alone. */
  listed: z.boolean(),
}
const Settings = z.strictObject(settings)
export type EventTypeSettings = z.output<typeof Settings>

/** What an event type has whose maker says nothing more than title, duration and place. */
export const eventTypeDefaults = {
  scheduleId: null,
  stepMinutes: null,
  noticeMinutes: limits.noticeMinutes.standard,
  beforeMinutes: 0,
  afterMinutes: 0,
  bookingWindow: { kind: 'rolling', days: limits.rollingDays.standard },
  limits: { day: null, week: null, month: null },
  limitsScope: 'host',
  bookingsPerVisitor: limits.bookingsPerVisitor.standard,
  seats: 1,
  assignment: 'host',
  description: null,
  location: null,
  requiresConfirmation: false,
  approvalHours: limits.approvalHours.standard,
  cancelCutoffMinutes: 0,
  rescheduleCutoffMinutes: 0,
  rescheduleHost: 'same',
  fields: [],
  reminders: [1_440],
  active: true,
  listed: true,
} satisfies Partial<EventTypeSettings>

const { eventSlug: _, ...viewOf } = settings

/** What an event type looks like to those who manage it. */
export const EventTypeView = z.object({
  id: z.uuid(),
  hostId: z.uuid(),
  slug: z.string(),
  ...viewOf,
  durations: z.array(z.number().int()),
  bookingWindow: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('rolling'), days: z.number().int() }),
    z.object({ kind: z.literal('fixed'), from: z.string(), to: z.string() }),
    z.object({ kind: z.literal('open') }),
  ]),
  limits: z.object({
    day: z.number().int().nullable(),
    week: z.number().int().nullable(),
    month: z.number().int().nullable(),
  }),
  hostIds: z.array(z.uuid()),
  title: z.string(),
  description: z.string().nullable(),
  location: z.string().nullable(),
  fields: z.array(
    z.object({
      key: z.string(),
      label: z.string(),
      kind: formFieldKind,
      required: z.boolean(),
      options: z.array(z.string()).optional(),
    }),
  ),
  reminders: z.array(z.number().int()),
  /** Where visitors book it; null while this installation has no booking pages. */
  publicUrl: z.string().nullable(),
  version: z.number().int(),
  createdAt: instant,
  updatedAt: instant,
})
export type EventTypeView = z.infer<typeof EventTypeView>

export const EventTypePage = page(EventTypeView)
export type EventTypePage = z.infer<typeof EventTypePage>

const slug = z.string().max(200)

export const ListEventTypes = z.strictObject({
  slug,
  hostId: hostId.optional(),
  cursor: cursor.optional(),
  limit: pageLimit,
})
export type ListEventTypes = z.infer<typeof ListEventTypes>

export const EventTypeInTenant = z.strictObject({ slug, eventTypeId: z.uuid() })
export type EventTypeInTenant = z.infer<typeof EventTypeInTenant>

function withIssues<Value extends SettingsInQuestion>(
  value: Value,
  context: z.RefinementCtx<Value>,
): void {
  for (const { path, message } of settingIssues(value))
    context.addIssue({ code: 'custom', path: path.split('.'), message })
}

/**
 * Without `eventSlug` one is made from the title. What is left out is as `eventTypeDefaults`;
 * `hostIds` then the own host alone.
 */
export const CreateEventType = z
  .strictObject({
    slug,
    hostId,
    title: settings.title,
    eventSlug: eventSlug.optional(),
    durations,
    locationKind,
    scheduleId: timing.scheduleId.default(null),
    stepMinutes: timing.stepMinutes.default(null),
    noticeMinutes: timing.noticeMinutes.default(eventTypeDefaults.noticeMinutes),
    beforeMinutes: timing.beforeMinutes.default(0),
    afterMinutes: timing.afterMinutes.default(0),
    bookingWindow: timing.bookingWindow.default({
      kind: 'rolling',
      days: limits.rollingDays.standard,
    }),
    limits: timing.limits.default(eventTypeDefaults.limits),
    limitsScope: timing.limitsScope.default('host'),
    bookingsPerVisitor: settings.bookingsPerVisitor.default(eventTypeDefaults.bookingsPerVisitor),
    seats: timing.seats.default(1),
    assignment: timing.assignment.default('host'),
    hostIds: hostIds.optional(),
    description: settings.description.default(null),
    location: settings.location.default(null),
    requiresConfirmation: z.boolean().default(false),
    approvalHours: settings.approvalHours.default(eventTypeDefaults.approvalHours),
    cancelCutoffMinutes: settings.cancelCutoffMinutes.default(0),
    rescheduleCutoffMinutes: settings.rescheduleCutoffMinutes.default(0),
    rescheduleHost: settings.rescheduleHost.default('same'),
    fields: settings.fields.default([]),
    reminders: settings.reminders.default([1_440]),
    active: z.boolean().default(true),
    listed: z.boolean().default(true),
  })
  .superRefine(withIssues)
export type CreateEventType = z.infer<typeof CreateEventType>

/** What is absent stays. `version` is the one that was read. */
export const UpdateEventType = z
  .strictObject({
    slug,
    eventTypeId: z.uuid(),
    version: z.number().int().min(1),
    ...Settings.partial().shape,
  })
  .refine(
    ({ slug: _, eventTypeId: __, version: ___, ...fields }) =>
      Object.values(fields).some((value) => value !== undefined),
    says('nothingToChange'),
  )
  .meta({ openapi: { minProperties: 1 } })
export type UpdateEventType = z.infer<typeof UpdateEventType>

/** A flag that comes as text in a query. */
const flag = z.preprocess(
  (value) => (value === 'true' ? true : value === 'false' ? false : value),
  z.boolean(),
)

/**
 * Bookings that are still to come keep an event type from being removed, unless they are to be
 * kept.
 */
export const RemoveEventType = z.strictObject({
  slug,
  eventTypeId: z.uuid(),
  keepBookings: flag.default(false),
})
export type RemoveEventType = z.infer<typeof RemoveEventType>

/** Days that a preview shows. */
const previewDays = { most: 31, standard: 7 }

/**
 * Settings that are not saved yet. `eventTypeId` names the saved event type that they are of, whose
 * bookings count for its limits and seats. `timeZone` is a visitor's; without it days are those of
 * the schedule.
 */
export const PreviewEventType = z
  .strictObject({
    slug,
    hostId,
    eventTypeId: z.uuid().optional(),
    ...timing,
    limitsScope: timing.limitsScope.default('host'),
    hostIds: hostIds.optional(),
    /** One of `durations`; the first one when absent. */
    minutes: z.number().int().optional(),
    timeZone: timeZoneName.optional(),
    /** The first date shown; today when absent. */
    from: date.optional(),
    days: count(1, previewDays.most).default(previewDays.standard),
  })
  .superRefine((input, context) => {
    withIssues(input, context)
    if (input.minutes !== undefined && !input.durations.includes(input.minutes))
      context.addIssue({
        code: 'custom',
        path: ['minutes'],
        message: issueText('notADuration'),
      })
  })
export type PreviewEventType = z.infer<typeof PreviewEventType>

/**
 * `calendarRead` false: the calendar could not be asked, so nothing is offered; `reason` says why,
 * to the host.
 */
export const EventTypePreview = z.object({
  timeZone: z.string(),
  minutes: z.number().int(),
  calendarRead: z.boolean(),
  reason: z.string().nullable(),
  /** Every date asked for, also those without slots. */
  days: z.array(
    z.object({
      date: z.string(),
      slots: z.array(z.object({ start: instant, end: instant, seatsLeft: z.number().int() })),
    }),
  ),
})
export type EventTypePreview = z.infer<typeof EventTypePreview>

interface SettingsInQuestion {
  hostId: string
  assignment: Assignment
  hostIds?: readonly string[] | undefined
  seats: number
  locationKind?: LocationKind
  location?: string | null
  fields?: readonly FormField[]
}

/** Conflicts between settings, each at the field to change. Empty when there are none. */
export function settingIssues(settings: SettingsInQuestion): Issue[] {
  const place =
    settings.locationKind === undefined
      ? []
      : locationIssues(settings.locationKind, settings.location ?? null)
  return [...hostIssues(settings), ...place, ...numberIssues(settings)]
}

function hostIssues({
  assignment: kind,
  hostIds: ids,
  hostId: own,
  seats,
}: SettingsInQuestion): Issue[] {
  const issues: Issue[] = []
  const others = (ids ?? []).filter((id) => id !== own)
  if (kind === 'host' && others.length > 0)
    issues.push({
      path: 'hostIds',
      message: issueText('otherHosts'),
    })
  if (kind !== 'host' && others.length === 0)
    issues.push({ path: 'hostIds', message: issueText('twoHosts') })
  if (kind !== 'host' && others.length > 0 && !ids?.includes(own))
    issues.push({ path: 'hostIds', message: issueText('hostMissing') })
  if (kind !== 'host' && seats > 1)
    issues.push({
      path: 'seats',
      message: issueText('seatsOfOneHost'),
    })
  return issues
}

function locationIssues(kind: LocationKind, location: string | null): Issue[] {
  const issue = (message: string) => [{ path: 'location', message }]
  if (kind === 'visitor_phone')
    return location === null ? [] : issue(issueText('visitorGivesNumber'))
  if (kind === 'in_person') return location === null ? issue(issueText('meetingPlace')) : []
  if (kind === 'phone')
    return location !== null && phoneNumber.safeParse(location).success
      ? []
      : issue(issueText('phoneToCall'))
  return location !== null && isHttpsAddress(location) ? [] : issue(issueText('videoAddress'))
}

function isHttpsAddress(text: string): boolean {
  const parsed = URL.parse(text)
  return (
    parsed !== null &&
    parsed.protocol === 'https:' &&
    parsed.username === '' &&
    parsed.password === '' &&
    parsed.hostname !== ''
  )
}

/** The host calls the visitor, and so needs the number. */
function numberIssues({ locationKind: kind, fields }: SettingsInQuestion): Issue[] {
  if (kind !== 'visitor_phone' || fields?.some((field) => field.kind === 'phone' && field.required))
    return []
  return [{ path: 'fields', message: issueText('phoneQuestion') }]
}

/** A stored booking window as `findSlots` reads it. */
export function toBookingWindow(stored: BookingWindowSetting): BookingWindow {
  return stored.kind === 'fixed'
    ? { kind: 'fixed', from: dayOf(stored.from), to: dayOf(stored.to) }
    : stored
}
