import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { openBrowser } from './browser.ts'
import {
  desktop,
  expectWellMade,
  expectWellMadeOn,
  expectWellMadeOnBoth,
  phone,
  signIn,
  untilLoaded,
  visit,
} from './people.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})

const slug = 'billing-journey'

async function control(path: string, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${inject('workplace').control}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  expect(response.ok, `${path} ${response.status}`).toBe(true)
  return JSON.parse(await response.text())
}

/** A workplace of Anna's that no other journey pays for. */
async function makeTenant(named = slug, name = 'Billing Journey'): Promise<void> {
  const { accessToken } = await control('/tokens', { email: 'owner@acme.test', app: 'portal' })
  const response = await fetch(`${inject('workplace').api}/tenants`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${accessToken}` },
    body: JSON.stringify({ name, slug: named, billingInfo: { country: 'DE' } }),
  })
  expect(response.status).toBe(201)
}

/** From the billing page over the sandbox's card form and back. */
async function enterCard(page: Page, button: string, card: RegExp, query = ''): Promise<void> {
  await page.getByRole('button', { name: button }).click()
  await page.getByRole('link', { name: 'Enter the card' }).click()
  await page.waitForURL((url) => url.origin === inject('workplace').payments)
  await page.getByRole('button', { name: card }).click()
  await page.waitForURL((url) => url.origin === inject('workplace').portal)
  await page.getByText('is charged from now on.').first().waitFor()
  expect(new URL(page.url()).search).toBe(query === '' ? '' : `?${query}`)
}

/** What the law wants on every invoice. */
async function giveAddress(page: Page): Promise<void> {
  await page.goto(`${inject('workplace').portal}/t/${slug}/billing-details`)
  const panel = page.getByRole('region', { name: 'Postal address' })
  await panel.getByRole('textbox', { name: 'Street and number' }).fill('Main Street 1')
  await panel.getByRole('textbox', { name: 'Postal code' }).fill('10115')
  await panel.getByRole('textbox', { name: 'City' }).fill('Berlin')
  for (const screen of [desktop, phone]) {
    await page.setViewportSize(screen)
    await untilLoaded(page)
    await expectWellMadeOn(screen, page)
  }
  await page.setViewportSize(desktop)
  await panel.getByRole('button', { name: 'Save address' }).click()
  await page.getByText('The address is saved.').waitFor()
}

describe('an owner', () => {
  it('sets a card, subscribes and sees the paid invoice; a decline shows, and another card pays at once', async () => {
    await makeTenant()
    await using visitor = await visit(browser)
    const { page } = visitor
    await signIn(page, 'portal', 'Anna Owner')
    await giveAddress(page)
    await page.goto(`${inject('workplace').portal}/t/${slug}/billing`)
    const card = page.getByRole('region', { name: 'Card' })
    const invoices = page.getByRole('region', { name: 'Invoices' })
    await card.getByText('No card is on file.').waitFor()
    await invoices.getByText('No invoices yet.').waitFor()

    await page.getByRole('radio', { name: /Starter/ }).check()
    await page.getByRole('textbox', { name: 'Seats' }).fill('3')
    await page.getByRole('button', { name: 'Continue to the summary' }).click()
    const order = page.getByRole('region', { name: 'Order summary' })
    await order.getByText('Add a card first').waitFor()
    expect(await page.getByRole('button', { name: 'Order with obligation to pay' }).count()).toBe(0)
    // Taken when it is entered, declined when it is charged. Comes back to the summary.
    await enterCard(page, 'Add a card', /4000 0000 0000 0341/, 'order=starter.month.eur.3')
    await card.getByText('Visa ending in 0341').waitFor()
    await order.getByText('Visa ending in 0341 is charged.').waitFor()
    for (const label of ['Term', 'First invoice', 'Next invoice', 'Renewal'])
      await order.getByText(label, { exact: true }).waitFor()
    await order.getByText('Due today: €12.00').waitFor()
    await expectWellMadeOnBoth(page)
    await page.getByRole('button', { name: 'Order with obligation to pay' }).click()
    await page.getByText('Your order is waiting for its first payment').waitFor()
    expect(await page.getByText('A payment failed').count()).toBe(0)
    await invoices.getByText('Overdue').waitFor()
    await expectWellMade(page)
    await invoices.getByRole('button', { name: /^Pay now/ }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Pay €12\.00/ })
      .click()
    await page.getByRole('dialog').getByText('declined').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()

    await enterCard(page, 'Use another card', /4242 4242 4242 4242/)
    await card.getByText('Visa ending in 4242').waitFor()
    await page
      .getByText('Your order is waiting for its first payment')
      .waitFor({ state: 'detached' })
    await invoices.getByText('Paid').waitFor()
    await page.getByRole('region', { name: 'Plan' }).getByText('Active').waitFor()
    await page
      .getByRole('region', { name: 'Due and upcoming' })
      .getByText(/^€12\.00 on /)
      .waitFor()

    await card.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove card' }).click()
    await page.getByRole('dialog').getByText('A subscription is charged to this card.').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    for (const screen of [desktop, phone]) {
      await page.setViewportSize(screen)
      await page.reload()
      await card.getByText('Visa ending in 4242').waitFor()
      await invoices.getByText('Paid').waitFor()
      await untilLoaded(page)
      await expectWellMadeOn(screen, page)
    }
    await page.getByRole('button', { name: /^Documents of invoice/ }).click()
    for (const [item, begin] of [
      ['PDF', '%PDF-1.7'],
      ['E-invoice (XML)', '<?xml version="1.0"'],
    ] as const) {
      const href = await page.getByRole('menuitem', { name: item }).getAttribute('href')
      const file = await page.request.get(new URL(href ?? '', page.url()).href)
      expect((await file.body()).toString('latin1')).toContain(begin)
    }
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /^Open invoice/ }).click()
    await page.waitForURL((url) => url.origin === inject('workplace').payments)
    expect(visitor.complaints).toEqual([])
  })
})

describe('an order', () => {
  it('whose payment the bank asks about is confirmed on its page, and can be dropped before', async () => {
    const journey = 'confirm-journey'
    await makeTenant(journey, 'Confirm Journey')
    await using visitor = await visit(browser)
    const { page } = visitor
    await signIn(page, 'portal', 'Anna Owner')
    const address = `${inject('workplace').portal}/t/${journey}/billing`
    const place = async () => {
      await page.goto(`${address}?order=starter.month.eur.2`)
      await page.getByRole('button', { name: 'Order with obligation to pay' }).click()
      await page.getByText('Your order is waiting for its first payment').waitFor()
    }
    await page.goto(`${address}?order=starter.month.eur.2`)
    await page.getByRole('button', { name: 'Add a card' }).click()
    await page.getByRole('link', { name: 'Enter the card' }).click()
    await page.getByRole('button', { name: /4000 0027 6000 3184/ }).click()
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.getByText('Visa ending in 3184 is charged.').waitFor()
    await place()
    await page.getByRole('button', { name: 'Cancel the order' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the order' }).click()
    await page.getByRole('region', { name: 'Choose a plan' }).waitFor()

    await place()
    await expectWellMade(page)
    await page.getByRole('button', { name: 'Confirm the payment' }).click()
    await page.getByRole('heading', { name: 'Confirm with your bank' }).waitFor()
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.waitForURL((url) => url.origin === inject('workplace').portal)
    await page.getByRole('region', { name: 'Plan' }).getByText('Active').waitFor()
    expect(visitor.complaints).toEqual([])
  })
})

describe('an operator', () => {
  it('sees how money stands, and each event of the payment processor with what became of it', async () => {
    await using visitor = await visit(browser)
    const { page } = visitor
    await signIn(page, 'operator', 'Olive Operator')
    await page.goto(`${inject('workplace').operator}/billing`)
    await page
      .getByRole('table', { name: 'Revenue and invoices by currency' })
      .getByText('EUR')
      .waitFor()
    await untilLoaded(page)
    await expectWellMade(page)
    await page.getByRole('link', { name: 'Open the inbox' }).click()
    await page.getByRole('textbox', { name: 'Type' }).fill('setup_intent.succeeded')
    await page.getByRole('link', { name: 'setup_intent.succeeded' }).first().click()
    const drawer = page.getByRole('dialog', { name: 'setup_intent.succeeded' })
    await drawer
      .getByRole('region', { name: 'Payload' })
      .getByText('"client_secret": "***"')
      .waitFor()
    await expectWellMade(page)
    await drawer.getByRole('button', { name: 'Replay' }).click()
    await page
      .getByRole('dialog', { name: 'Replay this event' })
      .getByRole('button', { name: 'Replay' })
      .click()
    await page.getByText('The event is being processed again.').waitFor()
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })
    await page.setViewportSize(phone)
    await page.reload()
    await page.getByRole('table', { name: 'Payment events' }).waitFor()
    await untilLoaded(page)
    await expectWellMade(page)
    await page.goto(`${inject('workplace').operator}/billing`)
    await untilLoaded(page)
    await expectWellMade(page)
    expect(visitor.complaints).toEqual([])
  })
})
