import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { openBrowser } from './browser.ts'
import { call, makePaidWorkplace, tokenOf } from './paid-workplace.ts'
import { desktop, expectWellMade, expectWellMadeOnBoth, phone, signIn, visit } from './people.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})

const badge = (page: Page, text: string) => page.getByRole('main').getByText(text, { exact: true })

describe('the price catalog', () => {
  it('gets a draft, which goes on sale, is changed by a new version, and is archived', async () => {
    await using visitor = await visit(browser)
    const { page } = visitor
    await signIn(page, 'operator', 'Olive Operator')
    await page.goto(`${inject('workplace').operator}/prices`)
    await page.getByRole('rowheader', { name: /Business, monthly/ }).waitFor()
    await expectWellMade(page)
    await page.getByRole('link', { name: 'New price' }).click()
    await page.getByRole('heading', { name: 'New price' }).waitFor()
    await page.getByRole('combobox', { name: 'Plan' }).click()
    await page.getByRole('option', { name: 'Free' }).click()
    await page.getByLabel('Amount per seat and month').fill('about two')
    await page.getByRole('button', { name: 'Save draft' }).click()
    await page.getByText('Enter an amount such as 8.50.').waitFor()
    await page.setViewportSize(phone)
    await expectWellMade(page)
    await page.getByLabel('Amount per seat and month').fill('2.50')
    await page.getByRole('button', { name: 'Save draft' }).click()

    await page.getByRole('heading', { name: 'Free, monthly', level: 1 }).waitFor()
    await badge(page, 'Draft').waitFor()
    await page.getByText('€2.50 per seat').waitFor()
    await page.getByRole('button', { name: 'Put on sale' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Put on sale' }).click()
    await badge(page, 'On sale').waitFor()
    await page.getByText(/^price_/).waitFor()

    await page.getByRole('button', { name: 'Change' }).click()
    const drawer = page.getByRole('dialog', { name: 'Change Free, monthly' })
    await drawer.getByLabel('Amount per seat and month').fill('3')
    await drawer.getByText(/keep their price/).waitFor()
    await drawer.getByRole('button', { name: 'Create new version' }).click()
    await page.getByText('€3.00 per seat').first().waitFor()
    await page.getByText('Version 2', { exact: true }).first().waitFor()
    const others = page.getByRole('region', { name: 'Other versions' })
    await others.getByText('Archived').waitFor()
    await expectWellMadeOnBoth(page)

    await page.getByRole('button', { name: 'Archive' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Archive price' }).click()
    await expect.poll(() => page.getByRole('button', { name: 'Change' }).count()).toBe(0)
    expect(visitor.complaints).toEqual([])
  })
})

/** A workplace of Anna's paid by card, that only this file changes. */
const paid = 'plan-journey'

describe('a subscription that is paid by card', () => {
  beforeAll(async () => {
    await makePaidWorkplace({ name: 'Plan Journey', slug: paid, plan: 'starter', seats: 5 })
  })

  it('gets more seats for what was shown, and fewer with the end of the period', async () => {
    await using visitor = await visit(browser)
    const { page } = visitor
    const plan = await openPlan(page, 'Anna Owner', paid)
    await plan.getByText('5 seats').waitFor()
    await plan.getByRole('button', { name: 'Change seats' }).click()
    const seats = page.getByRole('dialog', { name: 'Change seats' })
    await seats.getByRole('button', { name: 'One seat more' }).click()
    await seats.getByRole('button', { name: 'One seat more' }).click()
    await seats.getByText(/€28\.00 a month/).waitFor()
    await page.setViewportSize(phone)
    await expectWellMade(page)
    await seats.getByRole('button', { name: /^Pay .* and change$/ }).click()
    await plan.getByText('7 seats').waitFor()
    await expect.poll(() => seats.count()).toBe(0)

    await plan.getByRole('button', { name: 'Change seats' }).click()
    await seats.getByLabel('Seats', { exact: true }).fill('3')
    await seats.getByText(/Nothing changes until/).waitFor()
    await seats.getByRole('button', { name: /^Change on/ }).click()
    await plan.getByText(/^From .*: 3 seats$/).waitFor()
    // What is charged next counts the change that waits.
    const due = page.getByRole('region', { name: 'Due and upcoming' })
    await due.getByText(/^€12\.00 on /).waitFor()
    await page.setViewportSize(desktop)
    await expectWellMade(page)
    await plan.getByRole('button', { name: 'Discard change' }).click()
    await expect.poll(() => plan.getByRole('button', { name: 'Discard change' }).count()).toBe(0)
    await due.getByText(/^€28\.00 on /).waitFor()
    expect(visitor.complaints).toEqual([])
  })

  it('shows what another plan costs, is canceled in two clicks, confirmed by mail, and kept', async () => {
    await using visitor = await visit(browser)
    const { page } = visitor
    const plan = await openPlan(page, 'Anna Owner', paid)
    await plan.getByRole('button', { name: 'Change plan' }).click()
    const plans = page.getByRole('dialog', { name: 'Change plan' })
    await plans.getByRole('radio', { name: 'Enterprise' }).click()
    await plans.getByText(/Remaining time/).waitFor()
    await page.setViewportSize(phone)
    await expectWellMade(page)
    await plans.getByRole('button', { name: 'Cancel' }).click()

    await plan.getByRole('button', { name: 'Cancel contract here' }).click()
    const cancel = page.getByRole('dialog', { name: 'Cancel the contract' })
    await cancel.getByText(/with the day and time of receipt/).waitFor()
    await expectWellMade(page)
    await cancel.getByRole('button', { name: 'Cancel now' }).click()
    await plan.getByText(/^Canceled on .* A confirmation was sent by e-mail\./).waitFor()
    await expectWellMade(page)
    const operator = await tokenOf('operator@atrium.test', 'operator')
    const mails = await call(operator, 'GET', `/outbox?tenantSlug=${paid}&q=subscription.canceled`)
    expect(mails.items).toHaveLength(1)
    await plan.getByRole('button', { name: 'Keep the subscription' }).click()
    await plan.getByRole('button', { name: 'Change seats' }).waitFor()
    expect(visitor.complaints).toEqual([])
  })
})

describe('a subscription that was agreed by hand', () => {
  it('sends its owner to the operator for changes, and can be canceled', async () => {
    await using visitor = await visit(browser)
    const { page } = visitor
    const plan = await openPlan(page)
    await plan.getByText(/Contact the operator to change plan or seats/).waitFor()
    expect(await plan.getByRole('button', { name: /^Change/ }).count()).toBe(0)
    await plan.getByRole('button', { name: 'Cancel contract here' }).click()
    await page.getByRole('dialog').getByLabel('Reason').fill('Too dear')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel now' }).click()
    await plan.getByText('Ends with the period').waitFor()
    await plan.getByRole('button', { name: 'Keep the subscription' }).click()
    await plan.getByRole('button', { name: 'Cancel contract here' }).waitFor()
    expect(visitor.complaints).toEqual([])
  })

  it('is seen by an operator in every state that it was in, and corrected', async () => {
    await using visitor = await visit(browser)
    const { page } = visitor
    await signIn(page, 'operator', 'Olive Operator')
    await page.goto(`${inject('workplace').operator}/subscriptions?q=globex`)
    await page.getByRole('link', { name: 'Globex' }).waitFor()
    await expectWellMade(page)
    await page.getByRole('link', { name: 'Globex' }).click()
    await page
      .getByRole('table', { name: 'History' })
      .getByText('Monthly, 5 seats')
      .first()
      .waitFor()
    await expectWellMadeOnBoth(page)
    await page.getByRole('button', { name: 'Change' }).click()
    const drawer = page.getByRole('dialog', { name: 'Subscription of Globex' })
    await drawer.getByLabel('Seats').fill('6')
    await drawer.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('row', { name: /Now.*6 seats/ }).waitFor()
    await page.getByRole('button', { name: 'Change' }).click()
    await drawer.getByLabel('Seats').fill('5')
    await drawer.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('row', { name: /Now.*5 seats/ }).waitFor()
    expect(visitor.complaints).toEqual([])
  })
})

async function openPlan(page: Page, person = 'Gero Owner', slug = 'globex') {
  await signIn(page, 'portal', person)
  await page.goto(`${inject('workplace').portal}/t/${slug}/billing`)
  return page.getByRole('region', { name: 'Plan' })
}
