import { randomBytes } from 'node:crypto'
import { isSlugShaped } from '@atrium/core/tenants/slugs'
import { type Context, Hono } from 'hono'
import { html } from 'hono/html'
import { dateIn } from '../days.ts'
import { eventPage } from '../pages/event-page.ts'
import { type Html, renderPage } from '../pages/layout.ts'
import { hostPage, tenantPage } from '../pages/listing-pages.ts'
import { notice } from '../pages/message-page.ts'
import { type PickerView, pickerLink } from '../pages/picker-link.ts'
import { pickerView } from '../pages/picker-view.ts'
import type { BookingParts } from '../parts.ts'
import { askWhole, findAvailability, readChoice, type SlotAvailability } from '../picker.ts'
import { attempt, type Problem } from '../problems.ts'
import { isGone, pageStatus, rejectionText, retryAfter } from '../rejections.ts'
import type { AppEnv } from '../request.ts'

/** The pages on which a visitor looks around: hosts, event types, free times. */
export function pageRoutes(parts: BookingParts): Hono<AppEnv> {
  const app = new Hono<AppEnv>()
  app.get('/:tenant', async (c) => {
    const { tenant } = c.req.param()
    if (!isSlugShaped(tenant)) return c.notFound()
    return renderPage(
      c,
      parts,
      tenantPage(c.get('formats'), await parts.connect(c).tenantPage(tenant)),
    )
  })
  app.get('/:tenant/:host', async (c) => {
    const { tenant, host } = c.req.param()
    if (!isSlugShaped(tenant) || !isSlugShaped(host)) return c.notFound()
    return renderPage(
      c,
      parts,
      hostPage(c.get('formats'), await parts.connect(c).hostPage(tenant, host)),
    )
  })
  app.get('/:tenant/:host/:event', (c) => showTimes(c, parts))
  return app
}

async function showTimes(
  c: Context<AppEnv, '/:tenant/:host/:event'>,
  parts: BookingParts,
): Promise<Response> {
  const { tenant, host, event } = c.req.param()
  if (![tenant, host, event].every(isSlugShaped)) return c.notFound()
  const api = parts.connect(c)
  const page = await api.eventTypePage(tenant, host, event)
  const { eventType } = page
  const path = `/${tenant}/${host}/${event}`
  const formats = c.get('formats')
  const query = c.req.query()
  const standardDuration = eventType.durations[0] ?? 30
  const choice = readChoice(query, {
    zone: eventType.timeZone,
    duration: standardDuration,
    durations: eventType.durations,
  })
  const view: PickerView = {
    path,
    choice,
    standardDuration,
    durations: eventType.durations,
    formats,
    target: { action: `${path}/hold`, method: 'post' },
    // Chosen together with the page: a visitor who goes back and chooses again presents the token
    // of the same hold.
    lockToken: choice.lock ?? randomBytes(32).toString('base64url'),
    choosingZone: query.choose === 'zone',
  }
  const today = dateIn(choice.zone, parts.now())
  const question = { id: eventType.id, timeZone: choice.zone, duration: choice.duration }
  const ask = (from: string, to: string) =>
    askWhole(
      (start) => api.slots({ ...question, from: start, to }, { lockToken: choice.lock }),
      from,
    )
  const found = view.choosingZone
    ? undefined
    : await attempt(findAvailability(ask, choice, today, formats.firstWeekday))
  if (found?.ok === false) {
    const shown = rejectedTimes(c, view, found.problem)
    return renderPage(
      c,
      parts,
      eventPage(formats, page, shown, { canonical: true }),
      pageStatus(found.problem),
    )
  }
  const offer = found?.result ?? emptyAvailability(today)
  const rejected =
    query.refused !== undefined && isGone(query.refused)
      ? rejectionText(formats, { code: query.refused, message: '' })
      : undefined
  const body = html`<div>${rejected ? notice('alert', rejected.title, rejected.text) : ''}${pickerView(view, offer)}</div>`
  // Asked again by every visit, and shown as it was by going back: its form then still proves the
  // visitor's hold.
  c.header('cache-control', 'private, no-cache')
  return renderPage(
    c,
    parts,
    eventPage(formats, page, body, { canonical: true, announce: announcement(view, offer) }),
  )
}

/** Shown in place of the times. A time is never shown as free when the lookup failed. */
export function rejectedTimes(c: Context<AppEnv>, view: PickerView, problem: Problem): Html {
  if (problem.code === 'not_found') problem = { ...problem, status: 404 }
  c.set('rejection', problem.code)
  const seconds = retryAfter(problem)
  if (seconds !== undefined) c.header('retry-after', String(seconds))
  const { title, text } = rejectionText(view.formats, problem)
  return html`<section class="pick">${notice('alert', title, text)}<p><a class="button" href="${pickerLink(view, {})}">${view.formats.text('frame.tryAgain')}</a></p></section>`
}

export function emptyAvailability(today: string): SlotAvailability {
  return {
    today,
    month: today.slice(0, 7),
    dates: [],
    slots: {},
    date: undefined,
    nextFree: undefined,
  }
}

/** What screen readers announce when the script has replaced the times. */
export function announcement(
  { choice, formats, choosingZone }: PickerView,
  { date, slots, dates, month }: SlotAvailability,
): string {
  const { text } = formats
  if (choosingZone) return text('times.zone.choose')
  if (choice.view === 'week') {
    const all = dates.reduce((sum, day) => sum + (slots[day]?.length ?? 0), 0)
    const day = formats.day(dates[0] ?? '1970-01-01')
    return text('times.announce.week', { count: all, day })
  }
  return date === undefined
    ? text('times.noneInMonth', { month: formats.month(month) })
    : text('times.announce.day', { day: formats.day(date), count: slots[date]?.length ?? 0 })
}
