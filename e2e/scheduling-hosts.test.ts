import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { openBrowser } from './browser.ts'
import { expectWellMade, phone, signIn, untilLoaded, visit } from './people.ts'

// Other files use the same workplace: this one has a workplace of its own.
const slug = `hosts-${Date.now().toString(36)}`
const scheduling = `/api/v1/tenants/${slug}`
let browser: Browser
let token: string

async function post(url: string, body: object, method = 'POST'): Promise<Record<string, unknown>> {
  const response = await fetch(url, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  expect(response.ok, `${method} ${url} ${response.status} ${text}`).toBe(true)
  return text === '' ? {} : JSON.parse(text)
}
const api = (method: string, path: string, body: object) =>
  post(`${inject('workplace').api}${path}`, body, method)

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the wire brought
async function read(path: string): Promise<any> {
  const response = await fetch(`${inject('workplace').api}${path}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  return response.json()
}

/** A workplace whose owner Anna has a mailbox. */
async function makeTenant(): Promise<void> {
  token = ''
  token = String(
    (
      await post(`${inject('workplace').control}/tokens`, {
        email: 'owner@acme.test',
        app: 'portal',
      })
    ).accessToken,
  )
  await api('POST', '/tenants', { name: 'Meeting Journey', slug })
  await vi.waitFor(async () => expect((await read(`/tenants/${slug}`)).status).toBe('active'), {
    timeout: 60_000,
    interval: 500,
  })
  const [anna] = (await read(`/tenants/${slug}/users`)).items
  await api('POST', `/tenants/${slug}/users/${anna.id}/mailbox`, { address: 'anna' })
}

/** An event type at any hour of any day, and a request for its first free time. */
async function takeBooking(): Promise<void> {
  const [host] = (await read(`${scheduling}/hosts`)).items
  const [hours] = (await read(`${scheduling}/schedules?hostId=${host.id}`)).items
  const day = [{ start: '00:00', end: '24:00' }]
  const weekly = { mon: day, tue: day, wed: day, thu: day, fri: day, sat: day, sun: day }
  await api('PUT', `${scheduling}/schedules/${hours.id}`, {
    name: hours.name,
    timeZone: hours.timeZone,
    overrides: [],
    standard: true,
    version: hours.version,
    weekly,
  })
  const eventType = await api('POST', `${scheduling}/event-types`, {
    hostId: host.id,
    title: 'First meeting',
    durations: [30],
    stepMinutes: 60,
    requiresConfirmation: true,
    locationKind: 'in_person',
    location: 'Room 1',
  })
  const date = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
  const { slots } = await read(
    `/api/v1/event-types/${eventType.id}/slots?from=${date(1)}&to=${date(1)}&timeZone=UTC`,
  )
  const start = slots[date(1)][10].start
  const attendee = {
    name: 'Vera Visitor',
    email: 'vera@elsewhere.example',
    timeZone: 'America/New_York',
  }
  await api('POST', '/api/v1/bookings', {
    eventTypeId: eventType.id,
    start,
    attendee,
    note: 'About the offer.',
  })
}

/** Titles in the calendars of the mail server, only of this journey. */
async function entries(): Promise<string[]> {
  const state = await (await fetch(`${inject('workplace').control}/state`)).text()
  return [...state.matchAll(/"title":"([^"]*First meeting[^"]*)"/g)].map(([, title = '']) => title)
}

beforeAll(async () => {
  browser = await openBrowser()
  await makeTenant()
}, 90_000)

const at = (path: string) => `${inject('workplace').portal}/t/${slug}/scheduling/${path}`

async function becomeHost(page: Page): Promise<void> {
  await page.goto(at('hosts'))
  await page.getByRole('heading', { name: 'Nobody can be booked yet' }).waitFor()
  await page.getByRole('button', { name: 'Add host' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a host' })
  await dialog.getByRole('textbox', { name: 'Title' }).fill('Adviser')
  await expectWellMade(page)
  await dialog.getByRole('button', { name: 'Add host' }).click()
}

describe('the owner of a workplace', () => {
  it('becomes a host, sees that an app password is wrong, and connects the mailbox with one click', async () => {
    await using visitor = await visit(browser)
    const { page, complaints } = visitor
    await signIn(page, 'portal', 'Anna Owner')
    await becomeHost(page)

    const host = page.getByRole('dialog', { name: 'Anna Owner' })
    await host.getByText('The mailbox is not connected, so no time can be offered.').waitFor()
    await expectWellMade(page)
    await host.getByRole('button', { name: 'Enter an app password instead' }).click()
    await host.getByRole('textbox', { name: 'App password' }).fill('not the password')
    await host.getByRole('button', { name: 'Connect mailbox' }).click()
    await host
      .getByText('The mail server does not accept this user name with this password.')
      .waitFor()
    await host.getByRole('button', { name: 'Back' }).click()
    await host.getByRole('button', { name: 'Connect mailbox' }).click()
    await host.getByText('Connected', { exact: true }).waitFor()
    await host.getByRole('button', { name: 'Check now' }).click()
    await page.getByText('The mailbox responds and accepts the credential.').waitFor()
    expect(complaints).toEqual([])
  }, 120_000)

  it('confirms what a visitor asked for, moves it and cancels it, and the calendar follows each time', async () => {
    await takeBooking()
    await using visitor = await visit(browser)
    const { page, complaints } = visitor
    await signIn(page, 'portal', 'Anna Owner')
    await page.goto(at('bookings'))
    await page.getByRole('tab', { name: 'Needs confirmation' }).click()
    const row = page.getByRole('row', { name: /Vera Visitor/ })
    await row.getByRole('link').click()
    const booking = page.getByRole('dialog', { name: 'First meeting' })
    await booking.getByText('The visitor is waiting for an answer').waitFor()
    await booking.getByText('About the offer.').waitFor()
    await booking.getByRole('button', { name: 'Confirm' }).click()
    await booking.getByText('In the calendar').waitFor()
    await booking.getByText('Confirmed', { exact: true }).first().waitFor()
    expect(await entries()).toHaveLength(1)
    await expectWellMade(page)

    await booking.getByRole('button', { name: 'Move' }).click()
    const move = page.getByRole('dialog', { name: 'Move the booking' })
    await move.getByRole('button', { name: 'Later' }).click()
    await untilLoaded(page)
    // With the keyboard, as what is seen of a radio button here is its label.
    await move.getByRole('radio').nth(3).focus()
    await page.keyboard.press('Space')
    await expect.poll(() => move.getByRole('radio').nth(3).isChecked()).toBe(true)
    await expectWellMade(page)
    await move.getByRole('textbox', { name: 'Reason' }).fill('I am away that day.')
    await move.getByRole('button', { name: 'Move booking' }).click()
    await move.waitFor({ state: 'detached' })
    await booking.getByText('I am away that day.').waitFor()
    await booking.getByText('Moved', { exact: true }).waitFor()
    expect(await entries()).toHaveLength(1)

    await booking.getByRole('button', { name: 'Cancel booking' }).click()
    const cancel = page.getByRole('dialog', { name: 'Cancel the booking?' })
    expect(await cancel.getByRole('button', { name: 'Cancel booking' }).isDisabled()).toBe(true)
    await cancel.getByRole('textbox', { name: 'Reason' }).fill('The project has ended.')
    await cancel.getByRole('button', { name: 'Cancel booking' }).click()
    await booking.getByText('Cancelled', { exact: true }).first().waitFor()
    await expect.poll(() => entries(), { timeout: 15_000 }).toEqual([])
    await page.goto(at('bookings?when=ended'))
    await page.getByRole('row', { name: /Vera Visitor.*Cancelled/ }).waitFor()
    expect(complaints).toEqual([])
  }, 120_000)

  it('writes the words of the booking page on a phone, and is told which origin cannot be one', async () => {
    await using visitor = await visit(browser, { screen: phone })
    const { page, complaints } = visitor
    await signIn(page, 'portal', 'Anna Owner')
    await page.goto(at('page'))
    await page.getByRole('textbox', { name: 'Headline' }).fill('Meet us')
    const origins = page.getByRole('textbox', { name: 'Sites that may show the page in a frame' })
    await origins.fill('https://www.journey.example\nnot an origin')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page
      .getByText('not an origin: This is not an origin such as https://example.com.')
      .waitFor()
    await expectWellMade(page)
    await origins.fill('https://www.journey.example')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('The booking page is saved.').waitFor()
    expect(await read(`${scheduling}/booking-page`)).toMatchObject({
      headline: 'Meet us',
      embedOrigins: ['https://www.journey.example'],
    })
    for (const path of ['hosts', 'bookings', 'bookings?when=ended']) {
      await page.goto(at(path))
      await page.getByRole('heading', { level: 1 }).waitFor()
      await untilLoaded(page)
      await expectWellMade(page)
    }
    expect(complaints).toEqual([])
  }, 90_000)
})
