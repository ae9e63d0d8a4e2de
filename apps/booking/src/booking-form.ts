import type { PageFormField, PublicEventTypePage } from '@atrium/core/scheduling/booking-pages'
import type { CreateBooking } from '@atrium/core/scheduling/bookings'
import { isTimeZone } from '@atrium/core/scheduling/time-zones'

/**
 * What a visitor typed, as it came, so that a rejected form can be shown again with everything in
 * it.
 */
export interface Typed {
  name: string
  email: string
  guests: string
  note: string
  /** By the keys of the event type's own fields. */
  answers: Record<string, string>
}

/** A sent form. */
export interface SentForm {
  typed: Typed
  start: string
  duration: number
  zone: string
  lockToken: string | undefined
  /** Until when the time was held when the form was made, as the form says it. */
  heldUntil: string | undefined
  idempotencyKey: string
  seal: string
  /** A field that people do not see. */
  trap: string
  /** Another time, chosen from those that were offered instead of one that was gone. */
  otherStart: string | undefined
}

export const nothingTyped: Typed = { name: '', email: '', guests: '', note: '', answers: {} }

/** The name of a field's control. */
export function fieldName({ key }: Pick<PageFormField, 'key'>): string {
  return `answer-${key}`
}

/** Reads a sent form. What is missing counts as empty; the API judges what is in it. */
export function readForm(form: URLSearchParams, { eventType }: PublicEventTypePage): SentForm {
  const text = (name: string) => form.get(name) ?? ''
  const filled = (name: string) => text(name) || undefined
  const duration = eventType.durations.find((minutes) => String(minutes) === text('duration'))
  const zone = text('zone')
  return {
    typed: {
      name: text('name'),
      email: text('email'),
      guests: text('guests'),
      note: text('note'),
      answers: Object.fromEntries(
        eventType.fields.map((field) => [field.key, text(fieldName(field))]),
      ),
    },
    start: text('start'),
    duration: duration ?? eventType.durations[0] ?? 30,
    zone: isTimeZone(zone) ? zone : eventType.timeZone,
    lockToken: filled('lock'),
    heldUntil: filled('until'),
    idempotencyKey: text('key'),
    seal: text('seal'),
    trap: text('homepage'),
    otherStart: filled('choose'),
  }
}

/** The booking that a form asks for. */
export function toBooking(
  { typed, start, duration, zone, lockToken }: SentForm,
  { eventType }: PublicEventTypePage,
  locale: string,
) {
  const guests = typed.guests.split(/[\s,;]+/).filter((address) => address !== '')
  const answers = Object.fromEntries(
    Object.entries(typed.answers).filter(([, value]) => value.trim() !== ''),
  )
  return {
    eventTypeId: eventType.id,
    start,
    duration,
    attendee: { name: typed.name, email: typed.email, timeZone: zone, locale },
    guests,
    answers,
    ...(typed.note.trim() !== '' && { note: typed.note }),
    ...(lockToken !== undefined && { lockToken }),
  } satisfies CreateBooking
}

/**
 * The control that an issue of the API is about; undefined for what no control of the form can
 * mend.
 */
export function controlOf(path: string): string | undefined {
  const [first, second] = path.split('.')
  if (first === 'attendee') return second === 'name' || second === 'email' ? second : undefined
  if (first === 'answers' && second) return fieldName({ key: second })
  return first === 'guests' || first === 'note' ? first : undefined
}
