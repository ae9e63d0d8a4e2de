import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { openBrowser } from './browser.ts'
import { expectWellMade, expectWellMadeOnBoth, signIn, visit } from './people.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})

async function asOperator(method: string, path: string, body: object): Promise<void> {
  const { control, api } = inject('workplace')
  const told = await fetch(`${control}/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'operator@atrium.test', app: 'operator' }),
  })
  const { accessToken } = (await told.json()) as { accessToken: string }
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${accessToken}` }
  const response = await fetch(`${api}${path}`, { method, headers, body: JSON.stringify(body) })
  expect(response.ok, await response.text()).toBe(true)
}

describe('the plan of a workplace', () => {
  it('is free at first, leads to the prices, and deleting says what becomes of a subscription', async () => {
    await using visitor = await visit(browser)
    const { page } = visitor
    await signIn(page, 'portal', 'Nico Newcomer')
    await page.goto(`${inject('workplace').portal}/new`)
    await page.getByLabel('Name of the workplace').fill('Plans Journey')
    await page.getByRole('radio', { name: /A paid plan/ }).check()
    await expectWellMadeOnBoth(page)
    await page.getByRole('button', { name: 'Create workplace' }).click()
    await page.waitForURL('**/t/plans-journey/billing')
    await page.getByText('The free plan: up to').waitFor()
    await page.getByRole('radio', { name: /Starter/ }).waitFor()
    await expectWellMade(page)

    await asOperator('POST', '/subscriptions', {
      tenantSlug: 'plans-journey',
      plan: 'starter',
      cycle: 'month',
      currency: 'eur',
      seats: 2,
    })
    await page.goto(`${inject('workplace').portal}/t/plans-journey/settings`)
    await page.getByRole('button', { name: 'Delete workplace' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete Plans Journey?' })
    await dialog
      .getByText('Its subscription ends immediately and nothing more is charged')
      .waitFor()
    await expectWellMade(page)
    expect(visitor.complaints).toEqual([])
  })
})
