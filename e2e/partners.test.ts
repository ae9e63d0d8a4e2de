import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { mailsTo } from './booking-workplace.ts'
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
// Other files use the same workplace: what is changed here is made here.
const suffix = Date.now().toString(36)

/** The first sign-in of a person who is on no list: with address and password. */
async function signInWithPassword(page: Page, email: string, password: string): Promise<void> {
  const { portal } = inject('workplace')
  await page.goto(portal)
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByRole('textbox', { name: 'E-mail or user name' }).fill(email)
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await chooseOwnPassword(page)
  await page.waitForURL((url) => url.origin === portal && !url.pathname.startsWith('/auth/'))
}

/**
 * Invites the first owner on the staff tab that is open, and follows the link of the mail; returns
 * the temporary password.
 */
async function inviteOwner(page: Page, name: string, email: string): Promise<string> {
  await page.getByRole('button', { name: 'Invite staff' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'E-mail addresses' }).fill(`${name} <${email}>`)
  await expect.poll(() => dialog.getByRole('radio', { name: 'Owner' }).isChecked()).toBe(true)
  await dialog.getByRole('button', { name: 'Invite', exact: true }).click()
  await page.getByText('1 invitation sent.').waitFor()
  await page
    .getByRole('row', { name: new RegExp(name) })
    .getByText('Pending')
    .waitFor()
  const [mail] = await mailsTo(email, 1)
  const [link] = /http:\/\/\S+\/invitation\/[\w-]+/.exec(mail?.text ?? '') ?? []
  const tab = await page.context().newPage()
  await tab.goto(link ?? expect.fail(`no link in the mail: ${mail?.text}`))
  await expectWellMade(tab)
  await tab.getByRole('button', { name: 'Continue' }).click()
  await expectWellMade(tab)
  await tab.getByRole('button', { name: 'Accept' }).click()
  await tab.getByRole('heading', { name: 'You have joined' }).waitFor()
  await expectWellMade(tab)
  const password = (await tab.locator('code').textContent()) ?? ''
  expect(password).toMatch(/^.{16}$/)
  await tab.close()
  await page.reload()
  await page.getByRole('combobox', { name: `Access level of ${name}` }).waitFor()
  return password
}

async function createPartner(page: Page, name: string): Promise<void> {
  await page.goto(`${inject('workplace').operator}/partners/new`)
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name)
  await page.getByRole('textbox', { name: 'Margin in percent' }).fill('17.5')
  await page.getByRole('button', { name: 'Create partner' }).click()
  await page.getByRole('heading', { name, level: 1 }).waitFor()
}

