import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { mailsTo } from './booking-workplace.ts'
import { openBrowser } from './browser.ts'
import { call, tokenOf } from './paid-workplace.ts'
import { chooseOwnPassword, expectWellMadeOnBoth, signIn, untilLoaded, visit } from './people.ts'

const suffix = Date.now().toString(36)

let browser: Browser
let token: string
let slug: string
let domain: string
const tenantName = `Self Service ${suffix}`
beforeAll(async () => {
  browser = await openBrowser()
  token = await tokenOf('owner@globex.test')
  await call(token, 'GET', '/users/me')
  const tenant = await call(token, 'POST', '/tenants', { name: tenantName })
  slug = tenant.slug
  domain = tenant.primaryDomain
})

const portal = (path: string) => inject('workplace').portal + path

/** A new member who has signed in and chosen a password; the page shows their security. */
async function enter(page: Page, name: string): Promise<{ email: string }> {
  const email = `${name.toLowerCase()}@${domain}`
  const { oneTimePassword } = await call(token, 'POST', `/tenants/${slug}/users`, { email, name })
  await page.goto(portal('/auth/login'))
  await page.getByLabel('E-mail or user name').fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill(oneTimePassword)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await chooseOwnPassword(page)
  await page.waitForURL(
    (url) => url.href.startsWith(portal('/')) && !url.pathname.includes('/auth/'),
  )
  await openSecurity(page)
  return { email }
}

async function openSecurity(page: Page): Promise<void> {
  await page.goto(portal('/profile/security'))
  await page.getByRole('heading', { name: 'Security', level: 1 }).waitFor()
  await untilLoaded(page)
}

describe('an admin', () => {
  it('reminds members of missing second factors, who may unsubscribe from the mail', async () => {
    await using member = await visit(browser)
    const { email } = await enter(member.page, 'Remy')
    await using visitor = await visit(browser)
    const { page } = visitor
    await signIn(page, 'portal', 'Gero Owner')
    await page.goto(portal(`/t/${slug}/mfa`))
    await page.getByRole('heading', { name: 'Second factors', level: 1 }).waitFor()
    await untilLoaded(page)
    const row = page.getByRole('row').filter({ hasText: email })
    await expect
      .poll(async () => (await row.getByText('Not set up').count()) > 0, { timeout: 30_000 })
      .toBe(true)
    await page.getByRole('checkbox', { name: 'Select Remy' }).check()
    await page.getByRole('button', { name: 'Remind 1 member' }).click()
    await expectWellMadeOnBoth(page)
    await page.getByRole('button', { name: 'Send reminders' }).click()
    await page.getByText('1 member is reminded.').waitFor()
    // Another mail to the member may come first.
    await expect
      .poll(async () => (await mailsTo(email, 1)).map(({ subject }) => subject), {
        timeout: 20_000,
      })
      .toContainEqual(expect.stringMatching(/second factor/))

    await using reader = await visit(browser)
    await reader.page.goto(await unsubscribeLinkOf(email))
    await reader.page.getByText('Stop getting mails about a missing second factor?').waitFor()
    await expectWellMadeOnBoth(reader.page)
    await reader.page.getByRole('button', { name: 'Unsubscribe' }).click()
    await reader.page.getByRole('heading', { name: 'You are unsubscribed' }).waitFor()
    await expectWellMadeOnBoth(reader.page)
    await openSecurity(member.page)
    const reminders = member.page.getByRole('switch', { name: /Reminders of a second factor/ })
    expect(await reminders.isChecked()).toBe(false)
    expect([...visitor.complaints, ...reader.complaints, ...member.complaints]).toEqual([])
  })

  it('removes the second factors of a member who lost theirs, who gets a mail', async () => {
    await using member = await visit(browser)
    const { email } = await enter(member.page, 'Rosa')
    await member.page.getByRole('link', { name: 'Add authenticator app' }).click()
    await member.page.getByRole('button', { name: 'Continue' }).click()
    await member.page.getByRole('rowheader', { name: 'Authenticator app' }).waitFor()

    await using visitor = await visit(browser)
    const { page } = visitor
    await signIn(page, 'portal', 'Gero Owner')
    await page.goto(portal(`/t/${slug}/members`))
    await page
      .getByRole('button', { name: 'Rosa' })
      .or(page.getByRole('link', { name: 'Rosa' }))
      .first()
      .click()
    const details = page.getByRole('dialog', { name: 'Rosa', exact: true })
    await details.getByRole('button', { name: 'Reset second factors' }).click()
    const question = page.getByRole('dialog', { name: 'Reset the second factors of Rosa?' })
    await question.waitFor()
    await expectWellMadeOnBoth(page)
    await question.getByRole('button', { name: 'Reset second factors' }).click()
    await page.getByText('The second factor of Rosa is removed.').waitFor()
    const mails = await mailsTo(email, 1)
    await expect
      .poll(async () => (await mailsTo(email, mails.length)).map(({ subject }) => subject).join())
      .toMatch(/second factors for .* were removed/)
    await openSecurity(member.page)
    await member.page.getByText('You have no second factor.', { exact: false }).waitFor()
    expect([...visitor.complaints, ...member.complaints]).toEqual([])
  })
})

