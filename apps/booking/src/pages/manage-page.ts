import type { ManagedBooking } from '@atrium/core/scheduling/bookings'
import { schedulingLimits } from '@atrium/core/scheduling/scheduling'
import type { SlotView } from '@atrium/core/scheduling/slot-availability'
import { html } from 'hono/html'
import { type Formats, placeOfZone } from '../formats.ts'
import { areaField } from './form-fields.ts'
import type { Html, Page } from './layout.ts'
import { placeText } from './listing-pages.ts'
import { notice } from './message-page.ts'
import { otherTimes } from './picker-view.ts'

/** What was just done, and is now seen in the booking itself. */
export type Done = 'booked' | 'moved' | 'cancelled' | 'invited'

export interface ManageView {
  /** `/manage/<token>` */
  path: string
  managed: ManagedBooking
  formats: Formats
  embedOrigins: readonly string[]
}

export function managePage(view: ManageView, title: string, body: Html, announce = title): Page {
  const { tenant } = view.managed
  return {
    title,
    frame: tenant,
    announce,
    embedOrigins: view.embedOrigins,
    body: html`<div class="panel narrow">${body}</div>`,
  }
}

/** The booking with everything that can be done about it. */
export function bookingPage(
  view: ManageView,
  done: Done | undefined,
  {
    proof,
    rejection,
  }: { proof?: string | undefined; rejection?: { title: string; text?: string } } = {},
): Page {
  const { booking } = view.managed
  const { text } = view.formats
  const title = headline(view, done)
  return managePage(
    view,
    text('manage.titleOf', { title, event: booking.title }),
    html`${done ? notice('done', title, doneText(view, done)) : html`<p class="status ${booking.status}">${text(`manage.statuses.${booking.status}`)}</p>`}
<h1>${booking.title}</h1>
${rejection ? notice('alert', rejection.title, rejection.text) : ''}
${done ? '' : statusText(view)}
${waitingGuests(view, proof)}
${facts(view)}
${actions(view)}`,
    title,
  )
}

function headline({ managed: { booking }, formats }: ManageView, done: Done | undefined): string {
  const requested = done === 'booked' && booking.status === 'pending'
  return formats.text(`manage.headlines.${requested ? 'requested' : (done ?? 'none')}`)
}

const strong = (chunks: unknown) => html`<strong>${chunks}</strong>`

function doneText(view: ManageView, done: Done): Html {
  const { booking } = view.managed
  const { text } = view.formats
  const mail = { email: booking.attendee.email, strong }
  if (done === 'invited')
    return booking.status === 'pending'
      ? html`${text('manage.done.invitedLater', { host: booking.host.name })}`
      : html`${text('manage.done.invited')}`
  // An unconfirmed request was in no calendar: its sequence never rises.
  if (done === 'cancelled')
    return html`${text.rich(booking.sequence > 0 ? 'manage.done.cancelledInCalendar' : 'manage.done.cancelled', mail)}`
  if (booking.status === 'pending')
    return html`${enteredText(view)} ${text.rich('manage.done.mailSent', mail)}`
  return html`${text.rich('manage.done.booked', mail)}`
}

/**
 * Guests get no mail before the visitor has proved to read the mail of the given address: only that
 * mail has the proof.
 */
function waitingGuests(
  { path, managed: { booking }, formats: { text } }: ManageView,
  proof: string | undefined,
): Html | '' {
  const live = booking.status === 'pending' || booking.status === 'confirmed'
  if (booking.guestsInvited || booking.guests.length === 0 || !live) return ''
  const count = booking.guests.length
  const title = text('manage.guests.waiting', { count })
  if (proof === undefined)
    return html`<div class="notice"><p><strong>${title}</strong></p><p>${text.rich(
      'manage.guests.openMail',
      { email: booking.attendee.email, strong },
    )}</p></div>`
  return html`<form method="post" action="${path}/guests" class="notice" data-once><p><strong>${title}</strong></p>
<p>${booking.guests.join(', ')}</p><input type="hidden" name="proof" value="${proof}">
<p class="buttons"><button class="button" data-busy="${text('manage.guests.inviting')}">${text('manage.guests.invite', { count })}</button></p></form>`
}

