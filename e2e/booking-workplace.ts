import ICAL from 'ical.js'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import PostalMime from 'postal-mime'
import { expect, inject, vi } from 'vitest'
import { closeContext } from './browser.ts'
import { phone, type Screen } from './people.ts'

/**
 * What the tests of the booking pages need of the workplace around them: an event type of their
 * own, caught mails, the host's calendar.
 */

const scheduling = '/api/v1/tenants/acme'
// Other files use Anna's calendar, and switch it off.
const mailbox = 'adam@acme.tenants.local'

interface Named {
  id: string
  slug: string
}

async function ownerToken(): Promise<string> {
  const response = await fetch(`${inject('workplace').control}/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'owner@acme.test', app: 'portal' }),
  })
  return ((await response.json()) as { accessToken: string }).accessToken
}

/** Calls the API as the owner of Acme. */
export async function asOwner<Answer>(
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  const response = await fetch(`${inject('workplace').api}${path}`, {
    method,
    headers: { authorization: `Bearer ${await ownerToken()}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
  return JSON.parse(text === '' ? 'null' : text) as Answer
}

async function connected(slug: string): Promise<Named | undefined> {
  const { items } = await asOwner<{ items: (Named & { credential: { present: boolean } })[] }>(
    'GET',
    `${scheduling}/hosts`,
  )
  return items.find((host) => host.slug === slug && host.credential.present)
}

/**
 * Waits until the workplace has connected its demo hosts; returns the address of a new event type
 * of one of them.
 */
export async function offerMeeting(
  slug: string,
  settings: object = {},
  hostSlug = 'adam',
): Promise<string> {
  const host = await vi.waitUntil(() => connected(hostSlug), { timeout: 60_000, interval: 500 })
  await asOwner('POST', `${scheduling}/event-types`, {
    hostId: host.id,
    title: 'River crossing',
    eventSlug: slug,
    durations: [30, 60],
    noticeMinutes: 0,
    locationKind: 'video',
    location: 'https://meet.acme.test/river',
    fields: [{ key: 'topic', label: 'What is it about?', kind: 'long_text', required: true }],
    ...settings,
  })
  return `${inject('workplace').booking}/acme/${hostSlug}/${slug}`
}

/** A host besides the demo's, with a connected mailbox of their own; returns the slug. */
export async function makeHost(): Promise<string> {
  const { items } = await asOwner<{
    items: { id: string; email: string; mailboxAddress: string | null }[]
  }>('GET', '/tenants/acme/users')
  const mira = items.find(({ email }) => email === 'member@acme.test')
  if (!mira) throw new Error('Acme has lost its member.')
  if (mira.mailboxAddress === null)
    await asOwner('POST', `/tenants/acme/users/${mira.id}/mailbox`, { address: 'mira' })
  const host = await asOwner<Named>('POST', `${scheduling}/hosts`, {
    userId: mira.id,
    zone: 'UTC',
    hostSlug: 'mira',
  })
  await asOwner('PUT', `${scheduling}/hosts/${host.id}/mail-credential`, { mode: 'mint' })
  return host.slug
}

/**
 * A Wednesday so many weeks ahead, so that tests that run side by side do not want the same times.
 */
export function wednesday(weeks: number): string {
  const today = Temporal.Now.plainDateISO('UTC')
  return today.add({ days: ((3 - today.dayOfWeek + 7) % 7) + weeks * 7 }).toString()
}

export interface Visitor extends AsyncDisposable {
  page: Page
  context: BrowserContext
  complaints: string[]
}

/** A visitor in New York with an address of their own, because limits are per address. */
export async function visitor(
  browser: Browser,
  { javaScript = true, screen = phone }: { javaScript?: boolean; screen?: Screen } = {},
): Promise<Visitor> {
  const address = `198.51.${Math.floor(Math.random() * 256)}.${1 + Math.floor(Math.random() * 250)}`
  const context = await browser.newContext({
    viewport: screen,
    javaScriptEnabled: javaScript,
    timezoneId: 'America/New_York',
    locale: 'en-GB',
    reducedMotion: 'reduce',
    extraHTTPHeaders: { 'x-forwarded-for': address },
  })
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && /Content Security Policy|Refused to/.test(message.text()))
      complaints.push(message.text())
  })
  return { page, context, complaints, [Symbol.asyncDispose]: () => closeContext(context) }
}

