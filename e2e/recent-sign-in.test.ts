import { randomBytes } from 'node:crypto'
import pg from 'pg'
import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { openBrowser } from './browser.ts'
import { chooseOwnPassword, desktop, expectWellMade, phone, untilLoaded, visit } from './people.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})

interface Person {
  email: string
  name: string
  password: string
}

const mark = () => randomBytes(3).toString('hex')

async function ask<Answer>(url: string, body?: unknown, token?: string): Promise<Answer> {
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const answer: unknown = await response.json()
  expect(response.ok, JSON.stringify(answer)).toBe(true)
  return answer as Answer
}

async function tokenOf(email: string, app: 'portal' | 'operator'): Promise<string> {
  const { accessToken } = await ask<{ accessToken: string }>(
    `${inject('workplace').control}/tokens`,
    { email, app },
  )
  await ask(`${inject('workplace').api}/users/me`, undefined, accessToken)
  return accessToken
}

/** A workplace with its own admin and a plain member, so that only her sign-in is made old here. */
async function openWorkplace(): Promise<{ slug: string; domain: string; admin: Person }> {
  const { api } = inject('workplace')
  const token = await tokenOf('admin@acme.test', 'portal')
  const { slug, primaryDomain } = await ask<{ slug: string; primaryDomain: string }>(
    `${api}/tenants`,
    { name: `Steps ${mark()}` },
    token,
  )
  const add = async (localPart: string, name: string, role: string): Promise<Person> => {
    const email = `${localPart}@${primaryDomain}`
    const { oneTimePassword } = await ask<{ oneTimePassword: string }>(
      `${api}/tenants/${slug}/users`,
      { email, name, role },
      token,
    )
    return { email, name, password: oneTimePassword }
  }
  await add('max', 'Max Member', 'member')
  return { slug, domain: primaryDomain, admin: await add('stella', 'Stella Admin', 'admin') }
}

async function inviteOperator(): Promise<Person> {
  const token = await tokenOf('operator@atrium.test', 'operator')
  const [name, email] = [`Step Operator ${mark()}`, `step-${mark()}@atrium.test`]
  const { tempPassword } = await ask<{ tempPassword: string }>(
    `${inject('workplace').api}/users/invite`,
    { name, email },
    token,
  )
  return { name, email, password: tempPassword }
}

