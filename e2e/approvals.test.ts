import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { openBrowser } from './browser.ts'
import { call, makePaidWorkplace, makeWorkplaceWithCard, tokenOf } from './paid-workplace.ts'
import { desktop, expectWellMadeOn, expectWellMadeOnBoth, signIn, visit } from './people.ts'

const slug = 'approval-journey'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
  await makePaidWorkplace({
    name: 'Approval Journey',
    slug,
    plan: 'starter',
    seats: 5,
    partnerSlug: 'north',
  })
})

describe('a partner that wants more seats for its customer', () => {
  it('asks the owner, who sees what it costs, approves it, and sets a limit for later', async () => {
    await using partner = await visit(browser)
    await signIn(partner.page, 'portal', 'Pia Partner')
    await partner.page.goto(`${inject('workplace').portal}/partner/customers?customer=${slug}`)
    const plan = partner.page.getByRole('region', { name: 'Plan' })
    await plan.getByRole('button', { name: 'Change seats' }).click()
    const seats = partner.page.getByRole('dialog', { name: 'Change seats' })
    await seats.getByLabel('Seats', { exact: true }).fill('8')
    await seats.getByText(/Nothing changes until the owner/).waitFor()
    await seats.getByRole('button', { name: 'Ask the owner' }).click()
    await partner.page.getByText("Waiting for the owner's approval").waitFor()
    await plan.getByText('5 seats').waitFor()
    await expectWellMadeOn(desktop, partner.page)

    await using owner = await visit(browser)
    const { page } = owner
    await signIn(page, 'portal', 'Anna Owner')
    await page.goto(`${inject('workplace').portal}/t/${slug}/billing`)
    const orders = page.getByRole('region', { name: 'Orders by your partner' })
    await orders.getByText(/asks for your approval/).waitFor()
    for (const text of [/Starter, 5 seats/, /Starter, 8 seats/, '€12.00 without tax'])
      await orders.getByText(text).first().waitFor()
    await expectWellMadeOnBoth(page)
    await orders.getByRole('button', { name: 'Review and approve' }).click()
    const review = page.getByRole('dialog', { name: 'Approve the request' })
    await review.getByText('Due now').waitFor()
    await expectWellMadeOn(desktop, page)
    await review.getByRole('button', { name: /^Approve and pay €/ }).click()
    await page.getByRole('region', { name: 'Plan' }).getByText('8 seats').waitFor()
    await orders.getByText('Approved', { exact: true }).waitFor()

    await orders.getByRole('button', { name: 'Set a limit' }).click()
    const limit = page.getByRole('dialog', { name: 'Monthly limit' })
    await limit.getByLabel('Amount per month, without tax').fill('8')
    await expectWellMadeOn(desktop, page)
    await limit.getByRole('button', { name: 'Save limit' }).click()
    await orders.getByText(/^€8.00 a month without tax, €0.00 of it used/).waitFor()
    expect(owner.complaints).toEqual([])

    await partner.page.reload()
    await plan.getByRole('button', { name: 'Change seats' }).click()
    await seats.getByRole('button', { name: 'One seat more' }).click()
    await seats.getByRole('button', { name: /^Pay .* and change$/ }).click()
    await plan.getByText('9 seats').waitFor()
    await page.reload()
    await orders.getByText(/^€8.00 a month without tax, €4.00 of it used/).waitFor()
    await orders.getByText('Within limit').waitFor()
    expect(partner.complaints).toEqual([])
  })

  it('is declined with a reason that it reads', async () => {
    const token = await tokenOf('partner@north.test')
    const path = `/tenants/${slug}/subscription`
    const { quote } = await call(token, 'POST', `${path}/preview`, { seats: 300 })
    await call(token, 'POST', `${path}/change`, { seats: 300, quote })
    await using owner = await visit(browser)
    const { page } = owner
    await signIn(page, 'portal', 'Anna Owner')
    await page.goto(`${inject('workplace').portal}/t/${slug}/billing`)
    const orders = page.getByRole('region', { name: 'Orders by your partner' })
    await orders.getByRole('button', { name: 'Decline' }).click()
    const dialog = page.getByRole('dialog', { name: 'Decline the request?' })
    await dialog.getByLabel('Reason').fill('We are nine people')
    await dialog.getByRole('button', { name: 'Decline request' }).click()
    await orders.getByText('Declined', { exact: true }).waitFor()
    await using partner = await visit(browser)
    await signIn(partner.page, 'portal', 'Pia Partner')
    await partner.page.goto(`${inject('workplace').portal}/partner/customers?customer=${slug}`)
    await partner.page.getByText('Reason: We are nine people').waitFor()
    expect(owner.complaints).toEqual([])
  })
})

describe('a partner that orders for a customer without a subscription', () => {
  const ordered = 'order-journey'
  beforeAll(async () => {
    await makeWorkplaceWithCard({ name: 'Order Journey', slug: ordered, partnerSlug: 'north' })
  })

  it('chooses a plan in its drawer, and the owner approves what the summary shows', async () => {
    await using partner = await visit(browser)
    const { page } = partner
    await signIn(page, 'portal', 'Pia Partner')
    await page.goto(`${inject('workplace').portal}/partner/customers?customer=${ordered}`)
    const plans = page.getByRole('region', { name: 'Choose a plan' })
    await plans.getByRole('radio', { name: 'Starter' }).click()
    await plans.getByLabel('Seats', { exact: true }).fill('3')
    await plans.getByRole('button', { name: 'Continue to the summary' }).click()
    const summary = page.getByRole('region', { name: 'Order summary' })
    await summary.getByText('Due on approval: €12.00').waitFor()
    await expectWellMadeOnBoth(page)
    await summary.getByRole('button', { name: 'Choose another plan' }).click()
    await plans.getByRole('radio', { name: 'Starter' }).click()
    await plans.getByLabel('Seats', { exact: true }).fill('4')
    await plans.getByRole('button', { name: 'Continue to the summary' }).click()
    await summary.getByRole('button', { name: 'Ask the owner' }).click()
    await page.getByText("Waiting for the owner's approval").waitFor()
    expect(partner.complaints).toEqual([])

    await using owner = await visit(browser)
    await signIn(owner.page, 'portal', 'Anna Owner')
    await owner.page.goto(`${inject('workplace').portal}/t/${ordered}/billing`)
    const orders = owner.page.getByRole('region', { name: 'Orders by your partner' })
    await orders.getByRole('button', { name: 'Review and approve' }).click()
    const review = owner.page.getByRole('dialog', { name: 'Approve the request' })
    for (const text of ['First invoice', '€16.00, today']) await review.getByText(text).waitFor()
    await expectWellMadeOnBoth(owner.page)
    await review.getByRole('button', { name: 'Approve and pay €16.00' }).click()
    await owner.page.getByRole('region', { name: 'Plan' }).getByText('4 seats').waitFor()
    const operator = await tokenOf('operator@atrium.test', 'operator')
    const mails = await call(operator, 'GET', '/outbox?q=partner.approval_decided')
    expect(mails.items.length).toBeGreaterThan(0)
    expect(owner.complaints).toEqual([])
  })
})
