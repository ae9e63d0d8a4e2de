import type { ManagedBooking } from '@atrium/core/scheduling/bookings'
import { schedulingLimits } from '@atrium/core/scheduling/scheduling'
import type { SlotView } from '@atrium/core/scheduling/slot-availability'
import { html } from 'hono/html'
import { durationText, type Formats, placeOfZone } from '../formats.ts'
import { areaField } from './form-fields.ts'
import type { Html, Page } from './layout.ts'
import { placeKind } from './listing-pages.ts'
import { notice } from './message-page.ts'
import { lang, otherTimes } from './picker-view.ts'

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
  const title = headline(view.managed, done)
  return managePage(
    view,
    `${title}: ${booking.title}`,
    html`${done ? notice('done', title, doneText(view, done)) : html`<p class="status ${booking.status}">${statusLabel(booking.status)}</p>`}
<h1>${booking.title}</h1>
${rejection ? notice('alert', rejection.title, rejection.text) : ''}
${done ? '' : statusText(view)}
${waitingGuests(view, proof)}
${facts(view)}
${actions(view)}`,
    title,
  )
}

function headline({ booking }: ManagedBooking, done: Done | undefined): string {
  if (done === 'booked')
    return booking.status === 'pending' ? 'Your request was sent' : 'You are booked'
  if (done === 'moved') return 'Your booking was moved'
  if (done === 'cancelled') return 'Your booking was cancelled'
  if (done === 'invited') return 'Your guests are invited'
  return 'Your booking'
}

function doneText({ managed: { booking }, formats }: ManageView, done: Done): Html {
  if (done === 'invited')
    return booking.status === 'pending'
      ? html`They get an invitation as soon as ${booking.host.name} confirms.`
      : html`Each of them gets an e-mail with the entry for the calendar.`
  const mail = html`An e-mail to <strong>${booking.attendee.email}</strong>`
  // A request that nobody confirmed was in no calendar: its sequence never rises.
  if (done === 'cancelled')
    return html`The time is free again. ${mail} says so${booking.sequence > 0 ? ', and takes the meeting out of your calendar' : ''}.`
  if (booking.status === 'pending')
    return html`${booking.host.name} answers${deadline(booking.approvalExpiresAt, booking.attendee.timeZone, formats)}; the time is kept for you until then. ${mail} is on its way.`
  return html`${mail} is on its way, with the entry for your calendar and the link to this page.`
}

/**
 * Guests get no mail before the visitor has shown to read the mail of the own address: the proof
 * stands there alone.
 */
function waitingGuests(
  { path, managed: { booking } }: ManageView,
  proof: string | undefined,
): Html | '' {
  const live = booking.status === 'pending' || booking.status === 'confirmed'
  if (booking.guestsInvited || booking.guests.length === 0 || !live) return ''
  const who = booking.guests.length === 1 ? 'Your guest is' : 'Your guests are'
  if (proof === undefined)
    return html`<div class="notice"><p><strong>${who} not invited yet.</strong></p><p>Open the link in the e-mail to <strong>${booking.attendee.email}</strong> and invite them there. This keeps others from sending mail in your name.</p></div>`
  return html`<form method="post" action="${path}/guests" class="notice" data-once><p><strong>${who} not invited yet.</strong></p>
<p>${booking.guests.join(', ')}</p><input type="hidden" name="proof" value="${proof}">
<p class="buttons"><button class="button" data-busy="Inviting…">${booking.guests.length === 1 ? 'Invite your guest' : 'Invite your guests'}</button></p></form>`
}

function deadline(instant: string | null, zone: string, formats: Formats): Html | '' {
  return instant === null
    ? ''
    : html` until <span${lang(formats)}>${formats.moment(instant, zone)}</span>`
}

function statusLabel(status: ManagedBooking['booking']['status']): string {
  return {
    pending: 'Waiting for confirmation',
    confirmed: 'Confirmed',
    cancelled: 'Cancelled',
    declined: 'Declined',
    expired: 'Not confirmed in time',
  }[status]
}

function statusText({ managed: { booking }, formats }: ManageView): Html {
  const reason =
    booking.reason === null ? '' : html`<blockquote class="text">${booking.reason}</blockquote>`
  switch (booking.status) {
    case 'confirmed':
      return html``
    case 'pending':
      return html`<p>${booking.host.name} answers${deadline(booking.approvalExpiresAt, booking.attendee.timeZone, formats)}. The time is kept for you until then.</p>`
    case 'cancelled':
      return html`<p>${booking.endedBy === 'visitor' ? 'You' : booking.host.name} cancelled this booking.</p>${reason}`
    case 'declined':
      return html`<p>${booking.host.name} could not take this booking.</p>${reason}`
    case 'expired':
      return html`<p>${booking.host.name} did not answer in time, so the booking was let go.</p>`
  }
}

