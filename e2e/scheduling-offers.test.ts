import type { Browser, Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { openBrowser } from './browser.ts'
import {
  breakSystem,
  desktop,
  expectWellMadeOn,
  phone,
  signIn,
  untilLoaded,
  visit,
} from './people.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})

const owner = 'Anna Owner'
// Other files use the same workplace: what is changed here is made here.
const suffix = Date.now().toString(36)

const titles = { availability: 'Availability', 'event-types': 'Event types' } as const

async function open(page: Page, part: keyof typeof titles): Promise<void> {
  await page.goto(`${inject('workplace').portal}/t/acme/scheduling/${part}`)
  await page.getByRole('heading', { name: titles[part], level: 1 }).waitFor()
  await untilLoaded(page)
}

/** The local workplace makes its hosts while it is used already. */
async function untilHostsAreThere(page: Page): Promise<void> {
  const found = page.getByRole('link', { name: 'Introduction call', exact: true })
  for (const endsAt = Date.now() + 60_000; Date.now() < endsAt; ) {
    await open(page, 'event-types')
    if (await found.waitFor({ timeout: 3_000 }).then(...yes)) return
  }
  throw new Error('the hosts of Acme were not made in time')
}
const yes = [() => true, () => false] as const

const untilFilled = (locator: Locator, value: string) =>
  expect.poll(() => locator.inputValue(), { timeout: 10_000 }).toBe(value)
const notice = (page: Page, words: string | RegExp) =>
  page.getByRole('alert').filter({ hasText: words }).first().waitFor()

async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: label }).selectOption({ label: option })
}

