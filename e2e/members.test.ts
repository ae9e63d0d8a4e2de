import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { openBrowser } from './browser.ts'
import {
  breakSystem,
  chooseOwnPassword,
  desktop,
  expectWellMade,
  expectWellMadeOn,
  phone,
  signIn,
  untilLoaded,
  visit,
} from './people.ts'

const admin = 'Adam Admin'
const adminEmail = 'admin@acme.test'

let browser: Browser
/**
 * Path of a workplace of the admin's own, so that nothing here meets what other files do in theirs.
 */
let home: string
let domain: string

beforeAll(async () => {
  browser = await openBrowser()
  const tenant = await createTenant('Members Journey')
  home = `/t/${tenant.slug}`
  domain = tenant.primaryDomain
})

const portal = (path: string) => inject('workplace').portal + path

/**
 * A workplace made over the API, with the seats that an operator gave it; complete when this
 * returns.
 */
async function createTenant(name: string): Promise<{ slug: string; primaryDomain: string }> {
  const { api } = inject('workplace')
  const headers = await authorized(adminEmail, 'portal')
  // The first call of a person makes the record that the next one needs.
  await fetch(`${api}/users/me`, { headers })
  const created = await fetch(`${api}/tenants`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ name }),
  })
  expect(created.status).toBe(201)
  const tenant = (await created.json()) as { slug: string; primaryDomain: string }
  const operator = await authorized('operator@atrium.test', 'operator')
  await fetch(`${api}/users/me`, { headers: operator })
  const body = JSON.stringify({ plan: 'starter', seats: 50 })
  const granted = await fetch(`${api}/tenants/${tenant.slug}`, {
    method: 'PATCH',
    headers: operator,
    body,
  })
  expect(granted.status).toBe(200)
  return tenant
}

async function authorized(
  email: string,
  app: 'portal' | 'operator',
): Promise<Record<string, string>> {
  const json = { 'content-type': 'application/json' }
  const tokens = await fetch(`${inject('workplace').control}/tokens`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ email, app }),
  })
  const { accessToken } = (await tokens.json()) as { accessToken: string }
  return { ...json, authorization: `Bearer ${accessToken}` }
}

async function openMembers(page: Page) {
  await page.goto(portal(`${home}/members`))
  await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor()
  await untilLoaded(page)
}