export function facts({ managed: { booking }, formats }: ManageView): Html {
  const zone = booking.attendee.timeZone
  const over = booking.status !== 'pending' && booking.status !== 'confirmed'
  const minutes = (Date.parse(booking.end) - Date.parse(booking.start)) / 60_000
  const rows: [string, Html | string][] = [
    ['When', when(booking.start, booking.end, zone, formats, over)],
    ['Length', durationText(minutes)],
    [
      'With',
      html`${booking.host.name}${booking.host.title ? html`<br><span class="dim">${booking.host.title}</span>` : ''}`,
    ],
    ['Where', place(booking.location)],
    [
      'Booked for',
      html`${booking.attendee.name}<br><span class="dim">${booking.attendee.email}</span>`,
    ],
    ...(booking.guests.length > 0
      ? [['Guests', booking.guests.join(', ')] satisfies [string, string]]
      : []),
    ...booking.answers.map(({ label, value }): [string, Html] => [
      label,
      html`<span class="text">${value === 'true' ? 'Yes' : value === 'false' ? 'No' : value}</span>`,
    ]),
    ...(booking.note !== null
      ? [['Note', html`<span class="text">${booking.note}</span>`] satisfies [string, Html]]
      : []),
  ]
  return html`<dl>${rows.map(([term, text]) => html`<dt>${term}</dt><dd>${text}</dd>`)}</dl>`
}

export function when(
  start: string,
  end: string,
  zone: string,
  formats: Formats,
  over = false,
): Html {
  const text = html`<time datetime="${start}"${lang(formats)}>${formats.span(start, end, zone)}</time>`
  return html`<strong>${over ? html`<s>${text}</s>` : text}</strong><br><span class="dim">${placeOfZone(zone)} time (${formats.offset(start, zone)})</span>`
}

function place({ kind, text }: ManagedBooking['booking']['location']): Html | string {
  if (text === null) return placeKind(kind)
  if (kind === 'video' && /^https:\/\//i.test(text))
    return html`${placeKind(kind)}: <a href="${text}" rel="noopener noreferrer" target="_blank">${text}</a>`
  return html`${placeKind(kind)}: ${text}`
}

function actions({ path, managed }: ManageView): Html {
  const { booking, allowedActions, tenant, eventType } = managed
  const [move, cancel] = [allowedActions.includes('reschedule'), allowedActions.includes('cancel')]
  const live = booking.status === 'pending' || booking.status === 'confirmed'
  return html`<p class="buttons no-print">
${booking.status === 'confirmed' ? html`<a class="button quiet" href="${path}/calendar.ics" download>Add to calendar</a>` : ''}
${move ? html`<a class="button quiet" href="${path}/move">Move it</a>` : ''}
${cancel ? html`<a class="button quiet" href="${path}/cancel">Cancel it</a>` : ''}
${live || !eventType.offered ? '' : html`<a class="button" href="/${tenant.slug}/${eventType.hostSlug}/${eventType.slug}">Book another time</a>`}</p>
${live && !move && !cancel ? html`<p class="hint">It is too late to move or cancel this booking here. Write to ${booking.host.name} if something comes up.</p>` : ''}
${live && (move || cancel) ? html`<p class="hint no-print">Keep the link to this page to yourself: who has it can change the booking.</p>` : ''}`
}

/** Asks before anything is cancelled: opening a link changes nothing. */
export function cancelPage(
  view: ManageView,
  rejection: { title: string; text?: string } | undefined,
  typed: { reason: string; error?: string | undefined },
): Page {
  const { booking } = view.managed
  return managePage(
    view,
    `Cancel ${booking.title}`,
    html`${rejection ? notice('alert', rejection.title, rejection.text) : ''}
<h1>Cancel this booking?</h1>${facts(view)}
<form method="post" action="${view.path}/cancel" class="fields" data-once>
${areaField(
  {
    name: 'reason',
    label: 'Reason',
    value: typed.reason,
    error: typed.error,
    hint: `${booking.host.name} reads it.`,
  },
  { rows: 3, most: schedulingLimits.reasonCharacters },
)}
<p class="buttons"><button class="button danger" data-busy="Cancelling…">Cancel the booking</button> <a href="${view.path}">Keep it</a></p></form>`,
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
export function hostNote({ managed: { booking, eventType } }: ManageView): Html | '' {
  if (!eventType.hostMayChange) return ''
  return html`<p class="hint">You keep ${booking.host.name} as your host if ${booking.host.name} is free at the new time. Otherwise a colleague takes the meeting.</p>`
}

/** The old and the new time side by side, before anything changes. */
export function confirmMovePage(view: ManageView, move: Move, rejection?: RejectedMove): Page {
  const { booking } = view.managed
  const { formats } = view
  const end = Temporal.Instant.from(move.start).add({ minutes: move.duration }).toString()
  const gone = rejection?.others
  return managePage(
    view,
    `Move ${booking.title}`,
    html`${rejection ? notice('alert', rejection.title, rejection.text) : ''}
<h1>Move this booking?</h1>${hostNote(view)}
<dl><dt>Until now</dt><dd>${when(booking.start, booking.end, move.zone, formats, true)}</dd>${gone ? '' : html`<dt>From now on</dt><dd>${when(move.start, end, move.zone, formats)}</dd>`}</dl>
<form method="post" action="${view.path}/move" class="fields" data-once>
<input type="hidden" name="start" value="${move.start}"><input type="hidden" name="duration" value="${move.duration}"><input type="hidden" name="zone" value="${move.zone}">
${gone ? otherTimes(gone, { formats, zone: move.zone, allDays: `${view.path}/move` }) : ''}
${areaField(
  {
    name: 'reason',
    label: 'Reason',
    value: move.reason,
    error: undefined,
    hint: `${booking.host.name} reads it.`,
  },
  { rows: 2, most: schedulingLimits.reasonCharacters },
)}
${gone ? '' : html`<p class="buttons"><button class="button" data-busy="Moving…">Move the booking</button> <a href="${view.path}/move">Choose another time</a></p>`}</form>`,
  )
}