/** The host's deadline for a decision on the request. */
function enteredText({ managed: { booking }, formats }: ManageView): string {
  const host = booking.host.name
  if (booking.approvalExpiresAt === null) return formats.text('manage.answers', { host })
  const moment = formats.moment(booking.approvalExpiresAt, booking.attendee.timeZone)
  return formats.text('manage.answersUntil', { host, moment })
}

function statusText(view: ManageView): Html {
  const { booking } = view.managed
  const { text } = view.formats
  const host = booking.host.name
  const reason =
    booking.reason === null ? '' : html`<blockquote class="text">${booking.reason}</blockquote>`
  switch (booking.status) {
    case 'confirmed':
      return html``
    case 'pending':
      return html`<p>${enteredText(view)}</p>`
    case 'cancelled': {
      const byYou = booking.endedBy === 'visitor'
      return html`<p>${byYou ? text('manage.cancelledByYou') : text('manage.cancelledBy', { host })}</p>${reason}`
    }
    case 'declined':
      return html`<p>${text('manage.declinedBy', { host })}</p>${reason}`
    case 'expired':
      return html`<p>${text('manage.expired', { host })}</p>`
  }
}

export function facts({ managed: { booking }, formats }: ManageView): Html {
  const { text } = formats
  const zone = booking.attendee.timeZone
  const over = booking.status !== 'pending' && booking.status !== 'confirmed'
  const minutes = (Date.parse(booking.end) - Date.parse(booking.start)) / 60_000
  const rows: [string, Html | string][] = [
    [text('manage.facts.when'), when(booking.start, booking.end, zone, formats, over)],
    [text('manage.facts.length'), formats.duration(minutes)],
    [
      text('manage.facts.with'),
      html`${booking.host.name}${booking.host.title ? html`<br><span class="dim">${booking.host.title}</span>` : ''}`,
    ],
    [text('manage.facts.where'), place(formats, booking.location)],
    [
      text('manage.facts.bookedFor'),
      html`${booking.attendee.name}<br><span class="dim">${booking.attendee.email}</span>`,
    ],
    ...(booking.guests.length > 0
      ? [[text('manage.facts.guests'), booking.guests.join(', ')] satisfies [string, string]]
      : []),
    ...booking.answers.map(({ label, value }): [string, Html] => [
      label,
      html`<span class="text">${enteredValue(formats, value)}</span>`,
    ]),
    ...(booking.note !== null
      ? [
          [text('manage.facts.note'), html`<span class="text">${booking.note}</span>`] satisfies [
            string,
            Html,
          ],
        ]
      : []),
  ]
  return html`<dl>${rows.map(([term, text]) => html`<dt>${term}</dt><dd>${text}</dd>`)}</dl>`
}

/** Checkboxes submit `true` or `false`. */
function enteredValue({ text }: Formats, value: string): string {
  if (value === 'true') return text('frame.yes')
  return value === 'false' ? text('frame.no') : value
}

export function when(
  start: string,
  end: string,
  zone: string,
  formats: Formats,
  over = false,
): Html {
  const text = html`<time datetime="${start}">${formats.span(start, end, zone)}</time>`
  return html`<strong>${over ? html`<s>${text}</s>` : text}</strong><br><span class="dim">${formats.text(
    'times.zone.time',
    {
      place: placeOfZone(zone),
      offset: formats.offset(start, zone),
    },
  )}</span>`
}

