import type { ManagedBooking } from '@atrium/core/scheduling/bookings'
import { isTimeZone } from '@atrium/core/scheduling/time-zones'
import { type Context, Hono } from 'hono'
import { html } from 'hono/html'
import type { BookingApi } from '../api.ts'
import { dateIn } from '../days.ts'
import { renderPage } from '../pages/layout.ts'
import { linkPage, linkSentPage } from '../pages/link-page.ts'
import {
  bookingPage,
  cancelPage,
  confirmMovePage,
  type Done,
  hostNote,
  type ManageView,
  type Move,
  managePage,
} from '../pages/manage-page.ts'
import type { PickerView } from '../pages/picker-link.ts'
import { pickerView } from '../pages/picker-view.ts'
import type { BookingParts } from '../parts.ts'
import { askWhole, findAvailability, readChoice } from '../picker.ts'
import { attempt, fieldErrors, type Problem } from '../problems.ts'
import { invalidLinkPage, isGone, pageStatus, rejectionText, retryAfter } from '../rejections.ts'
import type { AppEnv } from '../request.ts'
import { isInstant, readFormBody } from './form-body.ts'
import { announcement, emptyAvailability, rejectedTimes } from './pages.ts'

type ManageContext = Context<AppEnv, '/manage/:token'>

interface Opened {
  token: string
  api: BookingApi
  view: ManageView
}

/**
 * What a manage link opens. Looking changes nothing, so that mail scanners and previews may look.
 */
export function manageRoutes(parts: BookingParts): Hono<AppEnv> {
  const app = new Hono<AppEnv>()
  const opened =
    (handle: (c: ManageContext, opened: Opened) => Promise<Response>) =>
    async (c: ManageContext) => {
      const token = c.req.param('token')
      if (!/^[\w-]{20,100}$/.test(token))
        return renderPage(c, parts, invalidLinkPage(c.get('formats')), 404)
      const api = parts.connect(c)
      const managed = await api.managed(token)
      const view = {
        path: `/manage/${token}`,
        managed,
        formats: c.get('formats'),
        embedOrigins: await framesOf(c, api, managed),
      }
      return handle(c, { token, api, view })
    }
  app.get('/manage/link/:booking{[0-9a-f-]{36}}', (c) =>
    renderPage(c, parts, linkPage(c.get('formats'), { email: '' })),
  )
  app.post('/manage/link/:booking{[0-9a-f-]{36}}', (c) => sendLink(c, parts))
  app.get(
    '/manage/:token',
    opened((c, { view }) =>
      renderPage(
        c,
        parts,
        bookingPage(view, doneOf(c, view.managed), { proof: readProof(c.req.query('proof')) }),
      ),
    ),
  )
  app.post(
    '/manage/:token/guests',
    opened((c, one) => inviteGuests(c, parts, one)),
  )
  app.get('/manage/:token/calendar.ics', opened(downloadCalendar))
  app.get(
    '/manage/:token/cancel',
    opened((c, { view }) =>
      may(view, 'cancel')
        ? renderPage(c, parts, cancelPage(view, undefined, { reason: '' }))
        : back(c, view),
    ),
  )
  app.post(
    '/manage/:token/cancel',
    opened((c, one) => cancel(c, parts, one)),
  )
  app.get(
    '/manage/:token/move',
    opened((c, one) => showTimes(c, parts, one)),
  )
  app.get(
    '/manage/:token/move/confirm',
    opened((c, one) => confirmMove(c, parts, one)),
  )
  app.post(
    '/manage/:token/move',
    opened((c, one) => move(c, parts, one)),
  )
  return app
}

/** Says the same whether the address is the booking's or not. */
async function sendLink(
  c: Context<AppEnv, '/manage/link/:booking'>,
  parts: BookingParts,
): Promise<Response> {
  const email = ((await readFormBody(c)).get('email') ?? '').trim()
  const done = await attempt(parts.connect(c).sendLink(c.req.param('booking'), email))
  if (done.ok) return renderPage(c, parts, linkSentPage(c.get('formats'), email))
  noteRejection(c, done.problem)
  const error = fieldErrors(done.problem).email
  const rejection = error === undefined ? rejectionText(c.get('formats'), done.problem) : undefined
  return renderPage(
    c,
    parts,
    linkPage(c.get('formats'), { email, error, rejection }),
    pageStatus(done.problem),
  )
}

