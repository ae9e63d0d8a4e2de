import type { PageFormField, PublicEventTypePage } from '@atrium/core/scheduling/booking-pages'
import { schedulingLimits } from '@atrium/core/scheduling/scheduling'
import type { SlotView } from '@atrium/core/scheduling/slot-availability'
import { html } from 'hono/html'
import { fieldName, type SentForm, type Typed } from '../booking-form.ts'
import { type Formats, placeOfZone } from '../formats.ts'
import { areaField, checkField, choiceField, type Field, textField } from './form-fields.ts'
import type { Html } from './layout.ts'
import { notice } from './message-page.ts'
import { otherTimes } from './picker-view.ts'

export interface FormView {
  /** The page of the event type. */
  path: string
  page: PublicEventTypePage
  formats: Formats
  form: Omit<SentForm, 'trap' | 'otherStart' | 'heldUntil'>
  /** Until when the time is held for this visitor; undefined where it is not. */
  heldUntil: string | undefined
  /** What prevents the booking, and how to continue. */
  rejection: { title: string; text?: string } | undefined
  /** By the names of the controls. */
  errors: Readonly<Record<string, string>>
  /** Times of the same day, where the chosen one is gone. */
  others: readonly SlotView[] | undefined
}

/** The chosen time and what the visitor is asked. */
export function bookingFormView(view: FormView): Html {
  const { page, formats, form, path } = view
  const { text } = formats
  const gone = view.others !== undefined
  return html`<section class="details">
${view.rejection ? notice('alert', view.rejection.title, view.rejection.text) : ''}
${errorSummary(view)}
<form method="post" action="${path}/book" class="fields" data-once>
${hiddenFields(view)}
${view.others && otherTimes(view.others, { formats, zone: form.zone, allDays: changeAddress(view) })}
${gone ? '' : chosenTime(view)}
${textField(field(view, 'name', text('form.name'), form.typed.name, true), { type: 'text', autocomplete: 'name', most: 200 })}
${textField(field(view, 'email', text('form.email'), form.typed.email, true), { type: 'email', autocomplete: 'email', most: 254 })}
${page.eventType.fields.map((one) => ownField(view, one))}
${areaField({ ...field(view, 'guests', text('form.guests'), form.typed.guests), hint: text('form.guestsHint') }, { rows: 2, most: 3_000 })}
${areaField(field(view, 'note', text('form.noteFor', { host: page.host.name }), form.typed.note), { rows: 3, most: schedulingLimits.noteCharacters })}
<div class="trap" aria-hidden="true"><label for="homepage">${text('form.leaveEmpty')}</label><input id="homepage" name="homepage" tabindex="-1" autocomplete="off"></div>
<p class="hint">${cutoffs(formats, page)}</p>
${gone ? '' : html`<p class="buttons"><button class="button" data-busy="${text('form.booking')}">${text(page.eventType.requiresConfirmation ? 'form.ask' : 'form.book')}</button></p>`}
</form></section>`

  function chosenTime({ heldUntil }: FormView): Html {
    const end = Temporal.Instant.from(form.start).add({ minutes: form.duration }).toString()
    return html`<div class="chosen"><h2>${text('form.yourTime')}</h2><p><strong>${formats.span(form.start, end, form.zone)}</strong></p>
<p class="dim">${text('form.lengthInZone', {
      duration: formats.duration(form.duration),
      place: placeOfZone(form.zone),
      offset: formats.offset(form.start, form.zone),
    })}</p>
<p><a href="${changeAddress(view)}">${text('form.chooseAnother')}</a></p>
${heldUntil ? html`<p class="hint" data-held-until="${heldUntil}" data-over="${text('form.notHeld')}">${text('form.held', { time: formats.time(heldUntil, form.zone) })}</p>` : ''}</div>`
  }
}

function hiddenFields({ form, heldUntil }: FormView): Html {
  const { start, duration, zone, lockToken, idempotencyKey, seal } = form
  const values = {
    start,
    duration: String(duration),
    zone,
    lock: lockToken ?? '',
    until: heldUntil ?? '',
    key: idempotencyKey,
    seal,
  }
  return html`${Object.entries(values).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}`
}

function changeAddress({ path, page, form }: FormView): string {
  const date = Temporal.Instant.from(form.start)
    .toZonedDateTimeISO(form.zone)
    .toPlainDate()
    .toString()
  const query = new URLSearchParams({ zone: form.zone, date })
  if (form.duration !== page.eventType.durations[0]) query.set('duration', String(form.duration))
  if (form.lockToken !== undefined) query.set('lock', form.lockToken)
  return `${path}?${query}`
}

function field(
  { errors, formats }: FormView,
  name: keyof Typed,
  label: string,
  value: string,
  required = false,
): Field {
  return { text: formats.text, name, label, value, error: errors[name], required }
}

function ownField({ errors, form, formats }: FormView, one: PageFormField): Html {
  const name = fieldName(one)
  const field: Field = {
    text: formats.text,
    name,
    label: one.label,
    value: form.typed.answers[one.key] ?? '',
    error: errors[name],
    required: one.required,
  }
  switch (one.kind) {
    case 'text':
      return textField(field, { type: 'text', most: 200 })
    case 'phone':
      return textField(field, { type: 'tel', autocomplete: 'tel', most: 32 })
    case 'long_text':
      return areaField(field, { rows: 3, most: 2_000 })
    case 'choice':
      return choiceField(field, one.options ?? [])
    case 'checkbox':
      return checkField(field)
  }
}

function errorSummary(view: FormView): Html {
  const { text } = view.formats
  const entries = Object.entries(view.errors)
  if (entries.length === 0) return html``
  return html`<div class="notice alert" role="alert" tabindex="-1" autofocus><p><strong>${text('form.errors', { count: entries.length })}</strong></p><ul>${entries.map(
    ([name, message]) =>
      html`<li><a href="#${name}">${text('form.error', { label: labelOf(view, name), message })}</a></li>`,
  )}</ul></div>`
}

function labelOf({ page, formats: { text } }: FormView, name: string): string {
  const own = page.eventType.fields.find((one) => fieldName(one) === name)
  if (own) return own.label
  if (name === 'name' || name === 'email' || name === 'guests' || name === 'note')
    return text(`form.${name}`)
  return name
}

function cutoffs({ text, duration }: Formats, { eventType }: PublicEventTypePage): string {
  const { cancelCutoffMinutes: cancel, rescheduleCutoffMinutes: move } = eventType
  const kind = (minutes: number) => (minutes === 0 ? 'none' : 'before')
  if (cancel === move)
    return text('form.cutoff.same', { cutoff: kind(cancel), time: duration(cancel) })
  return text('form.cutoff.different', {
    moveCutoff: kind(move),
    moveTime: duration(move),
    cancelCutoff: kind(cancel),
    cancelTime: duration(cancel),
  })
}
