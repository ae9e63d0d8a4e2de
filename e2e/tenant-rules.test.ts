import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { openBrowser } from './browser.ts'
import { breakSystem, expectWellMade, signIn, visit } from './people.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})

const at = (path: string) => `${inject('workplace').portal}/t/acme${path}`

describe('an admin and single sign-on', () => {
  it('adds an application, sees its secret once and the settings again, and removes it', async () => {
    await using person = await visit(browser)
    const { page } = person
    await signIn(page, 'portal', 'Anna Owner')
    await page.goto(at('/sso'))
    await page.getByRole('button', { name: 'Add application' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Cloud')
    await dialog
      .getByRole('textbox', { name: 'Redirect address', exact: true })
      .fill('https://cloud.example.com/cb#fragment')
    await dialog.getByRole('button', { name: 'Add application' }).click()
    await dialog.getByText('A redirect address has no fragment.').waitFor()
    await expectWellMade(page)
    await dialog
      .getByRole('textbox', { name: 'Redirect address', exact: true })
      .fill('https://cloud.example.com/apps/user_oidc/code')
    await dialog.getByRole('button', { name: 'Add application' }).click()

    const revealed = page.getByRole('dialog', { name: 'Cloud has been added' })
    const secret = (await revealed.getByLabel('Client secret').innerText()).trim()
    expect(secret.length).toBeGreaterThan(20)
    await expectWellMade(page)
    await revealed.getByRole('button', { name: 'I have saved it, close' }).click()

    const drawer = page.getByRole('dialog', { name: 'Cloud' })
    await drawer.getByText(/php occ user_oidc:provider 'Cloud'/).waitFor()
    expect(await drawer.innerText()).not.toContain(secret)
    await drawer.getByRole('tab', { name: 'GitLab' }).click()
    await drawer.getByText(/discovery: true/).waitFor()
    await expectWellMade(page)
    await page.reload()
    await page.getByRole('button', { name: 'Cloud', exact: true }).click()
    await page.getByRole('dialog').getByText('Active', { exact: true }).waitFor()
    expect(await page.content()).not.toContain(secret)

    await page.getByRole('button', { name: 'Remove application' }).click()
    await page
      .getByRole('dialog', { name: 'Remove Cloud?' })
      .getByRole('button', { name: 'Remove application' })
      .click()
    await page.getByText('No applications yet').waitFor()
    expect(person.complaints).toEqual([])
  })

  it('learns what failed when the provider is down, and nothing is left', async () => {
    await using person = await visit(browser)
    const { page } = person
    await signIn(page, 'portal', 'Adam Admin')
    await page.goto(at('/sso'))
    await page.getByRole('button', { name: 'Add application' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Wiki')
    await dialog
      .getByRole('textbox', { name: 'Redirect address', exact: true })
      .fill('https://wiki.example.com/callback')
    const mend = await breakSystem('identity', {
      mode: 'error',
      status: 500,
      match: 'core/transactional/applications',
    })
    try {
      await dialog.getByRole('button', { name: 'Add application' }).click()
      await dialog.getByText('The application was not added.').waitFor()
    } finally {
      await mend()
    }
    await page.goto(at('/sso'))
    await page.getByText('No applications yet').waitFor()
  })
})

describe('an admin and the looks', () => {
  it('sees name and colour in the preview before saving, and takes the nearer colour that can be read', async () => {
    await using person = await visit(browser)
    const { page } = person
    await signIn(page, 'portal', 'Anna Owner')
    await page.goto(at('/branding'))
    await page.getByLabel('Product name').fill('Acme Cloud')
    await page.getByText('Welcome to Acme Cloud').waitFor()
    const frame = page.frameLocator('iframe')
    await frame.getByText('Welcome, Mira Member').waitFor()
    await page.getByLabel('Accent colour').fill('#ffee00')
    await page.getByText('Hard to see for some people').waitFor()
    await page
      .getByRole('button', { name: /^Use #[0-9a-f]{6} instead$/ })
      .first()
      .click()
    expect(await page.getByLabel('Accent colour').inputValue()).not.toBe('#ffee00')
    await page.getByText('Plain text', { exact: true }).click()
    await page
      .getByRole('region', { name: 'Plain text of Welcome' })
      .getByText(/Acme Cloud/)
      .waitFor()
    await page.getByRole('button', { name: 'Save branding' }).click()
    await page.getByText('The branding is saved and applies from the next e-mail on.').waitFor()
    expect(person.complaints).toEqual([])
  })

  it('writes a text of their own: a mistake is shown with its place, a good one is kept and can be thrown away', async () => {
    await using person = await visit(browser)
    const { page } = person
    await signIn(page, 'portal', 'Anna Owner')
    await page.goto(at('/branding/texts?template=member.welcome'))
    await page.getByLabel('Subject').fill('Hello {{ member.nmae }}')
    await page
      .getByText(/Line 1, column \d+: there is no “member.nmae”/)
      .first()
      .waitFor()
    await expectWellMade(page)
    await page.getByRole('button', { name: 'Save text' }).click()
    await expect.poll(() => page.getByLabel('Subject').getAttribute('aria-invalid')).toBe('true')

    await page.getByLabel('Subject').fill('Hello ')
    await page.getByRole('button', { name: 'Insert member.name' }).click()
    expect(await page.getByLabel('Subject').inputValue()).toBe('Hello {{ member.name }}')
    await page.getByText('Hello Mira Member').waitFor()
    await page.getByRole('button', { name: 'Save text' }).click()
    await page.getByText('Your own text.').waitFor()
    await page.getByRole('button', { name: 'Restore standard text' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Discard my text' }).click()
    await page.getByText(/^The standard text in English\./).waitFor()
    expect(person.complaints).toEqual([])
  })
})

describe('an admin and the rules', () => {
  it('cannot lock themselves out with the security policy', async () => {
    await using person = await visit(browser)
    const { page } = person
    await signIn(page, 'portal', 'Anna Owner')
    await page.goto(at('/security'))
    await page.getByRole('radio', { name: 'Required' }).check()
    await page.getByLabel('Days to set up a second factor').fill('14')
    await page.getByLabel('Without activity, in minutes').fill('480')
    await page.getByText('8 hours').waitFor()
    await page.getByLabel('Addresses and networks').fill('10.0.0.5/8')
    await page.getByRole('button', { name: 'Add to the list' }).click()
    await page
      .getByText(/Bits are set behind the prefix/)
      .first()
      .waitFor()
    await page.getByLabel('Addresses and networks').fill('203.0.113.0/24, 2001:DB8:0::/32')
    await page.getByRole('button', { name: 'Add to the list' }).click()
    await page.getByRole('list', { name: 'Allowed addresses' }).getByText('2001:db8::/32').waitFor()
    await expectWellMade(page)
    await page.getByRole('button', { name: 'Save policy' }).click()
    const dialog = page.getByRole('dialog', { name: 'Before you save' })
    await dialog.getByText(/Your own address .* would lock you out/).waitFor()
    await dialog.getByText('Anna Owner').waitFor()
    expect(await dialog.getByRole('button', { name: 'Save policy' }).isDisabled()).toBe(true)
    await expectWellMade(page)
    await dialog.getByRole('button', { name: 'Back to the policy' }).click()
    await page.reload()
    await page.getByText('No entries: people can sign in from every address.').waitFor()
    expect(person.complaints).toEqual([])
  })

  it('gives a VAT number and reads what is known of it', async () => {
    await using person = await visit(browser)
    const { page } = person
    await signIn(page, 'portal', 'Anna Owner')
    await page.goto(at('/billing-details'))
    await page.getByLabel('Company').fill('Acme Engineering GmbH')
    await page.getByLabel('Country').selectOption('DE')
    await page.getByLabel('VAT number').fill('DE12')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText(/format of a VAT number/).waitFor()
    await expectWellMade(page)
    await page.getByLabel('VAT number').fill('de 136 695 976')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Well-formed').waitFor()
    expect(await page.getByLabel('VAT number').inputValue()).toBe('DE136695976')
    await page.getByLabel('Country').selectOption('AT')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText(/begins with DE, but the country/).waitFor()
    await expectWellMade(page)
  })
})
