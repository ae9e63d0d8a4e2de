import { randomUUID } from 'node:crypto'
import type { PublicEventTypePage } from '@atrium/core/scheduling/booking-pages'
import type { TakenSlotLock } from '@atrium/core/scheduling/slot-availability'
import { isTimeZone } from '@atrium/core/scheduling/time-zones'
import { isSlugShaped } from '@atrium/core/tenants/slugs'
import { type Context, Hono } from 'hono'
import type { BookingApi } from '../api.ts'
import { controlOf, nothingTyped, readForm, type SentForm, toBooking } from '../booking-form.ts'
import { dateIn } from '../days.ts'
import { formKey, sealFault, sealForm } from '../form-seal.ts'
import { bookingFormView, type FormView } from '../pages/booking-form-view.ts'
import { eventPage } from '../pages/event-page.ts'
import { renderPage } from '../pages/layout.ts'
import type { BookingParts } from '../parts.ts'
import { address } from '../picker.ts'
import { attempt, type Problem } from '../problems.ts'
import { isGone, type PageStatus, pageStatus, rejectionText, retryAfter } from '../rejections.ts'
import type { AppEnv } from '../request.ts'
import { isInstant, readFormBody } from './form-body.ts'

type BookContext = Context<AppEnv, '/:tenant/:host/:event/book'>

/** From a chosen time to a booking. */
export function bookRoutes(parts: BookingParts): Hono<AppEnv> {
  const app = new Hono<AppEnv>()
  app.post('/:tenant/:host/:event/hold', (c) => holdTime(c, parts))
  app.get('/:tenant/:host/:event/book', (c) => showForm(c, parts))
  app.post('/:tenant/:host/:event/book', (c) => takeForm(c, parts))
  return app
}

async function readPage(c: Context<AppEnv, '/:tenant/:host/:event'>, parts: BookingParts) {
  const { tenant, host, event } = c.req.param()
  if (![tenant, host, event].every(isSlugShaped)) return undefined
  const api = parts.connect(c)
  return {
    api,
    page: await api.eventTypePage(tenant, host, event),
    path: `/${tenant}/${host}/${event}`,
  }
}

/**
 * Holds the chosen time for five minutes and shows the form. When the visitor holds too many times
 * already, the form comes anyway: a hold is a courtesy, and only the booking counts.
 */
async function holdTime(
  c: Context<AppEnv, '/:tenant/:host/:event/hold'>,
  parts: BookingParts,
): Promise<Response> {
  const found = await readPage(c, parts)
  if (!found) return c.notFound()
  const { api, page, path } = found
  const form = readForm(await readFormBody(c), page)
  const chosen = {
    zone: form.zone,
    ...(form.duration !== page.eventType.durations[0] && { duration: String(form.duration) }),
  }
  const kept = form.lockToken === undefined ? {} : { lock: form.lockToken }
  if (!isInstant(form.start)) return c.redirect(address(path, chosen), 303)
  const held = await takeLock(api, page, form, form.start)
  if (held.ok) {
    const { lockToken, expiresAt } = held.result
    return c.redirect(
      address(`${path}/book`, { ...chosen, start: form.start, lock: lockToken, until: expiresAt }),
      303,
    )
  }
  c.set('rejection', held.problem.code)
  if (isGone(held.problem.code)) {
    const date = dateIn(form.zone, Date.parse(form.start))
    return c.redirect(address(path, { ...chosen, date, refused: held.problem.code, ...kept }), 303)
  }
  const goesOn =
    held.problem.code === 'rate_limited' ||
    held.problem.code === 'calendar_unavailable' ||
    held.problem.code === 'unreachable'
  return c.redirect(
    goesOn ? address(`${path}/book`, { ...chosen, start: form.start }) : address(path, chosen),
    303,
  )
}

function takeLock(
  api: BookingApi,
  { eventType }: PublicEventTypePage,
  form: SentForm,
  start: string,
) {
  return attempt<TakenSlotLock>(
    api.takeLock(
      { eventTypeId: eventType.id, start, duration: form.duration },
      { lockToken: form.lockToken },
    ),
  )
}

async function showForm(c: BookContext, parts: BookingParts): Promise<Response> {
  const found = await readPage(c, parts)
  if (!found) return c.notFound()
  const { page, path } = found
  const { start, zone, duration, lock, until } = c.req.query()
  const minutes =
    page.eventType.durations.find((one) => String(one) === duration) ??
    page.eventType.durations[0] ??
    30
  if (!isInstant(start)) return c.redirect(path, 303)
  const now = parts.now()
  const form = {
    typed: nothingTyped,
    start,
    duration: minutes,
    zone: zone !== undefined && isTimeZone(zone) ? zone : page.eventType.timeZone,
    lockToken: lock || undefined,
    idempotencyKey: formKey(parts.config.appSecret, path, { start, lock }),
    seal: sealForm(parts.config.appSecret, path, now),
  }
  const heldUntil = lock ? stillHeld(until, now) : undefined
  return renderForm(c, parts, {
    path,
    page,
    formats: c.get('formats'),
    form,
    heldUntil,
    rejection: undefined,
    errors: {},
    others: undefined,
  })
}