describe('an operator', () => {
  it('creates a partner, invites its first owner, sets a later margin, suspends, resumes and terminates it', async () => {
    await using visitor = await visit(browser)
    const { page } = visitor
    await signIn(page, 'operator', operator)
    const name = `West ${suffix}`
    await createPartner(page, name)

    await inviteOwner(page, 'Wes West', `wes-${suffix}@west.test`)
    await page.getByRole('combobox', { name: 'Access level of Wes West' }).selectOption('viewer')
    await page.getByText('A partner needs at least one owner.').waitFor()

    await page.getByRole('tab', { name: 'Margin' }).click()
    await page.getByText('In force', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Set margin' }).click()
    await page.getByRole('dialog').getByRole('textbox', { name: 'Margin in percent' }).fill('25')
    await page.getByRole('dialog').getByRole('button', { name: 'Set margin' }).click()
    await page.getByRole('row', { name: /25%.*Upcoming/ }).waitFor()

    await page.getByRole('button', { name: 'Suspend' }).click()
    await page
      .getByRole('dialog')
      .getByRole('textbox', { name: 'Reason' })
      .fill('Contract under review')
    await page.getByRole('button', { name: 'Suspend partner' }).click()
    await page.getByText('Contract under review').waitFor()
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByRole('button', { name: 'Resume partner' }).click()
    await page.getByRole('button', { name: 'Suspend' }).waitFor()

    await page.getByRole('tab', { name: 'Overview' }).click()
    await page.getByRole('button', { name: 'Terminate partner' }).click()
    await page.getByRole('textbox', { name: /^Type west-/ }).fill(`west-${suffix}`)
    await page.getByRole('dialog').getByRole('button', { name: 'Terminate partner' }).click()
    await page.getByText('This partner is terminated').waitFor()
    await page.getByRole('tab', { name: 'Audit' }).click()
    await page.getByText('Partner terminated').first().waitFor()
    expect(visitor.complaints).toEqual([])
  })

  it.each([
    ['desktop', desktop],
    ['phone', phone],
  ] as const)('finds the tabs of a partner well made on a %s', async (_name, screen) => {
    await using visitor = await visit(browser, { screen })
    const { page } = visitor
    await signIn(page, 'operator', operator)
    for (const tab of ['staff', 'margins']) {
      await page.goto(`${inject('workplace').operator}/partners/north?tab=${tab}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await untilLoaded(page)
      await expectWellMadeOn(screen, page)
    }
    expect(visitor.complaints).toEqual([])
  })
})

describe('partner staff', () => {
  it('begins with a password, adds a customer, sells seats, suspends and resumes it, runs the staff, and stops when it is suspended', async () => {
    await using host = await visit(browser)
    await using visitor = await visit(browser)
    const { page } = visitor
    const name = `East ${suffix}`
    const email = `olga-${suffix}@east.test`
    await signIn(host.page, 'operator', operator)
    await createPartner(host.page, name)
    await signInWithPassword(page, email, await inviteOwner(host.page, 'Olga East', email))

    await page.getByRole('heading', { name, level: 1 }).waitFor()
    await page.getByText('No customers yet').waitFor()
    await page.getByRole('link', { name: 'Add a customer' }).click()
    const customer = `Bakery ${suffix}`
    await page.getByLabel('Name of the workplace').fill(customer)
    await page.getByRole('button', { name: 'Create workplace' }).click()
    await page.getByRole('heading', { name: `${customer} is ready` }).waitFor()
    await page.getByRole('link', { name: 'Partner area' }).click()
    await page.getByRole('link', { name: 'Customers', exact: true }).click()
    await page.getByRole('link', { name: customer }).click()
    const drawer = page.getByRole('dialog', { name: customer, exact: true })
    // The panel of the subscription, which loads on its own, has a field of this name too.
    const change = drawer.getByRole('region', { name: 'Change' })
    await change.getByRole('textbox', { name: 'Seats' }).fill('6')
    await change.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText(`${customer} is saved.`).waitFor()
    await drawer.getByText('0 of 6 taken').waitFor()

    await drawer.getByRole('button', { name: 'Suspend customer' }).click()
    const question = page.getByRole('dialog', { name: `Suspend ${customer}?` })
    await question.getByRole('textbox', { name: 'Reason' }).fill('Invoice unpaid')
    await question.getByRole('button', { name: 'Suspend customer' }).click()
    await drawer.getByText('Reason: Invoice unpaid').waitFor()
    await drawer.getByRole('button', { name: 'Resume customer' }).click()
    await page
      .getByRole('dialog', { name: `Resume ${customer}?` })
      .getByRole('button', { name: 'Resume customer' })
      .click()
    await drawer.getByRole('button', { name: 'Suspend customer' }).waitFor()
    await page.keyboard.press('Escape')

    await page.getByRole('link', { name: 'Partner settings' }).click()
    await page
      .getByRole('group', { name: 'Support for your customers' })
      .getByRole('textbox', { name: 'E-mail' })
      .fill('help@east.test')
    await page.getByRole('button', { name: 'Save settings' }).click()
    await page.getByText('The settings are saved.').waitFor()
    await page.getByRole('link', { name: 'Partner branding' }).click()
    await page.getByRole('textbox', { name: 'Product name' }).fill('East Workplace')
    await page.getByRole('article', { name: 'A mail of East Workplace' }).waitFor()
    await page.getByRole('button', { name: 'Save branding' }).click()
    await page.getByText('The branding is saved').waitFor()

    await page.getByRole('link', { name: 'Staff', exact: true }).click()
    await page.getByRole('button', { name: 'Invite staff' }).click()
    const dialog = page.getByRole('dialog')
    await dialog
      .getByRole('textbox', { name: 'E-mail addresses' })
      .fill(`Sam Support <sam-${suffix}@east.test>, tess-${suffix}@east.test`)
    await expectWellMade(page)
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click()
    await page.getByText('2 invitations sent.').waitFor()
    const sam = page.getByRole('row', { name: /Sam Support/ })
    await sam.getByRole('button', { name: /^Revoke/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await sam.getByText('Revoked').waitFor()

    await host.page.getByRole('button', { name: 'Suspend' }).click()
    await host.page.getByRole('button', { name: 'Suspend partner' }).click()
    await host.page.getByRole('button', { name: 'Resume' }).waitFor()
    await page.goto(`${inject('workplace').portal}/partner`)
    await page.getByText(`${name} is suspended`).waitFor()
    expect(await page.getByRole('link', { name: 'Add a customer' }).count()).toBe(0)
    await page.getByRole('link', { name: 'Customers', exact: true }).click()
    await page.getByRole('link', { name: customer }).click()
    await page.getByText('You can read this customer.').waitFor()
    await page.getByText('None yet: awaits the invited owner').waitFor()
    expect([...visitor.complaints, ...host.complaints]).toEqual([])
  })

  it.each([
    ['desktop', desktop],
    ['phone', phone],
  ] as const)('finds the details of a customer well made on a %s', async (_name, screen) => {
    await using visitor = await visit(browser, { screen })
    const { page } = visitor
    await signIn(page, 'portal', 'Pia Partner')
    await page.goto(`${inject('workplace').portal}/partner/customers?customer=acme`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await untilLoaded(page)
    await expectWellMadeOn(screen, page)
    expect(visitor.complaints).toEqual([])
  })
})
