import type { Browser, BrowserContext, Page } from 'playwright-core'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { closeContext, openBrowser } from './browser.ts'
import { expectWellMade, phone, signIn, visit } from './people.ts'

const slug = 'card-entry'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
  const { accessToken } = await post(`${inject('workplace').control}/tokens`, {
    email: 'owner@acme.test',
    app: 'portal',
  })
  await post(
    `${inject('workplace').api}/tenants`,
    { name: 'Card Entry', slug },
    { authorization: `Bearer ${accessToken}` },
  )
})

async function post(
  url: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Record<string, unknown>> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  expect(response.ok, `${url} ${response.status} ${text}`).toBe(true)
  return JSON.parse(text)
}

const billing = () => `${inject('workplace').portal}/t/${slug}/billing`

describe("the sandbox's card form", () => {
  it('says what is wrong, asks for a confirmation and leads back, on a phone and with the keyboard', async () => {
    await using visitor = await visit(browser, { screen: phone })
    const { page } = visitor
    await signIn(page, 'portal', 'Anna Owner')
    await page.goto(`${billing()}/card`)
    const form = page.getByRole('link', { name: 'Enter the card' })
    await form.waitFor()
    await expectWellMade(page)
    await form.click()
    await page.getByLabel('Card number').waitFor()
    await expectWellMade(page)

    await page.getByLabel('Card number').fill('4242 4242 4242 4241')
    await page.getByLabel('Expires').fill('12/34')
    await page.getByLabel('Security code').fill('123')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('The card number is wrong.').waitFor()
    await page.getByRole('button', { name: /4000 0025 0000 3155/ }).click()
    await page.getByRole('heading', { name: 'Confirm with your bank' }).waitFor()
    await expectWellMade(page)
    await page.getByRole('button', { name: 'Confirm' }).click()
    await page.waitForURL((url) => url.origin === inject('workplace').portal)
    await page.getByText('Visa ending in 3155').first().waitFor()
    expect(visitor.complaints).toEqual([])
  })

  it('comes with a page on which people see what the payment processor holds', async () => {
    await using visitor = await visit(browser, { screen: phone })
    await visitor.page.goto(inject('workplace').payments)
    await visitor.page.getByRole('heading', { name: 'Customers' }).waitFor()
    await expectWellMade(visitor.page)
  })
})

/** Makes the API respond as with real keys. `started`: called when a setup intent was created. */
async function withRealKeys(
  page: Page,
  started: (setupIntentId: string) => void = () => {},
): Promise<void> {
  await page.route(/\/trpc\/billing\.createSetupIntent/, async (route) => {
    const response = await route.fetch()
    const text = await response.text()
    const secret = /seti_\w+?_secret_\w+/.exec(text)?.[0] ?? ''
    started(secret.split('_secret_')[0] ?? '')
    const answer = text
      .replace(/"cardFormUrl":"[^"]*"/g, '"cardFormUrl":null')
      .replace(/"publishableKey":"[^"]*"/g, '"publishableKey":"pk_test_e2e"')
    await route.fulfill({ response, body: answer })
  })
}

/**
 * As much of Stripe.js as the form touches. What it confirms was confirmed at the sandbox before.
 */
const stripeScript = (setupIntentId: string) => `
  const element = (options) => {
    const handlers = {}
    return {
      on: (name, run) => ((handlers[name] ??= []).push(run), undefined), off() {}, once() {}, update() {}, destroy() {},
      mount(node) {
        node.innerHTML = '<p>Fields of Stripe</p>'
        setTimeout(() => (handlers.ready ?? []).forEach((run) => run(options)))
      },
    }
  }
  window.Stripe = Object.assign(() => ({
    _registerWrapper() {}, registerAppInfo() {}, createToken() {}, createPaymentMethod() {}, confirmCardPayment() {},
    elements: () => ({ create: element, getElement: () => null, update() {}, on() {}, off() {}, submit: async () => ({}) }),
    confirmSetup: async () => ({ setupIntent: { id: '${setupIntentId}' } }),
  }), { version: 'e2e' })`

describe('with keys of the payment processor', () => {
  it('the form opens on a page of its own, and what was entered there is charged from then on', async () => {
    // The portal of this workplace allows nothing from elsewhere, because it has no such keys; its
    // policy with them has a test of its own.
    const context: BrowserContext = await browser.newContext({
      bypassCSP: true,
      reducedMotion: 'reduce',
    })
    const page = await context.newPage()
    await signIn(page, 'portal', 'Anna Owner')
    let started = ''
    await withRealKeys(page, (id) => {
      started = id
    })
    await page.route('https://js.stripe.com/**', async (route) => {
      await post(`${inject('workplace').control}/payments/actions`, {
        action: 'confirm_setup',
        setupIntent: started,
        card: '5555555555554444',
      })
      await route.fulfill({ contentType: 'text/javascript', body: stripeScript(started) })
    })
    await page.goto(`${billing()}/card`)
    await page.getByText('Fields of Stripe').waitFor()
    await page.getByRole('button', { name: 'Save card' }).click()
    await page.getByText('Mastercard ending in 4444').first().waitFor()
    expect(new URL(page.url()).pathname).toBe(`/t/${slug}/billing`)
    await closeContext(context)
  })

  it('the button of the billing page leads there by loading the page, and a form that does not come is told', async () => {
    await using visitor = await visit(browser)
    const { page } = visitor
    await signIn(page, 'portal', 'Anna Owner')
    await withRealKeys(page)
    await page.goto(billing())
    await page.getByRole('button', { name: /Add a card|Use another card/ }).click()
    await page.getByRole('heading', { name: 'Payment card' }).waitFor()
    expect(page.url()).toBe(`${billing()}/card`)
    await page.getByRole('alert').getByText('The card form could not be loaded.').waitFor()
    await expectWellMade(page)
    // The policy kept the script out, as it does for every page of a test app without such keys.
    expect(visitor.complaints.some((complaint) => complaint.includes('js.stripe.com'))).toBe(true)
  })
})
