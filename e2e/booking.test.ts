import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import {
  asOwner,
  eventInCalendar,
  fillBookingForm,
  mailsTo,
  manageLinkOf,
  offerMeeting,
  typing,
  visitor,
  wednesday,
} from './booking-workplace.ts'
import { openBrowser } from './browser.ts'
import { desktop, expectWellMade, expectWellMadeOn, phone } from './people.ts'

let browser: Browser
let meeting: string
const suffix = Date.now().toString(36)

beforeAll(async () => {
  browser = await openBrowser()
  meeting = await offerMeeting(`meeting-${suffix}`)
})

const entries = { name: 'Vera Visitor', about: 'A bridge' }

describe('a visitor on a phone', () => {
  it('sees times in their own zone, books one, moves it and cancels it by the link of the mail', async () => {
    await using one = await visitor(browser)
    const { page } = one
    const email = `vera-${suffix}@example.test`
    await page.goto(meeting)
    await page.locator('[data-zone="America/New_York"]').waitFor()
    expect(new URL(page.url()).searchParams.get('zone')).toBe('America/New_York')

    const date = wednesday(7)
    await page.goto(`${meeting}?date=${date}`)
    await page.getByRole('button', { name: '09:00' }).click()
    await page.getByText('It is held for you until').waitFor()
    await fillBookingForm(page, { ...entries, email })
    await typing()
    await page.getByRole('button', { name: 'Book this time' }).click()
    await page.getByText('You are booked').waitFor()
    await expectWellMade(page)

    const [confirmed] = await mailsTo(email, 1)
    const uid = confirmed?.event?.uid ?? ''
    expect(confirmed?.event).toMatchObject({ method: 'REQUEST', sequence: 0 })
    await expect.poll(() => eventInCalendar(uid)).toMatch(new RegExp(`^${date}`))
    await page.goto(manageLinkOf(confirmed ?? expect.fail('no mail')))
    await page.getByRole('link', { name: 'Move it' }).click()
    await page.locator('.month').waitFor()
    const others = page.locator('.month a:not([aria-current])')
    // At the end of a month no other day of it is left.
    if ((await others.count()) === 0) await page.getByRole('link', { name: /^Next month/ }).click()
    const next = others.first()
    const day = (await next.getAttribute('id'))?.slice(1) ?? ''
    await next.click()
    await page.locator(`#d${day}[aria-current]`).waitFor()
    await page.locator('button[name=start]').first().click()
    await page.getByRole('button', { name: 'Move the booking' }).waitFor()
    await expectWellMade(page)
    await page.getByRole('button', { name: 'Move the booking' }).click()
    await page.getByText('Your booking was moved').waitFor()
    await expect.poll(() => eventInCalendar(uid)).toMatch(new RegExp(`^${day}`))
    const [, moved] = await mailsTo(email, 2)
    expect(moved?.event).toMatchObject({ method: 'REQUEST', uid, sequence: 1 })

    await page.getByRole('link', { name: 'Cancel it' }).click()
    await page.getByRole('button', { name: 'Cancel the booking' }).waitFor()
    await expectWellMade(page)
    await page.getByRole('button', { name: 'Cancel the booking' }).click()
    await page.getByText('Your booking was cancelled').waitFor()
    await expect.poll(() => eventInCalendar(uid)).toBeUndefined()
    expect(one.complaints).toEqual([])
    expect(await one.context.cookies()).toEqual([])
    expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(0)
  })

  it('goes from month to month and day to day without loading again, and back again', async () => {
    await using one = await visitor(browser)
    const { page } = one
    await page.goto(`${meeting}?zone=America/New_York`)
    await page.evaluate('window.kept = true')
    const first = await page.locator('#period').textContent()
    await page.getByRole('link', { name: /^Next month/ }).click()
    await expect.poll(() => page.locator('#period').textContent()).not.toBe(first)
    expect(await page.locator('#live').textContent()).not.toBe('')
    expect(await page.evaluate('document.activeElement.id')).toBe('later')
    await page.locator('.month a').first().focus()
    await page.keyboard.press('ArrowRight')
    const day = String(await page.evaluate('document.activeElement.id'))
    expect(day).toMatch(/^d\d{4}-/)
    expect(await page.locator(`#${day}[aria-current]`).count()).toBe(0)
    await page.keyboard.press('Enter')
    await page.locator(`#${day}[aria-current]`).waitFor()
    await page.getByRole('link', { name: 'Week', exact: true }).click()
    await page.locator('.week').waitFor()
    await page.goBack()
    await page.locator('.month').waitFor()
    await page.locator(`#${day}[aria-current]`).waitFor()
    await page.goBack()
    await page.locator(`#${day}:not([aria-current])`).waitFor()
    await page.goBack()
    await expect.poll(() => page.locator('#period').textContent()).toBe(first)
    expect(await page.evaluate('window.kept')).toBe(true)
    expect(one.complaints).toEqual([])
  })

  it('changes the zone in place, and the times stay the same moments', async () => {
    await using one = await visitor(browser)
    const { page } = one
    await page.goto(`${meeting}?zone=America/New_York&date=${wednesday(3)}`)
    const starts = () =>
      page
        .locator('button[name=start]')
        .evaluateAll((buttons) => buttons.map((button) => button.getAttribute('value')))
    const before = await starts()
    await page.getByRole('link', { name: 'Change the time zone' }).click()
    await page.getByLabel('Time zone').selectOption('Asia/Tokyo')
    await page.locator('[data-zone="Asia/Tokyo"]').waitFor()
    const after = await starts()
    expect(after.length).toBeGreaterThan(0)
    expect(before).toEqual(expect.arrayContaining(after.filter((start) => before.includes(start))))
    expect(after.some((start) => before.includes(start))).toBe(true)
  })

  it('books once however often the button is pressed', async () => {
    await using one = await visitor(browser)
    const { page } = one
    const email = `double-${suffix}@example.test`
    await page.goto(`${meeting}?zone=America/New_York&date=${wednesday(6)}`)
    await page.getByRole('button', { name: '09:30' }).click()
    await fillBookingForm(page, { ...entries, email })
    await typing()
    await page.getByRole('button', { name: 'Book this time' }).dblclick()
    await page.getByText('You are booked').waitFor()
    expect(await mailsTo(email, 1)).toHaveLength(1)
  })

  it('asks for a time where the host decides, and is told so', async () => {
    const asked = await offerMeeting(`asked-${suffix}`, { requiresConfirmation: true, fields: [] })
    await using one = await visitor(browser)
    const { page } = one
    await page.goto(`${asked}?zone=America/New_York&date=${wednesday(6)}`)
    await page.getByRole('button', { name: '11:00' }).click()
    await page.getByRole('textbox', { name: 'Your name' }).fill('Quinn Question')
    await page
      .getByRole('textbox', { name: 'Your e-mail address' })
      .fill(`quinn-${suffix}@example.test`)
    await typing()
    await page.getByRole('button', { name: 'Request this time' }).click()
    await page.getByText('Your request was sent').waitFor()
    expect(await page.getByRole('link', { name: 'Add to calendar' }).count()).toBe(0)
    const [mail] = await mailsTo(`quinn-${suffix}@example.test`, 1)
    expect(mail?.event).toBeUndefined()
    await expectWellMade(page)
  })
})