/** Only a framed page has to know who may frame it. */
async function framesOf(
  c: ManageContext,
  api: BookingApi,
  { tenant }: ManagedBooking,
): Promise<readonly string[]> {
  if (c.req.header('sec-fetch-dest') !== 'iframe') return []
  const page = await attempt(api.tenantPage(tenant.slug))
  return page.ok ? page.result.tenant.embedOrigins : []
}

function may({ managed }: ManageView, action: 'cancel' | 'reschedule'): boolean {
  return managed.allowedActions.includes(action)
}

async function back(c: ManageContext, { path }: ManageView): Promise<Response> {
  return c.redirect(path, 303)
}

/** The word in the address is believed only where the booking shows the same. */
function doneOf(c: ManageContext, { booking }: ManagedBooking): Done | undefined {
  const done = c.req.query('done')
  const live = booking.status === 'pending' || booking.status === 'confirmed'
  if ((done === 'booked' || done === 'moved') && live) return done
  if (done === 'invited' && live && booking.guestsInvited) return done
  return done === 'cancelled' && booking.status === 'cancelled' ? done : undefined
}

/** A proof as the visitor's mail has it; what it is worth is the API's to judge. */
function readProof(text: string | undefined): string | undefined {
  return text !== undefined && /^[\w-]{20,100}$/.test(text) ? text : undefined
}

async function inviteGuests(
  c: ManageContext,
  parts: BookingParts,
  { api, token, view }: Opened,
): Promise<Response> {
  const proof = readProof((await readFormBody(c)).get('proof') ?? undefined)
  if (proof === undefined) return back(c, view)
  const done = await attempt(api.inviteGuests(token, proof))
  if (done.ok) return c.redirect(`${view.path}?done=invited`, 303)
  noteRejection(c, done.problem)
  const wrong = fieldErrors(done.problem).proof
  const rejection =
    wrong === undefined
      ? rejectionText(c.get('formats'), done.problem)
      : { title: view.formats.text('manage.guests.notInvited'), text: wrong }
  return renderPage(c, parts, bookingPage(view, undefined, { rejection }), pageStatus(done.problem))
}

async function downloadCalendar(c: ManageContext, { api, token }: Opened): Promise<Response> {
  const file = await api.calendarFile(token)
  c.header(
    'content-disposition',
    `attachment; filename="${file.fileName.replace(/[^\w.-]/g, '-')}"`,
  )
  return c.body(file.text, 200, { 'content-type': file.contentType })
}

async function cancel(
  c: ManageContext,
  parts: BookingParts,
  { api, token, view }: Opened,
): Promise<Response> {
  const form = await readFormBody(c)
  const reason = form.get('reason') ?? ''
  const done = await attempt(api.cancel(token, reason.trim() === '' ? undefined : reason))
  if (done.ok) return c.redirect(`${view.path}?done=cancelled`, 303)
  noteRejection(c, done.problem)
  const error = fieldErrors(done.problem).reason
  return renderPage(
    c,
    parts,
    cancelPage(view, error ? undefined : rejectionText(c.get('formats'), done.problem), {
      reason,
      error,
    }),
    pageStatus(done.problem),
  )
}

async function showTimes(c: ManageContext, parts: BookingParts, opened: Opened): Promise<Response> {
  const { api, token, view } = opened
  if (!may(view, 'reschedule')) return back(c, view)
  const { booking, eventType } = view.managed
  const query = c.req.query()
  const duration = durationOf(view.managed)
  const path = `${view.path}/move`
  const choice = readChoice(query, {
    zone: booking.attendee.timeZone,
    duration,
    durations: [...eventType.durations, duration],
  })
  const picker: PickerView = {
    path,
    choice,
    standardDuration: duration,
    durations: [...new Set([...eventType.durations, duration])],
    formats: view.formats,
    target: { action: `${path}/confirm`, method: 'get' },
    choosingZone: query.choose === 'zone',
  }
  const today = dateIn(choice.zone, parts.now())
  const question = {
    id: eventType.id,
    timeZone: choice.zone,
    duration: choice.duration,
    rescheduleOf: booking.id,
  }
  const ask = (from: string, to: string) =>
    askWhole(
      (start) => api.slots({ ...question, from: start, to }, { manageToken: token }),
      from,
    ).then((slots) => withoutOwn(slots, booking.start, choice.duration === duration))
  const found = picker.choosingZone
    ? undefined
    : await attempt(findAvailability(ask, choice, today, view.formats.firstWeekday))
  const { text } = view.formats
  const title = text('manage.move.title', { event: booking.title })
  const heading = html`<h1>${title}</h1><p>${text.rich('manage.move.now', {
    time: view.formats.span(booking.start, booking.end, choice.zone),
    strong: (chunks) => html`<strong>${chunks}</strong>`,
    link: (chunks) => html`<a href="${view.path}">${chunks}</a>`,
  })}</p>${hostNote(view)}`
  if (found?.ok === false) {
    const shown = rejectedTimes(c, picker, found.problem)
    return renderPage(
      c,
      parts,
      managePage(view, title, html`${heading}${shown}`),
      pageStatus(found.problem),
    )
  }
  const offer = found?.result ?? emptyAvailability(today)
  return renderPage(
    c,
    parts,
    managePage(
      view,
      title,
      html`${heading}${pickerView(picker, offer)}`,
      announcement(picker, offer),
    ),
  )
}

