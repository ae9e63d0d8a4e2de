import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openBrowser } from './browser.ts'
import { call, makeWorkplaceWithCard } from './paid-workplace.ts'
import { expectWellMadeOnBoth, signIn, visit } from './people.ts'
import { startWorkplace } from './workplace.ts'

let browser: Browser
// Of its own: the seller of the shared one charges no tax.
let workplace: Awaited<ReturnType<typeof startWorkplace>>

beforeAll(async () => {
  browser = await openBrowser()
  const env = {
    TAX_MODE: 'fixed_rates',
    TAX_SELLER_COUNTRY: 'DE',
    TAX_SELLER_VAT_NUMBER: 'DE136695976',
    TAX_RATES: 'DE=19',
  }
  workplace = await startWorkplace({ history: false, env })
})
afterAll(() => workplace?.stop())

interface Customer {
  slug: string
  billingInfo: { company: string; country: string; vatNumber?: string }
  address: { line1: string; postalCode: string; city: string }
}

/** A workplace of Anna's with a card and everything that an invoice says of its buyer. */
async function makeCustomer({ slug, billingInfo, address }: Customer): Promise<void> {
  const at = workplace.addresses
  const owner = await makeWorkplaceWithCard({ name: billingInfo.company, slug, at })
  await call(owner, 'PATCH', `/tenants/${slug}/billing-info`, billingInfo, at)
  await call(owner, 'PUT', `/tenants/${slug}/billing-address`, address, at)
}

/** The rows of a table of amounts, label and amount. */
const amountsIn = (table: Locator) =>
  table
    .getByRole('row')
    .evaluateAll((rows) =>
      rows.map((row) => [...row.children].map((cell) => cell.textContent ?? '')),
    )

/** The only invoice as an e-invoice. */
async function readInvoice(page: Page): Promise<string> {
  await page.getByRole('button', { name: /^Documents of invoice/ }).click()
  const link = page.getByRole('menuitem', { name: 'E-invoice (XML)' })
  const file = await page.request.get(
    new URL((await link.getAttribute('href')) ?? '', page.url()).href,
  )
  return file.text()
}

const elements = (xml: string, name: string) =>
  [...xml.matchAll(new RegExp(`<ram:${name}[^>]*>([^<]*)</ram:${name}>`, 'g'))].map(
    ([, text]) => text,
  )

it.each([
  {
    what: 'a customer in Germany pays the VAT that the order summary shows',
    customer: {
      slug: 'taxed-at-home',
      billingInfo: { company: 'Backhaus Nord GmbH', country: 'DE' },
      address: { line1: 'Hafenstraße 12', postalCode: '20457', city: 'Hamburg' },
    },
    tax: ['VAT 19%, Germany', '€7.60'],
    total: '€47.60',
    category: 'S',
    sums: { TaxBasisTotalAmount: '40.00', TaxTotalAmount: '7.60', GrandTotalAmount: '47.60' },
  },
  {
    what: 'a business in another EU country accounts for the VAT itself',
    customer: {
      slug: 'reverse-charge',
      billingInfo: { company: 'Atelier Sud SAS', country: 'FR', vatNumber: 'FR40303265045' },
      address: { line1: '8 rue du Port', postalCode: '13002', city: 'Marseille' },
    },
    tax: ['Reverse charge: you account for the VAT', '€0.00'],
    total: '€40.00',
    category: 'AE',
    sums: { TaxBasisTotalAmount: '40.00', TaxTotalAmount: '0.00', GrandTotalAmount: '40.00' },
  },
])('$what', async ({ customer, tax, total, category, sums }) => {
  await makeCustomer(customer)
  const { portal } = workplace.addresses
  await using visitor = await visit(browser)
  const { page } = visitor
  await signIn(page, 'portal', 'Anna Owner', portal)
  await page.goto(`${portal}/t/${customer.slug}/billing?order=starter.month.eur.10`)

  const order = page.getByRole('region', { name: 'Order summary' })
  await order.getByText(`Due today: ${total}`).waitFor()
  expect(await amountsIn(order.getByRole('table', { name: 'What is due now' }))).toEqual([
    ['Net amount', '€40.00'],
    tax,
    ['Due now', total],
  ])
  await expectWellMadeOnBoth(page)
  await page.getByRole('button', { name: 'Order with obligation to pay' }).click()

  const due = page.getByRole('region', { name: 'Due and upcoming' })
  await due.getByText(`${total} on `).waitFor()
  expect(await amountsIn(due.getByRole('table'))).toEqual([
    ['Net amount', '€40.00'],
    tax,
    ['Total', total],
  ])
  await page.getByRole('region', { name: 'Invoices' }).getByText('Paid').waitFor()
  await expectWellMadeOnBoth(page)

  const invoice = await readInvoice(page)
  expect(new Set(elements(invoice, 'CategoryCode'))).toEqual(new Set([category]))
  for (const [name, amount] of Object.entries(sums))
    expect(elements(invoice, name), name).toEqual([amount])
  expect(visitor.complaints).toEqual([])
})
