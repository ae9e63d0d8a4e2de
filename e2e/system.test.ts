import type { Browser } from 'playwright-core'
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

describe('an operator', () => {
  it('sees on the system page that an upstream system does not answer, and that it does again', async () => {
    await using visitor = await visit(browser)
    const { page } = visitor
    await signIn(page, 'operator', 'Olive Operator')
    await page.getByRole('link', { name: 'System' }).click()
    await page.getByRole('heading', { name: 'System', level: 1 }).waitFor()
    const files = page.getByRole('row', { name: /File storage/ })
    await files.getByText('Responding', { exact: true }).waitFor()
    const mend = await breakSystem('files', {
      mode: 'error',
      status: 503,
      match: 'GET /graph/v1.0/me',
    })
    try {
      // Each process asks at most every 15 s, the page every 5.
      await files.getByText('Not responding').waitFor({ timeout: 45_000 })
      await page.getByText('An upstream system is not responding').waitFor()
    } finally {
      await mend()
    }
    await files.getByText('Responding', { exact: true }).waitFor({ timeout: 45_000 })
    await files.getByText('Details').first().click()
    await files.getByText(/503/).first().waitFor()
    await page.getByRole('button', { name: /^Show all \d+$/ }).click()
    await page.getByRole('rowheader', { name: 'provisioning-sweep' }).waitFor()
    expect(visitor.complaints).toEqual([])
  })

  it.each([
    ['a desktop', desktop],
    ['a phone', phone],
  ])('reads the page on %s, in light and dark', async (_, screen) => {
    await using visitor = await visit(browser, { screen })
    const { page } = visitor
    await signIn(page, 'operator', 'Olive Operator')
    await page.goto(`${inject('workplace').operator}/system?kind=calendar`)
    await page.getByText('No open failures of this kind').waitFor()
    await page.getByRole('button', { name: /^Show all \d+$/ }).click()
    await untilLoaded(page)
    await expectWellMadeOn(screen, page)
    expect(visitor.complaints).toEqual([])
  })
})
