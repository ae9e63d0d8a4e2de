import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { mailsTo } from './booking-workplace.ts'
import { openBrowser } from './browser.ts'
import { call, tokenOf } from './paid-workplace.ts'
import { desktop, expectWellMade, expectWellMadeOn, phone, signIn, visit } from './people.ts'

const suffix = Date.now().toString(36)
const second = (name: string) => `${name}-${suffix}@elsewhere.example`

let browser: Browser
let members: string
beforeAll(async () => {
  browser = await openBrowser()
  const token = await tokenOf('owner@globex.test')
  await call(token, 'GET', '/users/me')
  const { slug } = await call(token, 'POST', '/tenants', { name: `Links ${suffix}` })
  members = `${inject('workplace').portal}/t/${slug}/members`
})

/** The link of the newest mail to an address. */
async function linkIn(email: string, count = 1): Promise<string> {
  const mail = (await mailsTo(email, count)).at(-1)
  const [link] = /http:\/\/\S+\/invitation\/[\w-]+/.exec(mail?.text ?? '') ?? []
  return link ?? expect.fail(`no link in the mail: ${mail?.text}`)
}

const choice = (page: Page) =>
  page.getByRole('dialog').filter({ has: page.getByRole('button', { name: 'Send link' }) })

describe('an admin who hands a password over', () => {
  it.each([
    ['desktop', desktop],
    ['phone', phone],
  ] as const)(
    'has a link sent to a second address on a %s, which the member follows',
    async (name, screen) => {
      await using visitor = await visit(browser, { screen })
      const { page } = visitor
      const address = second(name)
      await signIn(page, 'portal', 'Gero Owner')
      await page.goto(members)
      await page.getByRole('button', { name: 'Add member' }).click()
      const adding = page.getByRole('dialog', { name: 'Add a member' })
      await adding.getByLabel('E-mail address').fill(`lena-${name}`)
      await adding.getByLabel('Display name').fill(`Lena ${name}`)
      await adding.getByRole('button', { name: 'Add member' }).click()
      const dialog = choice(page)
      await dialog.getByLabel('Second address').fill('nowhere')
      await dialog.getByRole('button', { name: 'Send link' }).click()
      await dialog.getByRole('textbox', { name: 'Second address', description: /./ }).waitFor()
      expect(await page.getByLabel('One-time password').count()).toBe(0)
      await expectWellMadeOn(screen, page)
      await dialog.getByLabel('Second address').fill(address)
      await dialog.getByRole('button', { name: 'Send link' }).click()
      await page.getByText(`A link was sent to ${address}.`).waitFor()

      await using reader = await visit(browser, { screen })
      const first = await linkIn(address)
      await reader.page.goto(first)
      await expectWellMade(reader.page)
      await reader.page.getByRole('button', { name: 'Continue' }).click()
      await reader.page.getByRole('heading', { level: 1 }).waitFor()
      await reader.page.goto(first)
      expect(await reader.page.getByRole('button', { name: 'Continue' }).count()).toBe(0)

      const details = page.getByRole('dialog', { name: `Lena ${name}`, exact: true })
      await details.getByRole('button', { name: 'Reset password' }).click()
      await page
        .getByRole('dialog', { name: `Reset the password of Lena ${name}?` })
        .getByRole('button', { name: 'Reset password' })
        .click()
      await choice(page).getByLabel('Second address').fill(address)
      await choice(page).getByRole('button', { name: 'Send link' }).click()
      await choice(page).waitFor({ state: 'detached' })
      const later = await linkIn(address, 2)
      expect(later).not.toBe(first)
      expect([...visitor.complaints, ...reader.complaints]).toEqual([])
    },
  )
})
