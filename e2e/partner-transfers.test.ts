import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { openBrowser } from './browser.ts'
import { call, tokenOf } from './paid-workplace.ts'
import { desktop, expectWellMadeOn, expectWellMadeOnBoth, signIn, visit } from './people.ts'

const slug = 'transfer-journey'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
  await call(await tokenOf('owner@globex.test'), 'POST', '/tenants', {
    name: 'Transfer Journey',
    slug,
  })
})

describe('an owner', () => {
  it('hands the workplace to a partner with a code, and leaves it again', async () => {
    await using owner = await visit(browser)
    const { page } = owner
    await signIn(page, 'portal', 'Gero Owner')
    await page.goto(`${inject('workplace').portal}/t/${slug}/settings`)
    const panel = page.getByRole('region', { name: 'Partner' })
    await panel.getByText('No partner').waitFor()
    await panel.getByRole('button', { name: 'Create transfer code' }).click()
    const question = page.getByRole('dialog', { name: 'Create a transfer code?' })
    await question.getByRole('button', { name: 'Create transfer code' }).click()
    const shown = page.getByRole('dialog', { name: 'Your transfer code' })
    const code = await shown.getByLabel('Transfer code').innerText()
    await expectWellMadeOn(desktop, page)
    await shown.getByRole('button', { name: 'I have saved it, close' }).click()
    await panel.getByText(/valid until/).waitFor()
    await expectWellMadeOnBoth(page)

    await using partner = await visit(browser)
    await signIn(partner.page, 'portal', 'Pia Partner')
    await partner.page.goto(`${inject('workplace').portal}/partner/customers`)
    await partner.page.getByRole('button', { name: 'Enter transfer code' }).click()
    const dialog = partner.page.getByRole('dialog', { name: 'Take over a customer' })
    const entry = dialog.getByRole('textbox', { name: 'Transfer code' })
    await entry.fill('no-such-code')
    await dialog.getByRole('button', { name: 'Check code' }).click()
    await dialog.getByText(/unknown, used or expired/).waitFor()
    await entry.fill(code)
    await dialog.getByRole('button', { name: 'Check code' }).click()
    await dialog.getByText(`This code brings Transfer Journey (${slug}).`).waitFor()
    await expectWellMadeOn(desktop, partner.page)
    await dialog.getByRole('button', { name: 'Take over' }).click()
    await partner.page.getByText('Transfer Journey is your customer now.').waitFor()
    await partner.page.getByRole('dialog', { name: 'Transfer Journey', exact: true }).waitFor()

    await page.reload()
    await panel.getByText('North').first().waitFor()
    await panel.getByRole('button', { name: 'Leave partner' }).click()
    const leaving = page.getByRole('dialog', { name: /^Leave North/ })
    await leaving.getByRole('button', { name: 'Leave partner' }).click()
    await panel.getByText('No partner').waitFor()
    await partner.page.goto(`${inject('workplace').portal}/partner/customers?q=Transfer+Journey`)
    await partner.page.getByText('No customers match these filters').waitFor()
    expect([...owner.complaints, ...partner.complaints]).toEqual([])
  })
})