async function takeForm(c: BookContext, parts: BookingParts): Promise<Response> {
  const found = await readPage(c, parts)
  if (!found) return c.notFound()
  const { api, page, path } = found
  const form = readForm(await readFormBody(c), page)
  if (!isInstant(form.start)) return c.redirect(path, 303)
  if (form.otherStart !== undefined && isInstant(form.otherStart))
    return changeTime(c, parts, found, form, form.otherStart)

  const fault = sealFault(parts.config.appSecret, path, form.seal, parts.now())
  if (fault !== undefined || form.trap !== '') {
    // Asked again and not lost: people who are quick, or come back after a day, send the same form
    // once more.
    const seal =
      fault === undefined || fault === 'too_fast'
        ? form.seal
        : sealForm(parts.config.appSecret, path, parts.now())
    c.set('rejection', fault ?? 'trap')
    const { text } = c.get('formats')
    const rejection = { title: text('form.again.title'), text: text('form.again.hint') }
    return renderForm(c, parts, formView(c, parts, found, { ...form, seal }, { rejection }), 400)
  }
  if (!/^[\w-]{8,100}$/.test(form.idempotencyKey)) form.idempotencyKey = randomUUID()
  const booked = await attempt(
    api.book(toBooking(form, page, c.get('formats').locale), form.idempotencyKey),
  )
  if (booked.ok) return c.redirect(`/manage/${booked.result.manageToken}?done=booked`, 303)
  return reject(c, parts, found, form, booked.problem)
}

interface Found {
  api: BookingApi
  page: PublicEventTypePage
  path: string
}

/** The same form for another time, which is held now in place of the first. */
async function changeTime(
  c: BookContext,
  parts: BookingParts,
  found: Found,
  form: SentForm,
  start: string,
): Promise<Response> {
  const held = await takeLock(found.api, found.page, form, start)
  const lock = held.ok ? held.result.lockToken : undefined
  const idempotencyKey = formKey(parts.config.appSecret, found.path, { start, lock })
  const changed = { ...form, start, idempotencyKey, lockToken: lock }
  if (!held.ok && isGone(held.problem.code)) return reject(c, parts, found, changed, held.problem)
  return renderForm(c, parts, {
    ...formView(c, parts, found, changed, {}),
    heldUntil: held.ok ? held.result.expiresAt : undefined,
  })
}

/**
 * The form again, with what is wrong where it is wrong, and other times where the chosen one is
 * gone.
 */
async function reject(
  c: BookContext,
  parts: BookingParts,
  found: Found,
  form: SentForm,
  problem: Problem,
): Promise<Response> {
  c.set('rejection', problem.code)
  const seconds = retryAfter(problem)
  if (seconds !== undefined) c.header('retry-after', String(seconds))
  // A rejection frees the key. After a lost response, the same key finds the created booking.
  const again =
    problem.code === 'idempotency_mismatch' ? { ...form, idempotencyKey: randomUUID() } : form
  if (isGone(problem.code)) {
    const others = await timesOfDay(found, form)
    const view = formView(c, parts, found, again, {
      rejection: rejectionText(c.get('formats'), problem),
    })
    return renderForm(c, parts, { ...view, ...(others && { others }) }, 409)
  }
  const errors: Record<string, string> = {}
  for (const { path, message } of problem.issues) {
    const control = controlOf(path)
    if (control !== undefined) errors[control] ??= message
  }
  const atFields = Object.keys(errors).length > 0
  const view = formView(
    c,
    parts,
    found,
    again,
    atFields ? {} : { rejection: rejectionText(c.get('formats'), problem) },
  )
  return renderForm(c, parts, { ...view, errors }, pageStatus(problem))
}

/** The other times of the day that the form is about; undefined where they cannot be read. */
async function timesOfDay({ api, page }: Found, { start, zone, duration, lockToken }: SentForm) {
  const date = dateIn(zone, Date.parse(start))
  const requested = await attempt(
    api.slots(
      { id: page.eventType.id, from: date, to: date, timeZone: zone, duration },
      { lockToken },
    ),
  )
  return requested.ok
    ? (requested.result.slots[date] ?? []).filter((slot) => slot.start !== start)
    : undefined
}

function formView(
  c: BookContext,
  { now }: BookingParts,
  { page, path }: Found,
  form: SentForm,
  { rejection }: Partial<Pick<FormView, 'rejection'>>,
): FormView {
  const heldUntil = form.lockToken === undefined ? undefined : stillHeld(form.heldUntil, now())
  return {
    path,
    page,
    formats: c.get('formats'),
    form,
    heldUntil,
    rejection,
    errors: {},
    others: undefined,
  }
}

/** Only shown to the visitor: the API knows whether a time is held. */
function stillHeld(until: string | undefined, now: number): string | undefined {
  return isInstant(until) && Date.parse(until) > now ? until : undefined
}

function renderForm(
  c: BookContext,
  parts: BookingParts,
  view: FormView,
  status: PageStatus = 200,
): Promise<Response> {
  const { eventType } = view.page
  const formats = c.get('formats')
  const title = formats.text('form.title', { event: eventType.title })
  return renderPage(
    c,
    parts,
    eventPage(formats, view.page, bookingFormView(view), { title, canonical: false }),
    status,
  )
}
