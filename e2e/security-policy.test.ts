import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openBrowser } from './browser.ts'
import { expectWellMade, phone, signIn, visit } from './people.ts'
import { startWorkplace } from './workplace.ts'

// A workplace of its own: a policy would shut out the people of other journeys.
let workplace: Awaited<ReturnType<typeof startWorkplace>>
let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
  workplace = await startWorkplace({ history: false })
}, 180_000)
afterAll(() => workplace.stop())

const portal = (path: string) => `${workplace.addresses.portal}${path}`

async function atProvider(path: string, body: object) {
  const response = await fetch(`${workplace.addresses.control}/identity/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`the sandbox answered ${response.status}`)
}

it('an owner requires a second factor: a member is told in time, shut out, and lets themselves in again', async () => {
  const { addresses } = workplace
  await using member = await visit(browser, { screen: phone })
  await signIn(member.page, 'portal', 'Mira Member', addresses.portal)
  await using owner = await visit(browser)
  await signIn(owner.page, 'portal', 'Anna Owner', addresses.portal)

  await owner.page.goto(portal('/t/acme/security'))
  await owner.page.getByRole('radio', { name: 'Required' }).check()
  await owner.page.getByLabel('Days to set up a second factor').fill('14')
  await owner.page.getByRole('button', { name: 'Save policy' }).click()
  const dialog = owner.page.getByRole('dialog', { name: 'Before you save' })
  await dialog.getByText('Mira Member').waitFor()
  await dialog.getByText(/No second factor/).waitFor()
  await expectWellMade(owner.page)
  await dialog.getByRole('button', { name: 'Save policy' }).click()
  await owner.page.getByText(/^Required from /).waitFor()

  await member.page.goto(portal('/t/acme'))
  await member.page.getByText(/^A second factor is required from /).waitFor()
  await expectWellMade(member.page)

  await owner.page.getByLabel('Days to set up a second factor').fill('0')
  await owner.page.getByRole('button', { name: 'Save policy' }).click()
  await dialog.getByRole('button', { name: 'Save policy' }).click()
  await dialog.waitFor({ state: 'detached' })
  await expectWellMade(owner.page)

  await member.page.reload()
  await member.page.getByRole('heading', { name: 'A second factor is required' }).waitFor()
  const enrol = member.page.getByRole('link', { name: 'Set up a second factor' })
  const target = await member.page.request.get(portal((await enrol.getAttribute('href')) ?? ''), {
    maxRedirects: 0,
  })
  expect(target.headers().location).toMatch(/\/if\/user\/#\/settings/)
  await expectWellMade(member.page)
  await atProvider('devices', { email: 'member@acme.test', kind: 'totp' })
  // A sign-in of the last half minute would count as a new one.
  const signedInAt = new Date(Date.now() - 3_600_000).toISOString()
  await atProvider('sign-ins', { email: 'member@acme.test', signedInAt })
  await member.page.getByRole('link', { name: 'Sign in again' }).click()
  await member.page.waitForURL((url) => url.origin !== addresses.portal)
  await member.page.getByRole('button', { name: 'Mira Member' }).click()
  await member.page.waitForURL(portal('/t/acme'))
  await member.page.getByRole('heading', { name: 'Acme Engineering' }).first().waitFor()
  expect([...owner.complaints, ...member.complaints]).toEqual([])
}, 120_000)

it('an operator sees the policy and lifts its restrictions', async () => {
  const { addresses } = workplace
  await using operator = await visit(browser)
  const { page } = operator
  await signIn(page, 'operator', 'Olive Operator', addresses.operator)
  await page.goto(`${addresses.operator}/tenants/acme`)
  const panel = page.getByRole('region', { name: 'Security policy' })
  await panel.getByText(/^Required from /).waitFor()
  await expectWellMade(page)
  await panel.getByRole('button', { name: 'Lift restrictions' }).click()
  await page
    .getByRole('dialog', { name: 'Lift the restrictions of Acme Engineering?' })
    .getByRole('button', { name: 'Lift restrictions' })
    .click()
  await panel.getByText('Optional').waitFor()
  expect(operator.complaints).toEqual([])
}, 120_000)