/** Types name and password at the identity provider, on a page that is on its way there. */
async function typePassword(page: Page, { email, password }: Person): Promise<void> {
  await page.getByLabel('E-mail or user name').fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** The first sign-in, in which the person gets a password of their own. */
async function signIn(page: Page, app: 'portal' | 'operator', person: Person): Promise<void> {
  await page.goto(`${inject('workplace')[app]}/auth/login`)
  await typePassword(page, person)
  person.password = await chooseOwnPassword(page)
  await page.waitForURL(
    (url) => url.origin === inject('workplace')[app] && !url.pathname.startsWith('/auth/'),
  )
}

/**
 * Two hours pass for everything that knows when this person signed in: the provider, and the tokens
 * that come of the next refresh.
 */
async function age({ email }: Person): Promise<void> {
  const signedInAt = new Date(Date.now() - 2 * 3_600_000).toISOString()
  const { moved } = await ask<{ moved: number }>(
    `${inject('workplace').control}/identity/sign-ins`,
    { email, signedInAt },
  )
  expect(moved).toBeGreaterThan(0)
  const client = new pg.Client(inject('workplace').database)
  await client.connect()
  try {
    const { rowCount } = await client.query(
      `update web_sessions set access_expires_at = now() where email = $1`,
      [email],
    )
    expect(rowCount).toBeGreaterThan(0)
  } finally {
    await client.end()
  }
}

const question = (page: Page) => page.getByRole('dialog', { name: 'Confirm that it is you' })

/** Opens the window of the second sign-in. */
async function openWindow(page: Page): Promise<Page> {
  const opened = page.context().waitForEvent('page')
  await question(page)
    .getByRole('link', { name: /Sign in again|Open the window again/ })
    .click()
  const window = await opened
  window.setDefaultTimeout(30_000)
  await window.getByLabel('E-mail or user name').waitFor()
  return window
}

describe('an admin whose sign-in is old', () => {
  it('is asked to sign in again, keeps what was typed, and the act goes on by itself', async () => {
    const { slug, domain, admin } = await openWorkplace()
    await using visitor = await visit(browser)
    const { page } = visitor
    await signIn(page, 'portal', admin)
    await age(admin)
    await page.goto(`${inject('workplace').portal}/t/${slug}/members`)
    await untilLoaded(page)
    await page.getByRole('link', { name: 'Max Member' }).click()
    const drawer = page.getByRole('dialog', { name: 'Max Member', exact: true })
    await drawer.getByRole('button', { name: 'Remove', exact: true }).click()
    const confirm = page
      .getByRole('dialog')
      .filter({ has: page.getByRole('button', { name: 'Cancel', exact: true }) })
    const typed = confirm.getByLabel('Type max')
    await typed.fill(`max@${domain}`)
    await confirm.getByRole('button', { name: 'Remove Max Member' }).click()

    await question(page).getByText('This requires a sign-in that is at most an hour old.').waitFor()
    await expectWellMade(page)
    // The way on has the focus, and the keyboard stays in the question.
    const focused = () => page.evaluate('document.activeElement.textContent')
    expect(await focused()).toBe('Sign in again')
    for (let n = 0; n < 6; n++) {
      await page.keyboard.press('Tab')
      expect(
        await page.evaluate(`document.activeElement.closest('[role=dialog]')?.textContent ?? ''`),
      ).toContain('Confirm that it is you')
    }
    await page.keyboard.press('Escape')
    await question(page).waitFor({ state: 'hidden' })
    await confirm.getByText('This requires a sign-in that is at most an hour old.').waitFor()
    expect(await typed.inputValue()).toBe(`max@${domain}`)
    await expectWellMade(page)

    await confirm.getByRole('button', { name: 'Remove Max Member' }).click()
    const window = await openWindow(page)
    expect(await window.getByLabel('E-mail or user name').inputValue()).toBe(admin.email)
    await question(page).getByText('Waiting for you to sign in…').waitFor()
    const closed = window.waitForEvent('close')
    await typePassword(window, admin)
    await closed
    await question(page).waitFor({ state: 'hidden' })
    await drawer.waitFor({ state: 'hidden' })
    await expect.poll(() => page.getByRole('link', { name: 'Max Member' }).count()).toBe(0)

    // A recent sign-in lasts: the next act asks for nothing.
    await page.getByRole('link', { name: 'Single sign-on' }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Single sign-on' }).waitFor()
    expect(await question(page).count()).toBe(0)
    expect(visitor.complaints).toEqual([])
  })

  it('finds the question well made on a phone', async () => {
    const { slug, admin } = await openWorkplace()
    await using visitor = await visit(browser, { screen: phone })
    const { page } = visitor
    await signIn(page, 'portal', admin)
    await age(admin)
    await page.goto(`${inject('workplace').portal}/t/${slug}/members`)
    await untilLoaded(page)
    await page.getByRole('link', { name: 'Max Member' }).first().click()
    const drawer = page.getByRole('dialog', { name: 'Max Member', exact: true })
    await drawer.getByRole('button', { name: 'Reset password' }).click()
    const confirm = page
      .getByRole('dialog')
      .filter({ has: page.getByRole('button', { name: 'Cancel', exact: true }) })
    await confirm.getByRole('button', { name: 'Reset password' }).click()
    await question(page).waitFor()
    await expectWellMade(page)
    await question(page).getByRole('button', { name: 'Cancel' }).last().click()
    await question(page).waitFor({ state: 'hidden' })
    expect(visitor.complaints).toEqual([])
  })
})

describe('an operator whose sign-in is old', () => {
  it('invites an operator once it is confirmed, and not before', async () => {
    const operator = await inviteOperator()
    await using visitor = await visit(browser, { screen: desktop })
    const { page } = visitor
    await signIn(page, 'operator', operator)
    await age(operator)
    await page.goto(`${inject('workplace').operator}/users/invite`)
    const email = `asked-${mark()}@atrium.test`
    await page.getByLabel('Name').fill('Asked Operator')
    await page.getByLabel('E-mail').fill(email)
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    await question(page).waitFor()
    await expectWellMade(page)
    expect(
      await ask(
        `${inject('workplace').api}/users?q=${email}`,
        undefined,
        await tokenOf('operator@atrium.test', 'operator'),
      ),
    ).toMatchObject({
      items: [],
    })
    const window = await openWindow(page)
    await typePassword(window, operator)
    await page
      .getByRole('dialog', { name: /Asked Operator/ })
      .or(page.getByText('Temporary password').first())
      .first()
      .waitFor()
    expect(await question(page).count()).toBe(0)
    expect(visitor.complaints).toEqual([])
  })

  it('who is somebody else in the end finds the page loaded again, and nothing done in either name', async () => {
    const [operator, other] = [await inviteOperator(), await inviteOperator()]
    await using visitor = await visit(browser)
    const { page } = visitor
    await signIn(page, 'operator', operator)
    await age(operator)
    await page.goto(`${inject('workplace').operator}/users/invite`)
    const email = `never-${mark()}@atrium.test`
    await page.getByLabel('Name').fill('Never Invited')
    await page.getByLabel('E-mail').fill(email)
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    const window = await openWindow(page)
    await typePassword(window, other)
    await chooseOwnPassword(window)
    await page.getByRole('button', { name: `Account of ${other.name}` }).waitFor()
    expect(await page.getByLabel('Name').inputValue()).toBe('')
    expect(await question(page).count()).toBe(0)
    expect(
      await ask(
        `${inject('workplace').api}/users?q=${email}`,
        undefined,
        await tokenOf('operator@atrium.test', 'operator'),
      ),
    ).toMatchObject({
      items: [],
    })
  })
})
