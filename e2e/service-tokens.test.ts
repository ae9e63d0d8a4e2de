import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { openBrowser } from './browser.ts'
import { call, tokenOf } from './paid-workplace.ts'
import { desktop, expectWellMadeOn, expectWellMadeOnBoth, signIn, visit } from './people.ts'

const slug = 'token-journey'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
  await call(await tokenOf('owner@globex.test'), 'POST', '/tenants', {
    name: 'Token Journey',
    slug,
  })
})

/** Creates a token on the open page and returns its text, which is shown once. */
async function createToken(page: Page, name: string, area: string): Promise<string> {
  await page.getByRole('button', { name: 'Create token' }).first().click()
  const form = page.getByRole('dialog', { name: 'Create a service token' })
  await form.getByRole('button', { name: 'Create token' }).click()
  await form.getByText('Choose at least one scope.').waitFor()
  await form.getByLabel('Name').fill(name)
  await form.getByRole('group', { name: area }).getByRole('checkbox', { name: 'Read' }).check()
  await expectWellMadeOnBoth(page)
  await form.getByRole('button', { name: 'Create token' }).click()
  return shownToken(page, name)
}

async function shownToken(page: Page, name: string): Promise<string> {
  const shown = page.getByRole('dialog', { name: `Token of ${name}` })
  const token = (await shown.getByLabel('Service token').textContent()) ?? ''
  expect(token).toMatch(/^atr_[0-9a-f]{32}_[0-9A-Za-z]{49}$/)
  await expectWellMadeOn(desktop, page)
  await shown.getByRole('button').last().click()
  await shown.waitFor({ state: 'detached' })
  return token
}

describe('an owner gives a program access', () => {
  it('creates a token, sees its use, rotates and revokes it', async () => {
    const { portal } = inject('workplace')
    await using owner = await visit(browser)
    const { page } = owner
    await signIn(page, 'portal', 'Gero Owner')
    await page.goto(`${portal}/t/${slug}`)
    await page.getByRole('link', { name: 'Service tokens' }).first().click()
    await page.getByRole('heading', { name: 'No service tokens yet' }).waitFor()
    await expectWellMadeOnBoth(page)
    const token = await createToken(page, 'Directory sync', 'Members and invitations')

    expect((await call(token, 'GET', `/tenants/${slug}/users`)).items).toHaveLength(1)
    await page.reload()
    const row = page.getByRole('row', { name: /Directory sync/ })
    await row.getByText(/^tenants\.users/).waitFor()
    await expectWellMadeOnBoth(page)

    await row.getByRole('button', { name: 'Rotate Directory sync' }).click()
    const rotation = page.getByRole('dialog', { name: 'Rotate Directory sync?' })
    await rotation.getByLabel('The current secret stays valid for').selectOption('no time')
    await expectWellMadeOnBoth(page)
    await rotation.getByRole('button', { name: 'Rotate' }).click()
    const rotated = await shownToken(page, 'Directory sync')
    await expect(call(token, 'GET', `/tenants/${slug}/users`)).rejects.toThrow()
    expect((await call(rotated, 'GET', `/tenants/${slug}/users`)).items).toHaveLength(1)

    await row.getByRole('button', { name: 'Revoke Directory sync' }).click()
    await page
      .getByRole('dialog', { name: 'Revoke Directory sync?' })
      .getByRole('button', { name: 'Revoke' })
      .click()
    await row.getByText('Revoked', { exact: true }).waitFor()
    await expect(call(rotated, 'GET', `/tenants/${slug}/users`)).rejects.toThrow()
    expect(owner.complaints).toEqual([])
  })
})

describe('an owner connects a directory', () => {
  it('copies the address, creates a token for it, and both work', async () => {
    const { portal } = inject('workplace')
    await using owner = await visit(browser)
    const { page } = owner
    await signIn(page, 'portal', 'Gero Owner')
    await page.goto(`${portal}/t/${slug}/service-tokens`)
    const panel = page.getByRole('region', { name: 'Connect a directory' })
    await panel.getByRole('button', { name: 'Copy SCIM address' }).waitFor()
    const address = (await panel.locator('code').first().textContent()) ?? ''
    expect(address).toMatch(new RegExp(`^http.*/tenants/${slug}/scim/v2$`))
    await panel.getByRole('tab', { name: 'authentik' }).click()
    await panel.getByText('Create a SCIM provider').waitFor()
    await expectWellMadeOnBoth(page)

    await panel.getByRole('button', { name: 'Create token for a directory' }).click()
    const form = page.getByRole('dialog', { name: 'Create a service token' })
    const scopes = form.getByRole('group', { name: 'People and groups by SCIM' })
    for (const name of ['Read', 'Write'])
      expect(await scopes.getByRole('checkbox', { name }).isChecked()).toBe(true)
    await form.getByRole('button', { name: 'Create token' }).click()
    const token = await shownToken(page, 'Directory')
    const users = await fetch(`${address}/Users`, { headers: { authorization: `Bearer ${token}` } })
    expect(users.status).toBe(200)
    expect(await users.json()).toMatchObject({ totalResults: 1 })
    expect(owner.complaints).toEqual([])
  })
})

describe('a partner and an operator', () => {
  it('have pages of their own for their tokens', async () => {
    const { portal, operator: at } = inject('workplace')
    await using partner = await visit(browser)
    await signIn(partner.page, 'portal', 'Pia Partner')
    await partner.page.goto(`${portal}/partner/service-tokens`)
    const ofPartner = await createToken(partner.page, 'Order system', 'Partner and customers')
    expect((await call(ofPartner, 'GET', '/partners/north')).slug).toBe('north')
    await using operator = await visit(browser)
    await signIn(operator.page, 'operator', 'Olive Operator')
    await operator.page.goto(`${at}/service-tokens`)
    const ofPlatform = await createToken(operator.page, 'Nightly report', 'Reports')
    expect((await call(ofPlatform, 'GET', '/service-tokens/current')).kind).toBe('platform')
    await expectWellMadeOnBoth(operator.page)
    expect([...partner.complaints, ...operator.complaints]).toEqual([])
  })
})
