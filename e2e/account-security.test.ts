import { randomBytes } from 'node:crypto'
import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { openBrowser } from './browser.ts'
import {
  chooseOwnPassword,
  desktop,
  expectWellMadeOn,
  expectWellMadeOnBoth,
  signIn,
  visit,
} from './people.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})

const sessions = (page: Page) => page.getByRole('table', { name: 'Sessions of the portals' })

async function openPage(page: Page, app: 'portal' | 'operator', path: string): Promise<void> {
  await page.goto(`${inject('workplace')[app]}${path}`)
  await page.getByRole('heading', { name: 'Security', level: 1 }).waitFor()
  await sessions(page).waitFor()
}

interface Person {
  email: string
  password: string
}

async function ask<Answer>(url: string, body: unknown, token?: string): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  })
  const answer: unknown = await response.json()
  expect(response.ok, JSON.stringify(answer)).toBe(true)
  return answer as Answer
}

/** A member whose sessions no other journey uses. */
async function newMember(): Promise<{ person: Person }> {
  const { api, control } = inject('workplace')
  const { accessToken } = await ask<{ accessToken: string }>(`${control}/tokens`, {
    email: 'admin@acme.test',
    app: 'portal',
  })
  const name = `Sessions ${randomBytes(3).toString('hex')}`
  const { slug, primaryDomain } = await ask<{ slug: string; primaryDomain: string }>(
    `${api}/tenants`,
    { name },
    accessToken,
  )
  const email = `sina@${primaryDomain}`
  const { oneTimePassword } = await ask<{ oneTimePassword: string }>(
    `${api}/tenants/${slug}/users`,
    { email, name: 'Sina Sessions', role: 'member' },
    accessToken,
  )
  return { person: { email, password: oneTimePassword } }
}

async function typePassword(page: Page, { email, password }: Person): Promise<void> {
  await page.goto(`${inject('workplace').portal}/auth/login`)
  await page.getByLabel('E-mail or user name').fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

async function untilInPortal(page: Page): Promise<void> {
  const { portal } = inject('workplace')
  await page.waitForURL((url) => url.origin === portal && !url.pathname.startsWith('/auth/'))
}

async function signInAs(page: Page, person: Person): Promise<void> {
  await typePassword(page, person)
  await untilInPortal(page)
}

/** The first sign-in, at which the person chooses a password. */
async function signInFirst(page: Page): Promise<Person> {
  const { person } = await newMember()
  await typePassword(page, person)
  const password = await chooseOwnPassword(page)
  await untilInPortal(page)
  return { ...person, password }
}

describe('a person', () => {
  it('sees where they are signed in and ends the other session', async () => {
    await using here = await visit(browser)
    await using there = await visit(browser)
    const person = await signInFirst(here.page)
    await signInAs(there.page, person)
    const { page } = here
    await openPage(page, 'portal', '/profile/security')
    const current = sessions(page).getByRole('row').filter({ hasText: 'This session' })
    await current.getByText('Chrome on Linux').waitFor()
    expect(await current.getByRole('button').count()).toBe(0)
    await expectWellMadeOnBoth(page)

    await page.getByRole('button', { name: 'End all others' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'End all others' }).click()
    await page.getByText('All other sessions have ended.').waitFor()
    expect(await sessions(page).getByRole('row').count()).toBe(2)
    await there.page.goto(`${inject('workplace').portal}/profile`)
    await there.page.getByRole('link', { name: 'Sign in' }).first().waitFor()
    await page.reload()
    await current.waitFor()
    expect([...here.complaints, ...there.complaints]).toEqual([])
  })
})

describe('a member with a mailbox', () => {
  it('creates an app password, sees it once, and takes it back', async () => {
    await using visitor = await visit(browser)
    const { page } = visitor
    await signInFirst(page)
    await openPage(page, 'portal', '/profile/security')
    await page.getByText('You have no app passwords.').waitFor()
    await page.getByRole('button', { name: 'Create app password' }).click()
    await page.getByLabel('Name of the program or device').fill('Phone')
    await page.getByRole('button', { name: 'Create app password' }).click()
    const dialog = page.getByRole('dialog')
    const secret = await dialog.getByLabel('App password', { exact: true }).innerText()
    expect(secret).toMatch(/^app_/)
    await expectWellMadeOn(desktop, page)
    await dialog.getByRole('button', { name: 'I have saved it, close' }).click()
    await page.getByRole('rowheader', { name: 'Phone' }).waitFor()
    expect(await page.content()).not.toContain(secret)
    await expectWellMadeOnBoth(page)
    await page.getByRole('button', { name: 'Remove app password Phone' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('You have no app passwords.').waitFor()
    expect(visitor.complaints).toEqual([])
  })
})

describe('a person who changes their sign-in', () => {
  it('goes to the provider and comes back, with the new second factor in the list', async () => {
    await using visitor = await visit(browser)
    const { page } = visitor
    const person = await signInFirst(page)
    await openPage(page, 'portal', '/profile/security')
    await page.getByText('You have no second factor.', { exact: false }).waitFor()
    await page.getByRole('link', { name: 'Add authenticator app' }).click()
    await page.getByRole('heading', { name: 'Set up Two-Factor authentication' }).waitFor()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('table', { name: 'Your second factors' }).waitFor()
    await page.getByRole('rowheader', { name: 'Authenticator app' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/profile/security')

    await page.getByRole('link', { name: 'Change password' }).click()
    await page.getByLabel('New password').fill('Another-9-password')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('heading', { name: 'Security', level: 1 }).waitFor()
    await using elsewhere = await visit(browser)
    await signInAs(elsewhere.page, { ...person, password: 'Another-9-password' })
    expect(visitor.complaints).toEqual([])
  })
})

describe('an operator', () => {
  it('sees their sessions, from the menu of their account', async () => {
    await using visitor = await visit(browser)
    const { page } = visitor
    await signIn(page, 'operator', 'Olive Operator')
    await page.getByRole('button', { name: /Olive Operator/ }).click()
    await page.getByRole('menuitem', { name: 'My security' }).click()
    await page.getByRole('heading', { name: 'Security', level: 1 }).waitFor()
    await sessions(page).getByText('Operator portal').first().waitFor()
    await expectWellMadeOnBoth(page)
    expect(visitor.complaints).toEqual([])
  })
})
