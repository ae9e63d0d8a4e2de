import {
  CreateEventType,
  type EventTypeSettings,
  type EventTypeView,
  type FormField,
  PreviewEventType,
  type UpdateEventType,
} from '@atrium/core/scheduling/event-types'
import { zodForm } from '@atrium/ui/zod-form'

/** What a field for a number holds: empty text while nothing is in it. */
export type Typed = number | ''

/** A question as it is edited. Choices are typed one to a line. */
export interface QuestionValues {
  key: string
  label: string
  kind: FormField['kind']
  required: boolean
  options: string
}

type Plain = Pick<
  EventTypeSettings,
  | 'title'
  | 'eventSlug'
  | 'scheduleId'
  | 'assignment'
  | 'hostIds'
  | 'limitsScope'
  | 'rescheduleHost'
  | 'locationKind'
  | 'requiresConfirmation'
  | 'reminders'
  | 'active'
  | 'listed'
>

export interface EventTypeFormValues extends Plain {
  description: string
  location: string
  durations: Typed[]
  stepMinutes: Typed
  noticeMinutes: Typed
  beforeMinutes: Typed
  afterMinutes: Typed
  cancelCutoffMinutes: Typed
  rescheduleCutoffMinutes: Typed
  approvalHours: Typed
  seats: Typed
  /** Empty for any number. */
  bookingsPerVisitor: Typed
  windowKind: EventTypeSettings['bookingWindow']['kind']
  windowDays: Typed
  windowFrom: string
  windowTo: string
  limits: { day: Typed; week: Typed; month: Typed }
  fields: QuestionValues[]
}

export function fromEventType(view: EventTypeView): EventTypeFormValues {
  const {
    title,
    scheduleId,
    assignment,
    hostIds,
    locationKind,
    requiresConfirmation,
    reminders,
    active,
    listed,
  } = view
  const {
    durations,
    noticeMinutes,
    beforeMinutes,
    afterMinutes,
    cancelCutoffMinutes,
    rescheduleCutoffMinutes,
  } = view
  const { bookingWindow, limits } = view
  return {
    title,
    eventSlug: view.slug,
    scheduleId,
    assignment,
    hostIds,
    locationKind,
    requiresConfirmation,
    reminders,
    active,
    listed,
    durations,
    noticeMinutes,
    beforeMinutes,
    afterMinutes,
    cancelCutoffMinutes,
    rescheduleCutoffMinutes,
    description: view.description ?? '',
    location: view.location ?? '',
    stepMinutes: view.stepMinutes ?? '',
    approvalHours: view.approvalHours,
    seats: view.seats,
    limitsScope: view.limitsScope,
    rescheduleHost: view.rescheduleHost,
    bookingsPerVisitor: view.bookingsPerVisitor ?? '',
    windowKind: bookingWindow.kind,
    windowDays: bookingWindow.kind === 'rolling' ? bookingWindow.days : 60,
    windowFrom: bookingWindow.kind === 'fixed' ? bookingWindow.from : '',
    windowTo: bookingWindow.kind === 'fixed' ? bookingWindow.to : '',
    limits: { day: limits.day ?? '', week: limits.week ?? '', month: limits.month ?? '' },
    fields: view.fields.map(({ options = [], ...field }) => ({
      ...field,
      options: options.join('\n'),
    })),
  }
}

const orNull = <Value>(value: Value | '') => (value === '' ? null : value)

/** The settings of the form. Empty fields are passed on unchanged, for the validation to find. */
export function toSettings(values: EventTypeFormValues): Record<keyof EventTypeSettings, unknown> {
  const { windowKind, windowDays, windowFrom, windowTo, fields, limits, ...rest } = values
  return {
    ...rest,
    description: orNull(values.description.trim()),
    location: values.locationKind === 'visitor_phone' ? null : orNull(values.location.trim()),
    stepMinutes: orNull(values.stepMinutes),
    bookingsPerVisitor: orNull(values.bookingsPerVisitor),
    limits: { day: orNull(limits.day), week: orNull(limits.week), month: orNull(limits.month) },
    bookingWindow:
      windowKind === 'rolling'
        ? { kind: windowKind, days: windowDays }
        : windowKind === 'fixed'
          ? { kind: windowKind, from: windowFrom, to: windowTo }
          : { kind: windowKind },
    fields: fields.map(({ options, ...field }) => ({
      ...field,
      ...(field.kind === 'choice' ? { options: choices(options) } : {}),
    })),
  }
}

function choices(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

/** Paths of the API's rejections by the names of the form's fields. */
const renamed: Readonly<Record<string, string>> = {
  'bookingWindow.days': 'windowDays',
  'bookingWindow.from': 'windowFrom',
  'bookingWindow.to': 'windowTo',
}

/** Errors of the form's own fields; those inside a list of choices are shown at the list. */
export function atFields(errors: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(errors).map(([path, message]) => [
      renamed[path] ?? path.replace(/\.options\.\d+$/, '.options'),
      message,
    ]),
  )
}

/** Checks the form by the API's own rules. */
export function checkEventType(
  slug: string,
  hostId: string,
): (values: EventTypeFormValues) => Record<string, string> {
  const check = zodForm(CreateEventType)
  return (values) => atFields(check({ slug, hostId, ...toSettings(values) }))
}

/** What is to be sent: the settings that differ. Undefined when none does. */
export function changesOf(
  slug: string,
  view: EventTypeView,
  values: EventTypeFormValues,
): UpdateEventType | undefined {
  const [before, after] = [toSettings(fromEventType(view)), toSettings(values)]
  const changed = Object.entries(after).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(before[key as keyof typeof before]),
  )
  if (changed.length === 0) return undefined
  return {
    slug,
    eventTypeId: view.id,
    version: view.version,
    ...(Object.fromEntries(changed) as Partial<EventTypeSettings>),
  }
}

const timing = [
  ...[
    'scheduleId',
    'durations',
    'stepMinutes',
    'noticeMinutes',
    'beforeMinutes',
    'afterMinutes',
    'bookingWindow',
  ],
  ...['limits', 'limitsScope', 'seats', 'assignment', 'hostIds'],
]

/** The question for a preview; undefined while something is typed that could not be saved. */
export function toPreview(
  base: { slug: string; hostId: string; eventTypeId: string },
  values: EventTypeFormValues,
  shown: { timeZone: string; from: string; days: number; minutes: number | undefined },
): PreviewEventType | undefined {
  const settings = Object.fromEntries(
    Object.entries(toSettings(values)).filter(([key]) => timing.includes(key)),
  )
  const minutes =
    shown.minutes !== undefined && values.durations.includes(shown.minutes)
      ? { minutes: shown.minutes }
      : {}
  return PreviewEventType.safeParse({
    ...base,
    ...settings,
    ...shown,
    minutes: undefined,
    ...minutes,
  }).data
}

/** A key for a new question that no other has: `q1`, `q2`, … */
export function freeKey(fields: readonly Pick<QuestionValues, 'key'>[]): string {
  const taken = new Set(fields.map(({ key }) => key))
  for (let n = 1; ; n++) if (!taken.has(`q${n}`)) return `q${n}`
}
