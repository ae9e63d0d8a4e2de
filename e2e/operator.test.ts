import { readFile } from 'node:fs/promises'
import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { openBrowser } from './browser.ts'
import {
  chooseOwnPassword,
  desktop,
  expectWellMade,
  expectWellMadeOn,
  phone,
  signIn,
  untilLoaded,
  visit,
} from './people.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})

const operator = 'Olive Operator'

describe('an operator', () => {
  it('finds a tenant, suspends it with a reason that its people see, and resumes it', async () => {
    await using visitor = await visit(browser)
    const { page } = visitor
    await signIn(page, 'operator', operator)
    await page.goto(`${inject('workplace').operator}/tenants`)
    await page.getByLabel('Search').first().fill('glob')
    await page.getByRole('link', { name: 'Globex' }).click()
    await page.getByRole('button', { name: 'Suspend', exact: true }).click()
    await page.getByLabel('Reason').fill('Unpaid since October')
    await page.getByRole('button', { name: 'Suspend tenant' }).click()
    await page.getByRole('button', { name: 'Resume', exact: true }).waitFor()

    await using member = await visit(browser)
    await signIn(member.page, 'portal', 'Gero Owner')
    await member.page.goto(`${inject('workplace').portal}/t/globex`)
    await member.page.getByText('Unpaid since October').waitFor()

    await page.getByRole('button', { name: 'Resume', exact: true }).click()
    await page.getByRole('button', { name: 'Resume tenant' }).click()
    await page.getByRole('button', { name: 'Suspend', exact: true }).waitFor()
    expect(visitor.complaints).toEqual([])
  })

  it('invites another operator and sees the temporary password once', async () => {
    await using visitor = await visit(browser)
    const { page } = visitor
    await signIn(page, 'operator', operator)
    await page.goto(`${inject('workplace').operator}/users/invite`)
    await page.getByLabel('Name').fill('Second Operator')
    await page.getByLabel('E-mail').fill('Second.Operator@atrium.test')
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Temporary password').first().waitFor()
    await expectWellMade(page)
    const shown = await dialog.innerText()
    const values = await dialog
      .locator('input')
      .evaluateAll('(inputs) => inputs.map((input) => input.value)')
    const password = [
      ...shown.split(/\s+/),
      ...(Array.isArray(values) ? values.map(String) : []),
    ].find(
      (word) =>
        word.length === 16 &&
        /[A-Z]/.test(word) &&
        /[0-9]/.test(word) &&
        /[!#$%&*+=?@_-]/.test(word),
    )
    expect(password).toBeDefined()

    await using invited = await visit(browser)
    await invited.page.goto(`${inject('workplace').operator}/auth/login`)
    await invited.page.getByLabel('E-mail or user name').fill('second.operator@atrium.test')
    await invited.page.getByRole('textbox', { name: 'Password' }).fill(password ?? '')
    await invited.page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await chooseOwnPassword(invited.page)
    await invited.page.waitForURL(
      (url) => url.origin === inject('workplace').operator && !url.pathname.startsWith('/auth/'),
    )
    await invited.page.getByRole('button', { name: 'Account of Second Operator' }).waitFor()

    await page.reload()
    expect(await page.getByText(password ?? '-').count()).toBe(0)
  })

  it('searches the audit log and exports what was found', async () => {
    await using visitor = await visit(browser)
    const { page } = visitor
    await signIn(page, 'operator', operator)
    await page.goto(`${inject('workplace').operator}/audit?action=tenant.*`)
    await page.getByText('tenant.suspended').first().waitFor()
    await page.getByRole('button', { name: /export/i }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: /CSV/ }).click()
    const text = await readFile(await (await download).path(), 'utf8')
    expect(text.split('\r\n')[0]).toMatch(/^id,at,actorType/)
    expect(text).toContain('tenant.suspended')
    expect(text).not.toContain('platform.user_invited')
  })

  for (const [device, screen] of [
    ['desktop', desktop],
    ['phone', phone],
  ] as const) {
    it(`finds tabs and missing pages well made on a ${device}`, async () => {
      await using visitor = await visit(browser, { screen })
      const { page } = visitor
      await page.goto(inject('workplace').operator)
      await page.getByRole('heading').first().waitFor()
      await expectWellMadeOn(screen, page)
      await signIn(page, 'operator', operator)
      for (const path of [
        '/tenants/acme?tab=members',
        '/tenants/acme?tab=audit',
        '/tenants/nobody-knows-this',
      ]) {
        await page.goto(inject('workplace').operator + path)
        await page.getByRole('heading', { level: 1 }).waitFor()
        await untilLoaded(page)
        await expectWellMadeOn(screen, page)
      }
      expect(visitor.complaints).toEqual([])
    })
  }
})

describe('a person who is no operator', () => {
  it('sees that and can sign out', async () => {
    await using visitor = await visit(browser)
    const { page } = visitor
    await signIn(page, 'operator', 'Anna Owner')
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    await expectWellMade(page)
  })
})

describe('the keyboard alone', () => {
  it('reaches a tenant: skip link, search, first result', async () => {
    await using visitor = await visit(browser)
    const { page } = visitor
    await signIn(page, 'operator', operator)
    await page.goto(`${inject('workplace').operator}/tenants`)
    await page.getByRole('link', { name: 'Acme Engineering' }).waitFor()
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement?.textContent')).toMatch(/skip/i)
    await page.keyboard.press('Enter')
    for (let i = 0; i < 40; i++) {
      await page.keyboard.press('Tab')
      if ((await page.evaluate('document.activeElement?.textContent')) === 'Acme Engineering') break
    }
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/tenants\/acme/)
    await page.getByRole('heading', { name: 'Acme Engineering' }).waitFor()
  })
})