function place(formats: Formats, location: ManagedBooking['booking']['location']): Html | string {
  const { kind, text } = location
  if (kind !== 'video' || text === null || !/^https:\/\//i.test(text))
    return placeText(formats, location)
  return html`${placeText(formats, { kind, text: null })}: <a href="${text}" rel="noopener noreferrer" target="_blank">${text}</a>`
}

function actions({ path, managed, formats: { text } }: ManageView): Html {
  const { booking, allowedActions, tenant, eventType } = managed
  const [move, cancel] = [allowedActions.includes('reschedule'), allowedActions.includes('cancel')]
  const live = booking.status === 'pending' || booking.status === 'confirmed'
  return html`<p class="buttons no-print">
${booking.status === 'confirmed' ? html`<a class="button quiet" href="${path}/calendar.ics" download>${text('manage.actions.calendar')}</a>` : ''}
${move ? html`<a class="button quiet" href="${path}/move">${text('manage.actions.move')}</a>` : ''}
${cancel ? html`<a class="button quiet" href="${path}/cancel">${text('manage.actions.cancel')}</a>` : ''}
${live || !eventType.offered ? '' : html`<a class="button" href="/${tenant.slug}/${eventType.hostSlug}/${eventType.slug}">${text('manage.actions.bookAgain')}</a>`}</p>
${live && !move && !cancel ? html`<p class="hint">${text('manage.actions.tooLate', { host: booking.host.name })}</p>` : ''}
${live && (move || cancel) ? html`<p class="hint no-print">${text('manage.actions.keepSecret')}</p>` : ''}`
}

/** Asks before anything is cancelled: opening a link changes nothing. */
export function cancelPage(
  view: ManageView,
  rejection: { title: string; text?: string } | undefined,
  typed: { reason: string; error?: string | undefined },
): Page {
  const { booking } = view.managed
  const { text } = view.formats
  return managePage(
    view,
    text('manage.cancel.title', { event: booking.title }),
    html`${rejection ? notice('alert', rejection.title, rejection.text) : ''}
<h1>${text('manage.cancel.question')}</h1>${facts(view)}
<form method="post" action="${view.path}/cancel" class="fields" data-once>
${areaField(
  {
    text,
    name: 'reason',
    label: text('manage.reason'),
    value: typed.reason,
    error: typed.error,
    hint: text('manage.reasonHint', { host: booking.host.name }),
  },
  { rows: 3, most: schedulingLimits.reasonCharacters },
)}
<p class="buttons"><button class="button danger" data-busy="${text('manage.cancel.busy')}">${text('manage.cancel.submit')}</button> <a href="${view.path}">${text('manage.cancel.keep')}</a></p></form>`,
  )
}

export interface Move {
  start: string
  duration: number
  zone: string
  reason: string
}

export interface RejectedMove {
  title: string
  text?: string
  /** Times of the same day, where the chosen one is gone. */
  others?: readonly SlotView[]
}

/** Said before a move that can bring another host. */
export function hostNote({ managed: { booking, eventType }, formats }: ManageView): Html | '' {
  if (!eventType.hostMayChange) return ''
  return html`<p class="hint">${formats.text('manage.move.hostMayChange', { host: booking.host.name })}</p>`
}

/** The old and the new time side by side, before anything changes. */
export function confirmMovePage(view: ManageView, move: Move, rejection?: RejectedMove): Page {
  const { booking } = view.managed
  const { formats } = view
  const { text } = formats
  const end = Temporal.Instant.from(move.start).add({ minutes: move.duration }).toString()
  const gone = rejection?.others
  return managePage(
    view,
    text('manage.move.title', { event: booking.title }),
    html`${rejection ? notice('alert', rejection.title, rejection.text) : ''}
<h1>${text('manage.move.question')}</h1>${hostNote(view)}
<dl><dt>${text('manage.move.before')}</dt><dd>${when(booking.start, booking.end, move.zone, formats, true)}</dd>${gone ? '' : html`<dt>${text('manage.move.after')}</dt><dd>${when(move.start, end, move.zone, formats)}</dd>`}</dl>
<form method="post" action="${view.path}/move" class="fields" data-once>
<input type="hidden" name="start" value="${move.start}"><input type="hidden" name="duration" value="${move.duration}"><input type="hidden" name="zone" value="${move.zone}">
${gone ? otherTimes(gone, { formats, zone: move.zone, allDays: `${view.path}/move` }) : ''}
${areaField(
  {
    text,
    name: 'reason',
    label: text('manage.reason'),
    value: move.reason,
    error: undefined,
    hint: text('manage.reasonHint', { host: booking.host.name }),
  },
  { rows: 2, most: schedulingLimits.reasonCharacters },
)}
${gone ? '' : html`<p class="buttons"><button class="button" data-busy="${text('manage.move.busy')}">${text('manage.move.submit')}</button> <a href="${view.path}/move">${text('manage.move.another')}</a></p>`}</form>`,
  )
}
