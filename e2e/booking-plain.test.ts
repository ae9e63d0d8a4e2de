import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import {
  eventInCalendar,
  fillBookingForm,
  mailsTo,
  makeHost,
  manageLinkOf,
  offerMeeting,
  readEvent,
  typing,
  visitor,
  wednesday,
} from './booking-workplace.ts'
import { openBrowser } from './browser.ts'
import { breakSystem, desktop, expectWellMadeOn, phone } from './people.ts'

let browser: Browser
let meeting: string
const suffix = Date.now().toString(36)

beforeAll(async () => {
  browser = await openBrowser()
  meeting = await offerMeeting(`plain-${suffix}`)
})

const entries = { name: 'Paula Plain', about: 'A bridge without a script' }

async function book(
  page: Page,
  { date, time, email }: { date: string; time: string; email: string },
): Promise<void> {
  await page.goto(`${meeting}?zone=America/New_York&date=${date}`)
  await page.getByRole('button', { name: time }).click()
  await page.getByText('It is held for you until').waitFor()
  await fillBookingForm(page, { ...entries, email })
  await typing()
  await page.getByRole('button', { name: 'Book this time' }).click()
  await page.getByText('You are booked').waitFor()
}

describe('a visitor whose browser runs no script', () => {
  it('finds a host, books, gets the mail, moves and cancels by its link, and the calendar follows', async () => {
    await using one = await visitor(browser, { javaScript: false })
    const { page } = one
    const email = `paula-${suffix}@example.test`
    await page.goto(`${inject('workplace').booking}/acme`)
    await page.getByRole('link', { name: /Adam Admin/ }).click()
    await page
      .getByRole('link', { name: /River crossing/ })
      .first()
      .click()
    await page.getByRole('heading', { name: 'River crossing', level: 1 }).waitFor()

    const [date, later] = [wednesday(3), wednesday(4)]
    await book(page, { date, time: '09:00', email })
    expect(await page.locator('#notice').textContent()).toContain(email)

    const [confirmed] = await mailsTo(email, 1)
    const link = manageLinkOf(confirmed ?? expect.fail('no mail'))
    expect(confirmed?.event).toMatchObject({
      method: 'REQUEST',
      sequence: 0,
      status: 'CONFIRMED',
      start: instantOf(date, 9),
    })
    const uid = confirmed?.event?.uid ?? ''
    await expect.poll(() => eventInCalendar(uid)).toBe(instantOf(date, 9).replace('.000Z', 'Z'))

    await page.goto(link)
    const download = await page.request.get(`${link}/calendar.ics`)
    expect(readEvent(await download.text())).toMatchObject({ uid, start: instantOf(date, 9) })
    await page.getByRole('link', { name: 'Move it' }).click()
    await page.goto(`${link}/move?date=${later}`)
    await page.getByRole('button', { name: '10:30' }).click()
    await page.getByRole('textbox', { name: 'Reason' }).fill('The train is late')
    await page.getByRole('button', { name: 'Move the booking' }).click()
    await page.getByText('Your booking was moved').waitFor()
    const [, moved] = await mailsTo(email, 2)
    expect(moved?.event).toMatchObject({
      method: 'REQUEST',
      uid,
      sequence: 1,
      start: instantOf(later, 10, 30),
    })
    await expect
      .poll(() => eventInCalendar(uid))
      .toBe(instantOf(later, 10, 30).replace('.000Z', 'Z'))

    await page.getByRole('link', { name: 'Cancel it' }).click()
    await page.getByRole('textbox', { name: 'Reason' }).fill('No bridge needed')
    await page.getByRole('button', { name: 'Cancel the booking' }).click()
    await page.getByText('Your booking was cancelled').waitFor()
    const [, , cancelled] = await mailsTo(email, 3)
    expect(cancelled?.event).toMatchObject({
      method: 'CANCEL',
      uid,
      sequence: 2,
      status: 'CANCELLED',
    })
    await expect.poll(() => eventInCalendar(uid)).toBeUndefined()
    expect(await page.getByRole('link', { name: 'Move it' }).count()).toBe(0)
  })

  it('sees the error at the field, with everything kept', async () => {
    await using one = await visitor(browser, { javaScript: false })
    const { page } = one
    await page.goto(`${meeting}?zone=America/New_York&date=${wednesday(3)}`)
    await page.getByRole('button', { name: '11:00' }).click()
    await fillBookingForm(page, { ...entries, email: `paul-${suffix}@example.test` })
    await page.getByRole('textbox', { name: /^Guests/ }).fill('not an address')
    await typing()
    await page.getByRole('button', { name: 'Book this time' }).click()
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('textbox', { name: /^Guests/ }).getAttribute('aria-invalid')).toBe(
      'true',
    )
    expect(await page.getByRole('textbox', { name: 'Your name' }).inputValue()).toBe('Paula Plain')
    await expectAccessible(page)
  })

  it('is offered the other times of the day when somebody is faster, and books one with what was typed', async () => {
    await using slow = await visitor(browser, { javaScript: false })
    await using fast = await visitor(browser, { javaScript: false })
    const date = wednesday(5)
    await slow.page.goto(`${meeting}/book?zone=America/New_York&start=${instantOf(date, 9)}`)
    await fillBookingForm(slow.page, { ...entries, email: `slow-${suffix}@example.test` })
    await book(fast.page, { date, time: '09:00', email: `fast-${suffix}@example.test` })
    await slow.page.getByRole('button', { name: 'Book this time' }).click()
    await slow.page.getByText('This time is no longer available.').waitFor()
    await expectAccessible(slow.page)
    await slow.page.getByRole('button', { name: '10:30' }).click()
    expect(await slow.page.getByRole('textbox', { name: 'What is it about?' }).inputValue()).toBe(
      'A bridge without a script',
    )
    await slow.page.getByRole('button', { name: 'Book this time' }).click()
    await slow.page.getByText('You are booked').waitFor()
  })

  it('sees no times while the calendar cannot be read, and is asked to come back', async () => {
    await using one = await visitor(browser, { javaScript: false })
    const { page } = one
    const miras = await offerMeeting(`miras-${suffix}`, {}, await makeHost())
    // This calendar alone: other tests look into theirs meanwhile.
    const mend = await breakSystem('mail', {
      mode: 'error',
      status: 500,
      match: 'Principal/getAvailability mira@',
    })
    const response = await page.goto(`${miras}?date=${wednesday(4)}`).finally(mend)
    expect([response?.status(), response?.headers()['retry-after']]).toEqual([503, '5'])
    await page.getByText('The calendar is not available.').waitFor()
    expect(await page.locator('button[name=start]').count()).toBe(0)
    await expect
      .poll(
        async () => {
          await page.getByRole('link', { name: 'Try again' }).click()
          return page.locator('button[name=start]').count()
        },
        { timeout: 20_000, interval: 1_000 },
      )
      .toBeGreaterThan(0)
  })

  it('changes the zone, and the times stay the same moments', async () => {
    await using one = await visitor(browser, { javaScript: false })
    const { page } = one
    await page.goto(`${meeting}?zone=America/New_York&date=${wednesday(3)}`)
    const starts = () =>
      page
        .locator('button[name=start]')
        .evaluateAll((buttons) => buttons.map((button) => button.getAttribute('value')))
    const before = await starts()
    expect(before.length).toBeGreaterThan(3)
    await page.getByRole('link', { name: 'Change the time zone' }).click()
    await page.getByLabel('Time zone').selectOption('Europe/Berlin')
    await page.getByRole('button', { name: 'Show times' }).click()
    await page.getByText('Times are shown for').waitFor()
    expect(await page.locator('.zone').textContent()).toContain('Berlin')
    expect(await starts()).toEqual(before)
  })

  it('cannot open what is not there, and a made up link is the same as an old one', async () => {
    await using one = await visitor(browser, { javaScript: false })
    const { page } = one
    const link = `${inject('workplace').booking}/manage/${'x'.repeat(43)}`
    for (const [address, words] of [
      [link, 'This link is not valid'],
      [`${link}/cancel`, 'This link is not valid'],
      [`${inject('workplace').booking}/acme/nobody`, 'Page not found'],
    ] as const) {
      const response = await page.goto(address)
      expect(response?.status()).toBe(404)
      await page.getByRole('heading', { name: words }).waitFor()
    }
    expect(await one.context.cookies()).toEqual([])
  })
})

function instantOf(date: string, hour: number, minute = 0): string {
  const local = Temporal.PlainDate.from(date).toZonedDateTime({
    timeZone: 'America/New_York',
    plainTime: { hour, minute },
  })
  return local.toInstant().toString({ smallestUnit: 'millisecond' })
}

/** axe is a script: the current page is loaded into a browser that runs scripts. */
async function expectAccessible(page: Page): Promise<void> {
  const html = (await page.content()).replace(/<script[^>]*><\/script>/g, '')
  for (const screen of [phone, desktop]) {
    await using reader = await visitor(browser, { screen })
    await reader.page.setContent(html)
    await expectWellMadeOn(screen, reader.page)
  }
}