/** The link in the newest mail to an address that has one, as a mail program reads it. */
async function unsubscribeLinkOf(address: string): Promise<string> {
  const { smtpPage } = inject('workplace')
  const response = await fetch(`${smtpPage}/messages?to=${encodeURIComponent(address)}`)
  const { items } = (await response.json()) as { items: { id: string }[] }
  for (const { id } of items) {
    const raw = await (await fetch(`${smtpPage}/messages/${id}/raw`)).text()
    const unfolded = raw.replace(/\r?\n[ \t]+/g, '')
    const link = /^List-Unsubscribe:\s*<(\S+)>/im.exec(unfolded)?.[1]
    if (link) return link
  }
  return expect.fail('no mail can be unsubscribed from')
}

describe('a member', () => {
  it('switches mails off and on again', async () => {
    await using visitor = await visit(browser)
    const { page } = visitor
    await enter(page, 'Nora')
    const bookings = page.getByRole('switch', { name: /Bookings in your calendar/ })
    expect(await bookings.isChecked()).toBe(true)
    for (const on of [false, true]) {
      const [saved] = await Promise.all([
        page.waitForResponse((answer) => answer.url().includes('updateNotification')),
        bookings.click(),
      ])
      expect(saved.ok()).toBe(true)
      await expect.poll(() => bookings.isChecked()).toBe(on)
      await page.reload()
      await untilLoaded(page)
      expect(await bookings.isChecked()).toBe(on)
    }
    await expectWellMadeOnBoth(page)
    expect(visitor.complaints).toEqual([])
  })

  it('leaves a workplace, after typing its name', async () => {
    await using visitor = await visit(browser)
    const { page } = visitor
    const { email } = await enter(page, 'Lea')
    await page.getByRole('button', { name: `Leave ${tenantName}` }).click()
    const question = page.getByRole('dialog', { name: `Leave ${tenantName}?` })
    const leave = question.getByRole('button', { name: 'Leave workplace' })
    await question.waitFor()
    await expectWellMadeOnBoth(page)
    expect(await leave.isDisabled()).toBe(true)
    await question.getByRole('textbox').fill(slug)
    await leave.click()
    await expect
      .poll(
        async () =>
          (await call(token, 'GET', `/tenants/${slug}/users?q=${encodeURIComponent(email)}`)).items
            .length,
        { timeout: 20_000 },
      )
      .toBe(0)
    expect(visitor.complaints).toEqual([])
  })
})

describe('a person who forgot the password', () => {
  it.each(['portal', 'operator'] as const)(
    'finds the way at the sign-in of the %s',
    async (app) => {
      await using visitor = await visit(browser)
      const { page } = visitor
      for (const path of ['/', '/signed-out']) {
        await page.goto(inject('workplace')[app] + path)
        const forgotten = page.getByRole('link', { name: 'Forgot your password?' })
        await forgotten.waitFor()
        await expectWellMadeOnBoth(page)
        await forgotten.click()
        await page.waitForURL((url) => !url.pathname.startsWith(path === '/' ? '/nothing' : path))
        await page.getByRole('heading', { level: 1 }).waitFor()
      }
      expect(visitor.complaints).toEqual([])
    },
  )
})
