import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { openBrowser } from './browser.ts'
import {
  desktop,
  expectNoSidewaysScroll,
  expectWellMade,
  expectWellMadeOn,
  phone,
  visit,
} from './people.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})

describe('the API reference', () => {
  // One template renders all sections: the rules need one of each kind, the width every one.
  const kinds = ['/docs', '/docs/errors', '/docs/flags', '/docs?q=suspend', '/docs?q=no-such-name']

  it('fits on a phone in every section', async () => {
    await using visitor = await visit(browser, { screen: phone })
    const { page } = visitor
    await page.goto(`${inject('workplace').api}/docs`)
    const links = await page.getByRole('navigation', { name: 'Sections' }).getByRole('link').all()
    const sections = await Promise.all(links.map((link) => link.getAttribute('href')))
    expect(sections.length).toBeGreaterThan(25)
    for (const path of sections) {
      await page.goto(`${inject('workplace').api}${path}`)
      await expectNoSidewaysScroll(page)
    }
    expect(visitor.complaints).toEqual([])
  })

  it.each(kinds)('is well made on a desktop and a phone: %s', async (path) => {
    await using visitor = await visit(browser, { screen: desktop })
    const { page } = visitor
    await page.goto(`${inject('workplace').api}${path}`)
    await expectWellMade(page)
    await page.setViewportSize(phone)
    await expectWellMadeOn(phone, page)
    expect(visitor.complaints).toEqual([])
  })

  it('leads from a search to the operation and from its errors to what they mean', async () => {
    await using visitor = await visit(browser, { screen: phone })
    const { page } = visitor
    await page.goto(`${inject('workplace').api}/docs`)
    await page.getByRole('searchbox', { name: 'Search operations' }).fill('suspend tenant')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('link', { name: '/tenants/{slug}/suspend' }).click()
    const operation = page.getByRole('region', { name: 'Suspend a tenant' })
    await operation.getByText('/tenants/{slug}/suspend', { exact: true }).first().waitFor()
    await operation.getByRole('link', { name: 'already_suspended' }).click()
    await page.waitForURL(/\/docs\/errors#already_suspended$/)
    await page.getByText('This is already suspended.').waitFor()
  })

  it('opens what is folded up, and none of it makes the page scroll sideways', async () => {
    await using visitor = await visit(browser, { screen: phone })
    const { page } = visitor
    const unfold = async (section: string) => {
      await page.goto(`${inject('workplace').api}/docs/${section}`)
      await page.evaluate(
        `for (const details of document.querySelectorAll('details')) details.open = true`,
      )
    }
    await unfold('scheduling')
    await expectNoSidewaysScroll(page)
    await unfold('flags')
    await expectWellMade(page)
  })
})