describe('the pages', () => {
  it.each([
    ['a phone', phone],
    ['a desktop', desktop],
  ])('are well made on %s', async (_, screen) => {
    await using one = await visitor(browser, { screen })
    const { page } = one
    const { booking } = inject('workplace')
    const choice = `zone=America/New_York&date=${wednesday(3)}`
    for (const address of [
      `${booking}/acme`,
      `${booking}/acme/adam`,
      `${meeting}?${choice}`,
      `${meeting}?${choice}&view=week`,
      `${meeting}?${choice}&choose=zone`,
      `${meeting}?${choice}&refused=slot_taken`,
      `${meeting}/book?zone=America/New_York&start=${wednesday(3)}T15:00:00.000Z`,
      `${booking}/nobody`,
    ]) {
      await page.goto(address)
      await page
        .getByRole('heading', { level: 1 })
        .or(page.getByRole('heading', { level: 2 }))
        .first()
        .waitFor()
      await expectWellMadeOn(screen, page)
    }
    expect(one.complaints).toEqual([])
  })

  it('come in one answer of less than 14 KB, with a script of less than 30 KB', async () => {
    for (const encoding of ['br', 'gzip']) {
      const page = await fetch(meeting, { headers: { 'accept-encoding': encoding } })
      expect(Number(page.headers.get('content-length'))).toBeLessThan(14 * 1024)
      const script = /<script[^>]+src="([^"]+)"/.exec(await page.text())?.[1] ?? ''
      const answer = await fetch(new URL(script, meeting), {
        headers: { 'accept-encoding': encoding },
      })
      expect(answer.status).toBe(200)
      expect(Number(answer.headers.get('content-length'))).toBeLessThan(30 * 1024)
      expect(answer.headers.get('cache-control')).toContain('immutable')
    }
    await using one = await visitor(browser)
    const asked: string[] = []
    one.page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await one.page.goto(`${meeting}?zone=America/New_York`, { waitUntil: 'networkidle' })
    expect(asked.filter((path) => !path.startsWith('/assets/'))).toEqual([
      new URL(meeting).pathname,
    ])
  })

  it('stand in a frame of a site that the tenant named, as high as they are, and in no other', async () => {
    const { booking, portal } = inject('workplace')
    await using one = await visitor(browser, { screen: desktop })
    const { page } = one
    await using server = await serveSite(
      `<!doctype html><title>Our site</title><div data-atrium-booking="${meeting}?zone=America/New_York"></div>` +
        `<div data-atrium-booking="${portal}/"></div><script src="${booking}/embed.js"></script>`,
    )
    const { site } = server
    await page.goto(`${site}/`)
    await page.locator('iframe').waitFor()
    expect(await page.locator('iframe').count()).toBe(1)
    const heading = page.frameLocator('iframe').getByRole('heading', { name: 'River crossing' })
    await new Promise((done) => setTimeout(done, 1_000))
    expect(await heading.count()).toBe(0)

    await allowFraming([site])
    await page.goto(`${site}/`)
    await heading.waitFor()
    const content = page.frames()[1]
    await expect
      .poll(async () => {
        const frame = await page.locator('iframe').boundingBox()
        return Math.abs(
          (frame?.height ?? 0) - Number(await content?.evaluate('document.body.scrollHeight')),
        )
      })
      .toBeLessThan(2)
    await allowFraming([])
  })
})

/** Another site, which is one because its port is another. */
async function serveSite(html: string): Promise<AsyncDisposable & { site: string }> {
  const server = createServer((_, answer) =>
    answer.setHeader('content-type', 'text/html').end(html),
  )
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    site: `http://localhost:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

async function allowFraming(embedOrigins: string[]): Promise<void> {
  const path = '/api/v1/tenants/acme/booking-page'
  const { version } = await asOwner<{ version: number }>('GET', path)
  await asOwner('PATCH', path, { version, embedOrigins })
}