/** Moving to where it is already is no move. */
function withoutOwn<Slot extends { start: string }>(
  slots: Readonly<Record<string, readonly Slot[]>>,
  start: string,
  sameDuration: boolean,
) {
  if (!sameDuration) return slots
  const own = Date.parse(start)
  return Object.fromEntries(
    Object.entries(slots).map(([date, list]) => [
      date,
      list.filter((slot) => Date.parse(slot.start) !== own),
    ]),
  )
}

function durationOf({ booking }: ManagedBooking): number {
  return (Date.parse(booking.end) - Date.parse(booking.start)) / 60_000
}

function readMove(
  values: Readonly<Record<string, string | undefined>>,
  { managed }: ManageView,
): Move | undefined {
  const { start, zone, duration, reason } = values
  if (!isInstant(start)) return undefined
  const own = durationOf(managed)
  return {
    start,
    zone: zone !== undefined && isTimeZone(zone) ? zone : managed.booking.attendee.timeZone,
    duration: managed.eventType.durations.find((minutes) => String(minutes) === duration) ?? own,
    reason: reason ?? '',
  }
}

async function confirmMove(
  c: ManageContext,
  parts: BookingParts,
  { view }: Opened,
): Promise<Response> {
  const requested = readMove(c.req.query(), view)
  if (!requested || !may(view, 'reschedule')) return back(c, view)
  return renderPage(c, parts, confirmMovePage(view, requested))
}

async function move(c: ManageContext, parts: BookingParts, opened: Opened): Promise<Response> {
  const { api, token, view } = opened
  const form = Object.fromEntries(await readFormBody(c))
  const requested = readMove(form, view)
  if (!requested) return back(c, view)
  // Another one of the times that were offered instead of one that was gone: asked once more before
  // anything changes.
  if (isInstant(form.choose))
    return renderPage(c, parts, confirmMovePage(view, { ...requested, start: form.choose }))
  const { start, duration, reason } = requested
  const done = await attempt(
    api.reschedule(token, {
      start,
      ...(duration !== durationOf(view.managed) && { duration }),
      ...(reason.trim() !== '' && { reason }),
    }),
  )
  if (done.ok) return c.redirect(`${view.path}?done=moved`, 303)
  noteRejection(c, done.problem)
  const others = isGone(done.problem.code) ? await timesOfDay(opened, requested) : undefined
  return renderPage(
    c,
    parts,
    confirmMovePage(view, requested, {
      ...rejectionText(c.get('formats'), done.problem),
      ...(others && { others }),
    }),
    pageStatus(done.problem),
  )
}

async function timesOfDay({ api, token, view }: Opened, { start, duration, zone }: Move) {
  const { booking, eventType } = view.managed
  const date = dateIn(zone, Date.parse(start))
  const question = {
    id: eventType.id,
    from: date,
    to: date,
    timeZone: zone,
    duration,
    rescheduleOf: booking.id,
  }
  const requested = await attempt(api.slots(question, { manageToken: token }))
  return requested.ok
    ? (withoutOwn(requested.result.slots, booking.start, true)[date] ?? []).filter(
        (slot) => slot.start !== start,
      )
    : undefined
}

function noteRejection(c: Context<AppEnv>, problem: Problem): void {
  c.set('rejection', problem.code)
  const seconds = retryAfter(problem)
  if (seconds !== undefined) c.header('retry-after', String(seconds))
}
