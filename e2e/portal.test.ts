import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { openBrowser } from './browser.ts'
import {
  breakSystem,
  createWorkplaceLink,
  desktop,
  expectWellMade,
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

describe('a newcomer', () => {
  it('signs in, creates a workplace and sees it become ready', async () => {
    await using guest = await visit(browser)
    const { page } = guest
    await signIn(page, 'portal', 'Nico Newcomer')
    await createWorkplaceLink(page, 'Create your workplace').click()
    await page.getByLabel('Name of the workplace').fill('Müller & Söhne')
    await page.getByRole('button', { name: 'Create workplace' }).click()
    await page.getByRole('heading', { name: 'Müller & Söhne is ready' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/t/muller-sohne')
    const steps = page.getByRole('list', { name: 'Provisioning steps' }).getByRole('listitem')
    expect(await steps.filter({ hasText: 'Done' }).count()).toBe(3)
    await expectWellMade(page)
    expect(guest.complaints).toEqual([])
  })

  it('sees exactly the broken step fail with a message, retries when it is mended, and it is ready', async () => {
    const mend = await breakSystem('files', { mode: 'error', status: 503 })
    await using guest = await visit(browser)
    const { page } = guest
    try {
      await signIn(page, 'portal', 'Nico Newcomer')
      await page.goto(`${inject('workplace').portal}/new`)
      await page.getByLabel('Name of the workplace').fill('Broken Files')
      await page.getByRole('button', { name: 'Create workplace' }).click()
      const steps = page.getByRole('list', { name: 'Provisioning steps' })
      const step = (name: string) => steps.getByRole('listitem').filter({ hasText: name })
      await step('Files').getByText('Failed', { exact: true }).waitFor()
      expect(await step('Files').innerText()).toContain('The file storage reported an error.')
      expect(await step('Files').getByText('ensureSpace').isVisible()).toBe(false)
      await step('Files').getByText('Details', { exact: true }).click()
      expect(await step('Files').getByText('ensureSpace: 503, server').isVisible()).toBe(true)
      await expectWellMade(page)
      await step('Identity').getByText('Done').waitFor()
      await step('Mail').getByText('Done').waitFor()
    } finally {
      await mend()
    }
    await page.getByRole('button', { name: 'Retry now' }).click()
    await page.getByRole('heading', { name: 'Broken Files is ready' }).waitFor()
    const health = page.getByRole('region', { name: 'Health' })
    await health.getByText('Every provisioning step is done').waitFor()
    expect(await health.innerText()).not.toMatch(/step failed|in progress/)
  })

  it('learns in place what is wrong with a form', async () => {
    await using guest = await visit(browser)
    const { page } = guest
    await signIn(page, 'portal', 'Nico Newcomer')
    await page.goto(`${inject('workplace').portal}/new`)
    await page.getByRole('button', { name: 'Create workplace' }).click()
    await page.getByText('This must not be empty.').first().waitFor()
    await expectWellMade(page)
  })
})

describe('people of a tenant', () => {
  for (const [device, screen] of [
    ['desktop', desktop],
    ['phone', phone],
  ] as const) {
    it(`find the start and a missing page well made on a ${device}`, async () => {
      await using person = await visit(browser, { screen })
      const { page } = person
      await page.goto(inject('workplace').portal)
      await page.getByRole('heading').first().waitFor()
      await expectWellMadeOn(screen, page)
      await signIn(page, 'portal', 'Anna Owner')
      await page.goto(`${inject('workplace').portal}/t/nobody-knows-this`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await untilLoaded(page)
      await expectWellMadeOn(screen, page)
      expect(person.complaints).toEqual([])
    })
  }

  it('see navigation without dead links where the workplace is missing', async () => {
    await using person = await visit(browser)
    const { page } = person
    await signIn(page, 'portal', 'Anna Owner')
    await page.goto(`${inject('workplace').portal}/t/nobody-knows-this/members`)
    await page.getByRole('heading', { name: 'No such workplace', level: 1 }).waitFor()
    const main = page.getByRole('navigation', { name: 'Main' })
    expect(await main.locator('a[href*="nobody-knows-this"]').count()).toBe(0)
    expect(await main.getByRole('link', { name: 'My profile' }).count()).toBe(1)
  })

  it('keep the navigation of their workplace on the profile page, all of it in view on a laptop', async () => {
    await using person = await visit(browser, { screen: { width: 1280, height: 800 } })
    const { page } = person
    await signIn(page, 'portal', 'Anna Owner')
    await page.goto(`${inject('workplace').portal}/t/acme`)
    const main = page.getByRole('navigation', { name: 'Main' })
    await main.getByRole('link', { name: 'My profile' }).click()
    await page.getByRole('heading', { name: 'My profile', level: 1 }).waitFor()
    await main.getByRole('link', { name: 'Members' }).waitFor()
    const last = await main.getByRole('link').last().boundingBox()
    const height = last?.height ?? 0
    expect(height).toBeGreaterThanOrEqual(24)
    // One entry more for people with several workplaces.
    const further = (await main.getByRole('link', { name: 'All workplaces' }).count()) === 0
    expect((last?.y ?? 0) + height + (further ? height : 0)).toBeLessThanOrEqual(800)
  })

  it('close a confirmation with Escape and keep the drawer behind it', async () => {
    await using person = await visit(browser)
    const { page } = person
    await signIn(page, 'portal', 'Anna Owner')
    await page.goto(`${inject('workplace').portal}/t/acme/members`)
    await page
      .getByRole('link', { name: 'Mira Member' })
      .or(page.getByRole('button', { name: 'Mira Member' }))
      .first()
      .click()
    const drawer = page.getByRole('dialog', { name: 'Mira Member' })
    const trigger = drawer.getByRole('button', { name: 'Remove' })
    await trigger.click()
    const question = page.getByRole('dialog', { name: /Remove/ })
    await question.waitFor()
    await page.keyboard.press('Escape')
    await question.waitFor({ state: 'detached' })
    expect(await drawer.isVisible()).toBe(true)
    await expect.poll(() => trigger.evaluate((button) => button.matches(':focus'))).toBe(true)
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })
  })

  it('may look but not change as members', async () => {
    await using person = await visit(browser)
    const { page } = person
    await signIn(page, 'portal', 'Mira Member')
    await page.goto(`${inject('workplace').portal}/t/acme/members`)
    await page.getByText('owner@acme.test').first().waitFor()
    expect(await page.getByRole('link', { name: 'Settings' }).count()).toBe(0)
  })

  it('do not see tenants of others', async () => {
    await using person = await visit(browser)
    const { page } = person
    await signIn(page, 'portal', 'Gero Owner')
    await page.goto(`${inject('workplace').portal}/t/acme`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    expect(await page.getByText('Acme Engineering').count()).toBe(0)
  })

  it('sign out for good: going back shows nothing', async () => {
    await using person = await visit(browser)
    const { page, context } = person
    await signIn(page, 'portal', 'Adam Admin')
    await page.goto(`${inject('workplace').portal}/t/acme`)
    await page.getByRole('button', { name: /Account of/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.waitForURL(`${inject('workplace').portal}/signed-out`)
    expect(
      (await context.cookies(inject('workplace').portal)).filter((cookie) =>
        /^__Host-atrium-portal-\d+$/.test(cookie.name),
      ),
    ).toEqual([])
    const response = await page.request.get(`${inject('workplace').portal}/api/me`)
    expect(response.status()).toBe(401)
  })
})
