import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { mailsTo } from './booking-workplace.ts'
import { openBrowser } from './browser.ts'
import {
  desktop,
  expectWellMadeOn,
  phone,
  type Screen,
  signIn,
  untilLoaded,
  visit,
} from './people.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})

const suffix = Date.now().toString(36)

/** The link of the second mail: that of the first is void. */
async function linkOfSecondMail(email: string): Promise<string> {
  const mail = (await mailsTo(email, 2)).at(-1)
  const [link] = /http:\/\/\S+\/invitation\/[\w-]+/.exec(mail?.text ?? '') ?? []
  return link ?? expect.fail(`no link in the mail: ${mail?.text}`)
}

describe('partner staff', () => {
  it.each<[string, Screen]>([
    ['desktop', desktop],
    ['phone', phone],
  ])('prepares a workplace on a %s until its owner accepts', async (screenName, screen) => {
    await using staff = await visit(browser, { screen })
    const { page } = staff
    const name = `Prepared ${screenName} ${suffix}`
    const owner = `owner-${screenName}-${suffix}@elsewhere.example`
    const { portal } = inject('workplace')
    await signIn(page, 'portal', 'Pia Partner')
    await page.goto(`${portal}/new`)
    await page.getByLabel('Name of the workplace').fill(name)
    await page.getByLabel("Owner's e-mail address").fill(owner)
    await page.getByRole('button', { name: 'Create workplace' }).click()
    await page.getByRole('heading', { name: `${name} is ready` }).waitFor()
    const slug = new URL(page.url()).pathname.split('/')[2] ?? ''

    await page.goto(`${portal}/partner/customers?customer=${slug}`)
    const drawer = page.getByRole('dialog', { name, exact: true })
    await drawer.getByText('None yet: awaits the invited owner').waitFor()
    await expectWellMadeOn(screen, page)
    await drawer.getByRole('link', { name: 'Open the workplace' }).click()
    await page.getByText('This workplace awaits its owner').waitFor()
    await page.getByText(`${owner} is invited until`).waitFor()
    await untilLoaded(page)
    await expectWellMadeOn(screen, page)
    await page.getByRole('button', { name: 'Send the invitation again' }).click()
    await page.getByText(`The invitation is sent to ${owner} again.`).waitFor()

    await page.goto(`${portal}/t/${slug}/domains`)
    await page.getByRole('button', { name: 'Add domain' }).first().click()
    const domain = page.getByRole('dialog')
    await domain.getByRole('textbox').first().fill(`${slug}.example.org`)
    await domain.getByRole('button', { name: 'Add domain' }).click()
    await page.getByRole('heading', { name: `${slug}.example.org` }).waitFor()

    await page.goto(`${portal}/t/${slug}/branding`)
    await page.getByRole('textbox', { name: 'Product name' }).fill('Prepared for you')
    await page.getByRole('button', { name: 'Save branding' }).click()
    await page.getByText('The branding is saved').waitFor()

    await page.goto(`${portal}/t/${slug}/invitations`)
    await page.getByRole('button', { name: 'Invite people' }).click()
    const dialog = page.getByRole('dialog')
    await dialog
      .getByRole('textbox', { name: 'E-mail addresses' })
      .fill(`Mira Lang <mira-${screenName}-${suffix}@elsewhere.example>`)
    await dialog.getByRole('button', { name: 'Invite', exact: true }).click()
    await page.getByText('1 invitation sent.').waitFor()
    await page
      .getByRole('row', { name: /Mira Lang/ })
      .getByText('Pending')
      .waitFor()
    await expectWellMadeOn(screen, page)

    const tab = await page.context().newPage()
    await tab.goto(await linkOfSecondMail(owner))
    await tab.getByRole('button', { name: 'Continue' }).click()
    await tab.getByRole('button', { name: 'Accept' }).click()
    await tab.getByRole('heading', { name: 'You have joined' }).waitFor()
    await tab.close()

    // The access of the partner ends with the acceptance.
    await page.reload()
    await page.getByRole('heading', { name: 'No access' }).waitFor()
    await page.goto(`${portal}/partner/customers?customer=${slug}`)
    await drawer.getByText(owner).waitFor()
    expect(await drawer.getByRole('link', { name: 'Open the workplace' }).count()).toBe(0)
    expect(staff.complaints).toEqual([])
  })
})
