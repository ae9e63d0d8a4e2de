import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { mailsTo } from './booking-workplace.ts'
import { openBrowser } from './browser.ts'
import { desktop, expectWellMade, expectWellMadeOn, phone, signIn, visit } from './people.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})

const suffix = Date.now().toString(36)
const guest = (name: string) => `${name}-${suffix}@elsewhere.example`

/** The link of the newest mail to an address. */
async function linkTo(email: string): Promise<string> {
  const [mail] = await mailsTo(email, 1)
  const [link] = /http:\/\/\S+\/invitation\/[\w-]+/.exec(mail?.text ?? '') ?? []
  return link ?? expect.fail(`no link in the mail: ${mail?.text}`)
}

describe('an admin', () => {
  it.each([
    ['desktop', desktop],
    ['phone', phone],
  ] as const)(
    'invites pasted addresses on a %s; one accepts, one declines',
    async (name, screen) => {
      await using visitor = await visit(browser, { screen })
      const { page } = visitor
      const [yes, no] = [guest(`yes-${name}`), guest(`no-${name}`)]
      await signIn(page, 'portal', 'Gero Owner')
      await page.goto(`${inject('workplace').portal}/new`)
      await page.getByLabel('Name of the workplace').fill(`Guests ${name} ${suffix}`)
      await page.getByRole('button', { name: 'Create workplace' }).click()
      await page.getByRole('heading', { name: `Guests ${name} ${suffix} is ready` }).waitFor()
      await page.goto(`${page.url().split('?')[0]}/members`)
      await page.getByRole('button', { name: 'Invite people' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('textbox', { name: 'E-mail addresses' }).fill(`${yes}, ${no} nobody`)
      await dialog.getByRole('button', { name: 'Invite', exact: true }).click()
      await dialog.getByText('Not an e-mail address: nobody').waitFor()
      await dialog.getByRole('textbox', { name: 'E-mail addresses' }).fill(`${yes}, ${no}`)
      await dialog.getByRole('textbox', { name: 'Personal message' }).fill('See you on Monday.')
      await expectWellMadeOn(screen, page)
      await dialog.getByRole('button', { name: 'Invite', exact: true }).click()
      await page.getByText('2 invitations sent.').waitFor()
      await page.goto(page.url().replace(/members$/, 'invitations'))
      await page.getByText('2 seats are reserved for open invitations.').waitFor()
      await expectWellMadeOn(screen, page)

      const tab = await page.context().newPage()
      await tab.goto(await linkTo(yes))
      await tab.getByText(/^Gero Owner invites you to Guests/).waitFor()
      await tab.getByRole('button', { name: 'Continue' }).click()
      await tab.getByText('See you on Monday.').waitFor()
      await expectWellMade(tab)
      await tab.getByRole('button', { name: 'Accept' }).click()
      await tab.getByRole('heading', { name: 'You have joined' }).waitFor()
      await tab.goto(await linkTo(no))
      await tab.getByRole('button', { name: 'Continue' }).click()
      await tab.getByRole('button', { name: 'Decline' }).click()
      await tab.getByRole('heading', { name: 'You have declined' }).waitFor()
      await tab.close()

      await page.reload()
      const row = (email: string) => page.getByRole('row', { name: new RegExp(email) })
      await row(no).getByText('Declined').waitFor()
      await row(yes).getByText('Accepted').waitFor()
      expect(visitor.complaints).toEqual([])
    },
  )
})
