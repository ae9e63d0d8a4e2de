import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { openBrowser } from './browser.ts'
import { call, tokenOf } from './paid-workplace.ts'
import {
  desktop,
  expectWellMadeOn,
  expectWellMadeOnBoth,
  signIn,
  untilLoaded,
  visit,
} from './people.ts'

const slug = 'access-journey'
const name = 'Access Journey'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
  const owner = await tokenOf('owner@acme.test')
  await call(owner, 'POST', '/tenants', { name, slug })
  const operator = await tokenOf('operator@atrium.test', 'operator')
  const { items } = await call(operator, 'GET', '/partners')
  const { id } = items.find((partner: { slug: string }) => partner.slug === 'north')
  await call(operator, 'PATCH', `/tenants/${slug}`, { partnerId: id })
})

describe('a partner that has to work in the workplace of its customer', () => {
  it('asks the owner, acts on behalf once that approves, and is seen doing so', async () => {
    const { portal } = inject('workplace')
    await using partner = await visit(browser)
    await signIn(partner.page, 'portal', 'Pia Partner')
    await partner.page.goto(`${portal}/partner/customers?customer=${slug}`)
    await partner.page.getByRole('button', { name: 'Ask for access' }).click()
    const form = partner.page.getByRole('dialog', { name: `Ask for access to ${name}` })
    await form.getByRole('button', { name: 'Send request' }).click()
    await form.getByText('Choose at least one area.').waitFor()
    await form.getByText('Say why you need the access.').waitFor()
    await form.getByRole('checkbox', { name: 'Branding' }).check()
    await form.getByRole('checkbox', { name: 'Members' }).check()
    await form.getByLabel('Reason').fill('The logo is wrong')
    await expectWellMadeOnBoth(partner.page)
    await form.getByRole('button', { name: 'Send request' }).click()
    await partner.page.getByText(/^Your request waits for the owner until/).waitFor()

    await using owner = await visit(browser)
    const { page } = owner
    await signIn(page, 'portal', 'Anna Owner')
    await page.goto(`${portal}/t/${slug}/security`)
    await page.getByText('Somebody asks for access to this workplace').waitFor()
    await page.getByRole('link', { name: 'Decide' }).click()
    const request = page.getByRole('article', { name: 'Pia Partner' })
    await request.getByText('The logo is wrong').waitFor()
    await expectWellMadeOnBoth(page)
    await request.getByRole('button', { name: 'Approve' }).click()
    await page
      .getByRole('dialog', { name: 'Give this access?' })
      .getByRole('button', { name: 'Approve' })
      .click()
    await request.getByText('Active', { exact: true }).waitFor()

    await partner.page.reload()
    await partner.page.getByRole('link', { name: 'Open the workplace' }).click()
    await partner.page.getByText(`You act on behalf of ${name}`).waitFor()
    await untilLoaded(partner.page)
    await expectWellMadeOn(desktop, partner.page)
    const navigation = partner.page.getByRole('navigation').first()
    for (const shown of ['Members', 'Branding'])
      await navigation.getByRole('link', { name: shown, exact: true }).waitFor()
    for (const hidden of ['Billing', 'Single sign-on', 'Settings'])
      expect(await navigation.getByRole('link', { name: hidden, exact: true }).count()).toBe(0)
    await navigation.getByRole('link', { name: 'Branding', exact: true }).click()
    await partner.page.getByLabel('Product name').fill('Journey Mail')
    await partner.page.getByRole('button', { name: 'Save' }).first().click()
    await partner.page.getByText(/saved/i).first().waitFor()
    await expectWellMadeOnBoth(partner.page)
    await partner.page.getByRole('link', { name: 'Leave' }).click()
    await partner.page.waitForURL((url) => url.pathname === '/partner/customers')
    await partner.page.goto(`${portal}/partner/access`)
    await partner.page.getByRole('article', { name }).first().waitFor()
    await expectWellMadeOn(desktop, partner.page)

    await page.goto(`${portal}/t/${slug}/security/access`)
    await request.getByRole('button', { name: 'Show changes' }).click()
    const acts = page.getByRole('dialog', { name: 'Done under this access' })
    await acts.getByText('Branding updated').first().waitFor()
    await acts.getByText(`on behalf of ${slug}`).first().waitFor()
    await expectWellMadeOn(desktop, page)
    await page.keyboard.press('Escape')
    await request.getByRole('button', { name: 'End access' }).click()
    await page
      .getByRole('dialog', { name: 'End this access?' })
      .getByRole('button', { name: 'End access' })
      .click()
    await request.getByText('Ended', { exact: true }).first().waitFor()
    await partner.page.goto(`${portal}/t/${slug}/branding`)
    await partner.page.getByText('Only members of').waitFor()
    expect([...partner.complaints, ...owner.complaints]).toEqual([])
  })
})

describe('an operator in an emergency', () => {
  it('opens an access, which the owner sees on every page until it is acknowledged', async () => {
    const { portal, operator: at } = inject('workplace')
    await using operator = await visit(browser)
    await signIn(operator.page, 'operator', 'Olive Operator')
    await operator.page.goto(`${at}/tenants/${slug}?tab=access`)
    await operator.page.getByRole('button', { name: 'Emergency access' }).click()
    const dialog = operator.page.getByRole('dialog', { name: /^Open an emergency access/ })
    await dialog.getByLabel('Reason').fill('Mail is lost')
    await expectWellMadeOn(desktop, operator.page)
    await dialog.getByRole('button', { name: 'Open emergency access' }).click()
    await operator.page.getByRole('article', { name: 'Olive Operator' }).waitFor()
    await expectWellMadeOnBoth(operator.page)

    await using owner = await visit(browser)
    const { page } = owner
    await signIn(page, 'portal', 'Anna Owner')
    await page.goto(`${portal}/t/${slug}`)
    const banner = page.getByText('An operator has emergency access to this workplace')
    await banner.waitFor()
    await page
      .getByText(/Mail is lost/)
      .first()
      .waitFor()
    await page.getByRole('link', { name: 'See the access' }).click()
    const access = page.getByRole('article', { name: 'Olive Operator' })
    await access.getByRole('button', { name: 'End access' }).click()
    await page
      .getByRole('dialog', { name: 'End this access?' })
      .getByRole('button', { name: 'End access' })
      .click()
    await page.getByText('An operator had emergency access to this workplace').waitFor()
    await untilLoaded(page)
    await expectWellMadeOn(desktop, page)
    await access.getByRole('button', { name: 'I have seen this' }).click()
    await page
      .getByText('An operator had emergency access to this workplace')
      .waitFor({ state: 'detached' })
    expect([...operator.complaints, ...owner.complaints]).toEqual([])
  })
})