/** Adds a member through the dialog; returns the one-time password, and leaves the details open. */
async function addMember(page: Page, localPart: string, name: string): Promise<string> {
  await page.getByRole('button', { name: 'Add member' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add a member' })
  await dialog.getByLabel('E-mail address').fill(localPart)
  await dialog.getByText(`Gets the mailbox ${localPart}@${domain}.`).waitFor()
  await dialog.getByLabel('Display name').fill(name)
  await dialog.getByRole('button', { name: 'Add member' }).click()
  return keepSecret(page, `First password of ${name}`)
}

async function keepSecret(page: Page, title: string): Promise<string> {
  const dialog = page.getByRole('dialog', { name: title })
  const label = dialog.getByLabel('One-time password')
  const show = dialog.getByRole('button', { name: 'Show one-time password' })
  await label.or(show).waitFor()
  // The password of a mailbox alone is shown at once.
  if (await show.isVisible()) await show.click()
  const secret = await label.innerText()
  expect(secret).toMatch(/^\S{16}$/)
  await dialog.getByRole('button', { name: 'I have saved it, close' }).click()
  expect(await page.getByText(secret).count()).toBe(0)
  return secret
}

async function confirm(page: Page, button: string, typed?: { label: string; word: string }) {
  // The drawer behind the question is a dialog too, and may have a button of the same name.
  const dialog = page
    .getByRole('dialog')
    .filter({ has: page.getByRole('button', { name: 'Cancel', exact: true }) })
  if (typed) await dialog.getByLabel(typed.label).fill(typed.word)
  await dialog.getByRole('button', { name: button, exact: true }).click()
}

/** Signs in with a password at the identity provider; returns whether the portal opened. */
async function signInWith(page: Page, email: string, password: string): Promise<boolean> {
  await page.goto(portal('/auth/login'))
  await page.getByLabel('E-mail or user name').fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  const answered = page.waitForResponse((response) => response.request().method() === 'POST')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await answered
  await page.waitForLoadState('networkidle')
  return isInPortal(new URL(page.url()))
}

const isInPortal = (url: URL) =>
  url.origin === inject('workplace').portal && !url.pathname.startsWith('/auth/')

/** The first sign-in with a password that was shown to an admin; returns the person's own. */
async function signInFirst(page: Page, email: string, password: string): Promise<string> {
  expect(await signInWith(page, email, password)).toBe(false)
  await expectWellMade(page)
  const own = await chooseOwnPassword(page)
  await page.waitForURL(isInPortal)
  return own
}

describe('an admin', () => {
  it('adds a member, who signs in with the password that is shown once, and manages every step of their life', async () => {
    await using office = await visit(browser)
    const { page } = office
    await signIn(page, 'portal', admin)
    await openMembers(page)
    const password = await addMember(page, 'grace', 'Grace Hopper')
    const drawer = page.getByRole('dialog', { name: 'Grace Hopper', exact: true })
    await expect
      .poll(() => drawer.getByRole('region', { name: 'Systems' }).getByText('Done').count())
      .toBe(3)
    await expectWellMade(page)

    await using grace = await visit(browser)
    const own = await signInFirst(grace.page, `grace@${domain}`, password)
    await grace.page.goto(portal(`${home}/account`))
    await grace.page
      .getByRole('region', { name: 'Addresses' })
      .getByText(`grace@${domain}`)
      .waitFor()
    await expectWellMade(grace.page)

    await drawer.getByLabel('Phone').fill('+49 30 1234567')
    await drawer.getByRole('button', { name: 'Save profile' }).click()
    await drawer.getByText(/^Saved/).waitFor()

    await drawer.getByRole('button', { name: 'Add alias' }).click()
    await drawer.getByLabel('New alias').fill('amazing.grace')
    await drawer.getByRole('button', { name: 'Add alias' }).click()
    await drawer.getByRole('button', { name: `Remove alias amazing.grace@${domain}` }).waitFor()

    await drawer.getByRole('button', { name: 'Make admin' }).click()
    await confirm(page, 'Make admin')
    await drawer.getByText('Admin: manages members').waitFor()

    await drawer.getByRole('button', { name: 'Suspend' }).click()
    await confirm(page, 'Suspend Grace Hopper')
    await drawer.getByRole('button', { name: 'Resume' }).waitFor()
    await using shutOut = await visit(browser)
    expect(await signInWith(shutOut.page, `grace@${domain}`, own)).toBe(false)

    await drawer.getByRole('button', { name: 'Resume' }).click()
    await confirm(page, 'Resume Grace Hopper')
    await drawer.getByRole('button', { name: 'Suspend' }).waitFor()
    await using back = await visit(browser)
    expect(await signInWith(back.page, `grace@${domain}`, own)).toBe(true)

    await drawer.getByRole('button', { name: 'Reset password' }).click()
    await confirm(page, 'Reset password')
    const second = await keepSecret(page, 'New password of Grace Hopper')
    await using renewed = await visit(browser)
    await signInFirst(renewed.page, `grace@${domain}`, second)

    await drawer.getByRole('button', { name: 'Remove', exact: true }).click()
    await confirm(page, 'Remove Grace Hopper', { label: 'Type grace', word: `grace@${domain}` })
    await drawer.waitFor({ state: 'hidden' })
    await expect.poll(() => page.getByRole('link', { name: 'Grace Hopper' }).count()).toBe(0)
    expect(office.complaints).toEqual([])
  }, 120_000)

  it('sees which system failed for a new member, and has it done again', async () => {
    await using office = await visit(browser)
    const { page } = office
    await signIn(page, 'portal', admin)
    await openMembers(page)
    const mend = await breakSystem('files', {
      mode: 'error',
      status: 403,
      match: 'POST /graph/v1.0/users',
    })
    try {
      await addMember(page, 'broken', 'Bea Broken')
      await page
        .getByRole('dialog', { name: 'Bea Broken' })
        .getByText('Failed', { exact: true })
        .waitFor()
    } finally {
      await mend()
    }
    const systems = page
      .getByRole('dialog', { name: 'Bea Broken' })
      .getByRole('region', { name: 'Systems' })
    await systems.getByRole('button', { name: 'Retry now' }).click()
    await expect.poll(() => systems.getByText('Done').count()).toBe(3)
  })

  it('learns at the field why an address cannot be', async () => {
    await using office = await visit(browser)
    const { page } = office
    await signIn(page, 'portal', admin)
    await openMembers(page)
    await page.getByRole('button', { name: 'Add member' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a member' })
    await dialog.getByLabel('E-mail address').fill('grаce')
    await dialog.getByRole('button', { name: 'Add member' }).click()
    await dialog.getByText('so that no address looks like another').waitFor()
    await expectWellMade(page)
  })

  it('hands the workplace over, and is an admin of it afterwards', async () => {
    const { slug, primaryDomain } = await createTenant('Handed Over')
    await using office = await visit(browser)
    const { page } = office
    await signIn(page, 'portal', admin)
    await page.goto(portal(`/t/${slug}/members`))
    await page.getByRole('button', { name: 'Add member' }).click()
    await page.getByRole('dialog').getByLabel('E-mail address').fill(`otto@${primaryDomain}`)
    await page.getByRole('dialog').getByLabel('Display name').fill('Otto Next')
    await page.getByRole('dialog').getByRole('button', { name: 'Add member' }).click()
    await keepSecret(page, 'First password of Otto Next')
    const drawer = page.getByRole('dialog', { name: 'Otto Next', exact: true })
    await drawer.getByRole('button', { name: 'Transfer ownership' }).click()
    await confirm(page, 'Transfer ownership', { label: `Type ${slug} to confirm`, word: slug })
    await drawer
      .getByText('The role of the owner changes only when the ownership is transferred.')
      .waitFor()
    expect(await drawer.getByRole('button', { name: 'Remove', exact: true }).count()).toBe(0)
    await page.goto(portal(`/t/${slug}/account`))
    await page
      .getByRole('region', { name: 'About you' })
      .getByText('Admin', { exact: true })
      .waitFor()
  })

  it('suspends several members with one question that names them, and those left out', async () => {
    await using office = await visit(browser)
    const { page } = office
    await signIn(page, 'portal', admin)
    await openMembers(page)
    for (const [localPart, name] of [
      ['ulla', 'Ulla Unit'],
      ['udo', 'Udo Unit'],
    ] as const) {
      await addMember(page, localPart, name)
      await page.getByRole('dialog', { name }).getByRole('button', { name: 'Close' }).click()
    }
    for (const name of ['Ulla Unit', 'Udo Unit', 'Adam Admin'])
      await page.getByRole('checkbox', { name: `Choose ${name}` }).check()
    await page.getByRole('button', { name: 'Choose an action' }).click()
    await page.getByRole('menuitem', { name: 'Suspend' }).click()
    const dialog = page.getByRole('dialog')
    expect(
      await dialog.getByRole('list', { name: 'Affected members' }).getByRole('listitem').count(),
    ).toBe(2)
    expect(await dialog.getByRole('list', { name: 'Unchanged members' }).innerText()).toMatch(
      /Adam Admin\s*that is you/,
    )
    await expectWellMade(page)
    await dialog.getByRole('button', { name: 'Suspend 2 members' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await page.goto(portal(`${home}/members?status=suspended`))
    await page.getByRole('link', { name: 'Ulla Unit' }).waitFor()
    await page.getByRole('link', { name: 'Udo Unit' }).waitFor()
  })

  it('imports a list after a check, follows it by its address, and hands out first passwords', async () => {
    await using office = await visit(browser)
    const { page } = office
    await signIn(page, 'portal', admin)
    await page.goto(portal(`${home}/members/import`))
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download a template' }).click()
    expect(await readFile(await (await download).path(), 'utf8')).toMatch(/^email,name,firstName/)

    const chooser = page.waitForEvent('filechooser')
    await page.getByLabel('CSV file').click()
    await (await chooser).setFiles({
      name: 'people.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(
        'email,name,role\nlise,Lise Meitner,member\nemmy,Emmy Noether,admin\nnot possible,Nobody,member\n',
      ),
    })
    await page.getByRole('button', { name: 'Check the list' }).click()
    await page.getByText('2 can be added, 1 rejected.').waitFor()
    await expectWellMade(page)
    await page.getByRole('button', { name: 'Add 2 members' }).click()
    await page.getByRole('heading', { name: 'Finished' }).waitFor({ timeout: 30_000 })
    expect(new URL(page.url()).searchParams.get('import')).toMatch(/^[0-9a-f-]{36}$/)
    await page.reload()
    await page.getByText(/2 added/).waitFor()
    await expectWellMade(page)

    await page.getByRole('button', { name: 'Create first passwords' }).click()
    const line = page
      .getByRole('list', { name: 'First passwords' })
      .getByRole('listitem')
      .filter({ hasText: `lise@${domain}` })
    const password = await line.locator('code').innerText()
    await using lise = await visit(browser)
    await signInFirst(lise.page, `lise@${domain}`, password)
  }, 120_000)
})

describe('a reading that failed', () => {
  it('is shown as unknown with its reason, and is no "none"', async () => {
    const mend = await breakSystem('identity', {
      mode: 'error',
      status: 403,
      match: '/authenticators/',
    })
    try {
      const { slug } = await createTenant('Unread Factors')
      await using office = await visit(browser)
      const { page } = office
      await signIn(page, 'portal', admin)
      await page.goto(portal(`/t/${slug}/mfa`))
      await page
        .getByRole('img', { name: 'Have a second factor: 0, Have none: 0, Unknown: 1' })
        .waitFor()
      const row = page.getByRole('row').filter({ hasText: admin })
      await row.getByText('Unknown').waitFor()
      expect(await row.innerText()).not.toMatch(/none/i)
      await page.getByRole('button', { name: /^Have none/ }).click()
      await page.getByRole('heading', { name: 'No members match this filter' }).waitFor()
      await expectWellMade(page)
    } finally {
      await mend()
    }
  })
})

describe('a member who is no admin', () => {
  it('looks at members without buttons to change them, and sets up a phone with a link that works once', async () => {
    await using office = await visit(browser)
    await signIn(office.page, 'portal', admin)
    await openMembers(office.page)
    const password = await addMember(office.page, 'paula', 'Paula Phone')

    await using person = await visit(browser)
    const { page } = person
    await signInFirst(page, `paula@${domain}`, password)
    await openMembers(page)
    expect(await page.getByRole('button', { name: 'Add member' }).count()).toBe(0)
    expect(await page.getByRole('checkbox').count()).toBe(0)
    await page.getByRole('link', { name: 'Adam Admin' }).click()
    const drawer = page.getByRole('dialog', { name: 'Adam Admin' })
    await drawer.getByText(adminEmail).waitFor()
    expect(await drawer.getByRole('button', { name: 'Remove' }).count()).toBe(0)

    await page.goto(portal(`${home}/devices`))
    await page.getByText('993').waitFor()
    await page.getByText('465').waitFor()
    const answered = page.waitForResponse((response) =>
      response.url().endsWith('/api/mail-profile/link'),
    )
    await page.getByRole('button', { name: 'Show a code to scan' }).click()
    await page.getByRole('img', { name: 'Code that opens the profile on your phone' }).waitFor()
    await expectWellMade(page)
    const { url } = (await (await answered).json()) as { url: string }
    const first = await fetch(url)
    expect(first.headers.get('content-type')).toBe('application/x-apple-aspen-config')
    expect(await first.text()).toContain(`paula@${domain}`)
    expect((await fetch(url)).status).toBe(404)
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download the profile' }).click()
    expect((await download).suggestedFilename()).toBe('mail.mobileconfig')
    expect(person.complaints).toEqual([])
  })
})

for (const [device, screen] of [
  ['desktop', desktop],
  ['phone', phone],
] as const) {
  describe(`on a ${device}, light and dark`, () => {
    it('finds the details of a member well made', async () => {
      await using office = await visit(browser, { screen })
      const { page } = office
      await signIn(page, 'portal', admin)
      await openMembers(page)
      await page.getByRole('link', { name: 'Adam Admin' }).click()
      await page
        .getByRole('dialog', { name: 'Adam Admin' })
        .getByRole('region', { name: 'Access' })
        .waitFor()
      await untilLoaded(page)
      await expectWellMadeOn(screen, page)
      expect(office.complaints).toEqual([])
    })
  })
}