describe('a host', () => {
  it('sets hours with a break and a night, copies a day, and closes dates', async () => {
    await using visitor = await visit(browser)
    const { page } = visitor
    await signIn(page, 'portal', owner)
    await untilHostsAreThere(page)
    await open(page, 'availability')
    await page.getByRole('button', { name: 'New schedule' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Create schedule' }).click()
    await dialog.getByText('This must not be empty.').waitFor()
    await dialog.getByRole('textbox', { name: 'Name' }).fill(`Evenings ${suffix}`)
    await dialog.getByRole('button', { name: 'Create schedule' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await untilFilled(
      page.getByRole('textbox', { name: 'Name', exact: true }),
      `Evenings ${suffix}`,
    )

    await page.getByLabel('Monday, end', { exact: true }).fill('12:00')
    await page.getByRole('button', { name: 'Add hours to Monday' }).click()
    await untilFilled(page.getByLabel('Monday, start 2', { exact: true }), '13:00')
    await page.getByRole('button', { name: 'Copy the hours of Monday' }).click()
    await page.getByRole('menuitem', { name: 'To Tuesday' }).click()
    await untilFilled(page.getByLabel('Tuesday, end 1', { exact: true }), '12:00')
    await page.getByLabel('Friday, start', { exact: true }).fill('21:00')
    await page.getByLabel('Friday, end', { exact: true }).fill('02:00')
    await page.getByText('Until 02:00 on Saturday').waitFor()
    await page
      .getByRole('img', { name: /^The week: Monday 09:00–12:00, 13:00–15:00;.*Friday 21:00–02:00/ })
      .waitFor()

    await page.getByLabel('Away from').fill('2031-12-24')
    await page.getByLabel('to', { exact: true }).fill('2031-12-26')
    await page.getByRole('button', { name: 'Close these dates' }).click()
    await page
      .getByRole('button', { name: 'Thursday, 25 Dec 2031' })
      .or(page.getByRole('button', { name: /Thursday, .*25.*2031/ }))
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Save hours' }).click()
    await notice(page, 'The hours are saved.')
    await page.reload()
    await untilLoaded(page)
    await untilFilled(page.getByLabel('Tuesday, start 2', { exact: true }), '13:00')
    await page.getByText('Until 02:00 on Saturday').waitFor()

    await page.getByRole('button', { name: 'Delete schedule' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete schedule' }).click()
    await notice(page, `Evenings ${suffix} has been deleted.`)
    expect(visitor.complaints).toEqual([])
  })

  it('gives one date other hours with the keyboard alone', async () => {
    await using visitor = await visit(browser)
    const { page } = visitor
    await signIn(page, 'portal', owner)
    await untilHostsAreThere(page)
    await open(page, 'availability')
    const today = page
      .getByRole('table', { name: 'Dates of this schedule' })
      .getByRole('button', { name: /, today$/ })
    await today.focus()
    await page.keyboard.press('PageDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Close this date' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Use the usual hours' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Close this date' }).waitFor()
    await expect
      .poll(() => page.getByRole('button', { name: 'Save hours' }).isDisabled())
      .toBe(true)
  })

  it('makes an event type from a template, sees it as visitors will, switches it off, copies and deletes it', async () => {
    await using visitor = await visit(browser)
    const { page } = visitor
    await signIn(page, 'portal', owner)
    await untilHostsAreThere(page)
    const title = `Advice ${suffix}`
    await page.getByRole('button', { name: 'Create event type' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('radio', { name: /^Meeting in person/ }).click()
    await dialog.getByRole('textbox', { name: 'Title' }).fill(title)
    await dialog.getByRole('button', { name: 'Create event type' }).click()
    await dialog.getByText('Enter where you meet.').waitFor()
    await dialog.getByRole('textbox', { name: 'Where you meet' }).fill('Main Street 1')
    await dialog.getByRole('button', { name: 'Create event type' }).click()
    await page.getByRole('heading', { name: title, level: 1 }).waitFor()

    const preview = page.getByRole('region', { name: 'Preview' })
    await preview.getByText('1 hour · In person').waitFor()
    const slots = preview.getByRole('listitem')
    await expect.poll(() => slots.count(), { timeout: 10_000 }).toBeGreaterThan(3)
    const hourly = await slots.count()
    await page.getByRole('textbox', { name: 'Length in minutes' }).fill('30')
    await preview.getByText('30 minutes · In person').waitFor()
    await expect.poll(() => slots.count(), { timeout: 10_000 }).toBeGreaterThan(hourly)

    await page.getByRole('button', { name: 'Add a question' }).click()
    await page.getByRole('textbox', { name: 'Question' }).fill('Which product?')
    await choose(page, 'Answer', 'One of several choices')
    await page.getByRole('button', { name: 'Save event type' }).click()
    await page.getByText('Name at least two choices.').waitFor()
    await page.getByRole('textbox', { name: 'Choices' }).fill('Mail\nFiles')
    await page.getByRole('button', { name: 'Save event type' }).click()
    await notice(page, 'The event type is saved.')
    await page.reload()
    await untilLoaded(page)
    await untilFilled(page.getByRole('textbox', { name: 'Choices' }), 'Mail\nFiles')

    const stopped = await breakSystem('mail', {
      mode: 'error',
      status: 503,
      match: 'Principal/getAvailability anna@acme',
    })
    try {
      await page.getByRole('button', { name: 'Later days' }).click()
      await preview.getByText('Visitors see no times').waitFor()
      expect(await slots.count()).toBe(0)
    } finally {
      await stopped()
    }

    await page.getByLabel(/^Start, in your time zone/).fill('2031-01-04T03:00')
    await page.getByRole('button', { name: 'Explain' }).click()
    await page.getByText('Not available').waitFor()
    await page.getByText('Days that can be booked').waitFor()

    await page.getByRole('link', { name: 'All event types' }).click()
    const row = page.getByRole('row', { name: new RegExp(title) })
    await row.getByRole('switch', { name: `${title} can be booked` }).press('Space')
    await expect.poll(() => row.getByRole('switch').isChecked(), { timeout: 10_000 }).toBe(false)
    await row.getByRole('button', { name: `More actions for ${title}` }).click()
    await page.getByRole('menuitem', { name: 'Duplicate' }).click()
    await page.getByRole('heading', { name: `${title} (copy)`, level: 1 }).waitFor()
    await page.getByText('Turned off').first().waitFor()
    await page.getByRole('link', { name: 'All event types' }).click()
    for (const name of [`${title} (copy)`, title]) {
      await page.getByRole('button', { name: `More actions for ${name}`, exact: true }).click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete event type' }).click()
      await notice(page, `${name} has been deleted.`)
      await expect
        .poll(() => page.getByRole('link', { name, exact: true }).count(), { timeout: 10_000 })
        .toBe(0)
    }
    expect(visitor.complaints).toEqual([])
  })
})

describe.each([
  ['desktop', desktop],
  ['phone', phone],
])('on a %s', (_, screen) => {
  it('forms and dates are well made', async () => {
    await using visitor = await visit(browser, { screen })
    const { page } = visitor
    await signIn(page, 'portal', owner)
    await untilHostsAreThere(page)
    await page.getByRole('button', { name: 'Create event type' }).click()
    await page.getByRole('dialog').waitFor()
    await expectWellMadeOn(screen, page)
    await open(page, 'availability')
    await page
      .getByRole('table', { name: 'Dates of this schedule' })
      .getByRole('button', { name: /, today$/ })
      .click()
    await expectWellMadeOn(screen, page)
    expect(visitor.complaints).toEqual([])
  })
})