export interface CaughtMail {
  subject: string
  text: string
  html: string
  /** Of the calendar object in the mail; undefined where there is none. */
  event:
    | { method: string; uid: string; sequence: number; status: string; start: string; end: string }
    | undefined
}

/** The mails to an address, oldest first, once there are so many. */
export async function mailsTo(address: string, count: number): Promise<CaughtMail[]> {
  const { smtpPage } = inject('workplace')
  let ids: string[] = []
  await expect
    .poll(
      async () => {
        const response = await fetch(`${smtpPage}/messages?to=${encodeURIComponent(address)}`)
        const { items } = (await response.json()) as { items: { id: string; receivedAt: string }[] }
        ids = items.sort((one, other) => Number(one.id) - Number(other.id)).map(({ id }) => id)
        return ids.length
      },
      { timeout: 20_000 },
    )
    .toBeGreaterThanOrEqual(count)
  return Promise.all(
    ids.map(async (id) =>
      readMail(await (await fetch(`${smtpPage}/messages/${id}/raw`)).arrayBuffer()),
    ),
  )
}

async function readMail(raw: ArrayBuffer): Promise<CaughtMail> {
  const mail = await PostalMime.parse(raw)
  const invite = mail.attachments.find(
    ({ filename, mimeType }) => filename?.endsWith('.ics') || mimeType === 'text/calendar',
  )
  const content = invite?.content
  return {
    subject: mail.subject ?? '',
    text: mail.text ?? '',
    html: mail.html ?? '',
    event:
      content === undefined
        ? undefined
        : readEvent(typeof content === 'string' ? content : new TextDecoder().decode(content)),
  }
}

/** Reads a calendar object with a parser that is not ours. */
export function readEvent(text: string): NonNullable<CaughtMail['event']> {
  const calendar = new ICAL.Component(ICAL.parse(text))
  const component = calendar.getFirstSubcomponent('vevent')
  if (!component) throw new Error('There is no event in the calendar object.')
  const event = new ICAL.Event(component)
  return {
    method: String(calendar.getFirstPropertyValue('method')),
    uid: event.uid,
    sequence: event.sequence,
    status: String(component.getFirstPropertyValue('status')),
    start: event.startDate.toJSDate().toISOString(),
    end: event.endDate.toJSDate().toISOString(),
  }
}

/** The link to manage the booking in a mail. */
export function manageLinkOf({ text }: CaughtMail): string {
  const [link] = /http:\/\/\S+\/manage\/[\w-]+/.exec(text) ?? []
  if (!link) throw new Error(`There is no link in the mail: ${text}`)
  return link
}

/**
 * The start of the event with that uid in Adam's calendar, in UTC; undefined when there is none.
 */
export async function eventInCalendar(uid: string): Promise<string | undefined> {
  const response = await fetch(`${inject('workplace').control}/state`)
  const state = (await response.json()) as {
    mail: {
      records: {
        Account: { id: string; emailAddress: string }[]
        calendars: {
          mailboxes: Record<string, { events: Record<string, Record<string, unknown>> }>
        }
      }
    }
  }
  const { Account: accounts, calendars } = state.mail.records
  const account = accounts.find(({ emailAddress }) => emailAddress === mailbox)
  const events = Object.values(calendars.mailboxes[account?.id ?? '']?.events ?? {})
  const found = events.map(plainEvent).find((event) => event.uid === uid)
  return (
    found &&
    Temporal.PlainDateTime.from(found.start)
      .toZonedDateTime(found.timeZone ?? 'UTC')
      .toInstant()
      .toString()
  )
}

function plainEvent(stored: Record<string, unknown>): {
  uid: string
  start: string
  timeZone: string | null
} {
  return ('event' in stored ? stored.event : stored) as {
    uid: string
    start: string
    timeZone: string | null
  }
}

/** Fills in the form on which a visitor books. */
export async function fillBookingForm(
  page: Page,
  { name, email, about }: Record<'name' | 'email' | 'about', string>,
): Promise<void> {
  await page.getByRole('textbox', { name: 'Your name' }).fill(name)
  await page.getByRole('textbox', { name: 'Your e-mail address' }).fill(email)
  await page.getByRole('textbox', { name: 'What is it about?' }).fill(about)
}

/** The form rejects what comes faster than a person types. */
export const typing = () => new Promise((done) => setTimeout(done, 2_100))
