import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { openBrowser } from './browser.ts'
import { tokenOf } from './paid-workplace.ts'
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
  const kinds = [
    '/docs',
    '/docs/errors',
    '/docs/flags',
    '/docs/webhook-events',
    '/docs/webhook-events/member.created',
    '/docs?q=suspend',
    '/docs?q=no-such-name',
  ]

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

  it('sends a request with a token, and shows what it returned', async () => {
    const token = await tokenOf('owner@acme.test')
    await using visitor = await visit(browser, { screen: phone })
    const { page } = visitor
    await page.goto(`${inject('workplace').api}/docs/tenants`)
    const operation = page.getByRole('region', { name: 'Read a tenant' })
    await operation.getByText('Try it', { exact: true }).click()
    await operation.getByLabel('slug', { exact: true }).fill('acme')
    await operation.getByLabel('Token').fill(`${token}x`)
    await operation.getByRole('button', { name: 'Send request' }).click()
    await operation.getByText(/^401 .* ms, request /).waitFor()
    await operation.getByLabel('Response body').getByText('"unauthenticated"').waitFor()
    await operation.getByLabel('Token').fill(token)
    await operation.getByRole('button', { name: 'Send request' }).click()
    await operation.getByText(/^200 .* ms, request /).waitFor()
    await operation.getByLabel('Response body').getByText('"slug": "acme"').waitFor()
    await expectWellMade(page)
    // The tab keeps the token, also on another page.
    await page.goto(`${inject('workplace').api}/docs/lists`)
    const other = page.getByRole('region', { name: 'Create a distribution list' })
    await other.getByText('Try it', { exact: true }).click()
    expect(await other.getByLabel('Token').inputValue()).toBe(token)
    await other.getByLabel('slug', { exact: true }).fill('acme')
    await other.getByRole('textbox', { name: 'Body' }).fill('{ "address": ')
    await other.getByRole('button', { name: 'Send request' }).click()
    await other.getByText('The body is not valid JSON. Nothing was sent.').waitFor()
    await other.getByRole('textbox', { name: 'Body' }).fill('{}')
    await other.getByRole('button', { name: 'Send request' }).click()
    await other.getByText(/^400 /).waitFor()
    await other.getByLabel('Response body').getByText('"invalid_input"').waitFor()
    expect(visitor.complaints).toEqual([])
  })

  it('asks before it deletes', async () => {
    const token = await tokenOf('owner@acme.test')
    await using visitor = await visit(browser, { screen: desktop })
    const { page } = visitor
    await page.goto(`${inject('workplace').api}/docs/lists`)
    const operation = page.getByRole('region', { name: 'Remove a distribution list' })
    await operation.getByText('Try it', { exact: true }).click()
    await operation.getByLabel('Token').fill(token)
    await operation.getByLabel('slug', { exact: true }).fill('acme')
    await operation.getByLabel('listId', { exact: true }).fill(crypto.randomUUID())
    const sent: string[] = []
    page.on('request', (request) => sent.push(request.method()))
    page.once('dialog', (dialog) => dialog.dismiss())
    await operation.getByRole('button', { name: 'Send request' }).click()
    expect(sent).toEqual([])
    page.once('dialog', (dialog) => dialog.accept())
    await operation.getByRole('button', { name: 'Send request' }).click()
    await operation.getByText(/^404 /).waitFor()
    expect(sent).toEqual(['DELETE'])
    expect(visitor.complaints).toEqual([])
  })

  it('shows samples in the language that was opened last, on every page', async () => {
    await using visitor = await visit(browser, { screen: desktop })
    const { page } = visitor
    await page.goto(`${inject('workplace').api}/docs/tenants`)
    const operation = page.getByRole('region', { name: 'Suspend a tenant' })
    await operation.getByText('curl -X POST').waitFor()
    await operation.getByText('TypeScript', { exact: true }).click()
    await operation.getByText("atrium.POST('/tenants/{slug}/suspend'").waitFor()
    await page.goto(`${inject('workplace').api}/docs/lists`)
    const other = page.getByRole('region', { name: 'Create a distribution list' })
    await other.getByText("atrium.POST('/tenants/{slug}/lists'").waitFor()
    await expectWellMade(page)
    expect(visitor.complaints).toEqual([])
  })

  it('can be read without scripts', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(`${inject('workplace').api}/docs/tenants`)
    const operation = page.getByRole('region', { name: 'Suspend a tenant' })
    await operation.getByText('TypeScript', { exact: true }).click()
    await operation.getByText("atrium.POST('/tenants/{slug}/suspend'").waitFor()
    expect(await operation.getByText('Try it', { exact: true }).isVisible()).toBe(false)
    await context.close()
  })
})
