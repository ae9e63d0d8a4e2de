import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { openBrowser } from './browser.ts'
import { call, makePaidWorkplace } from './paid-workplace.ts'
import { desktop, expectWellMadeOn, phone, signIn, visit } from './people.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})

const slug = 'seats-journey'

/** The page follows a new size a moment later. */
async function expectWellMadeOnEvery(page: Page): Promise<void> {
  for (const size of [phone, desktop]) {
    await page.setViewportSize(size)
    await expect
      .poll(() =>
        page.evaluate(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        ),
      )
      .toBe(0)
    await expectWellMadeOn(size, page)
  }
}

describe('an owner whose seats are all taken', () => {
  it('lets the workplace add seats, and buys one with the member that needs it', async () => {
    const owner = await makePaidWorkplace({
      name: 'Seats Journey',
      slug,
      plan: 'business',
      seats: 1,
    })
    await using visitor = await visit(browser)
    const { page } = visitor
    await signIn(page, 'portal', 'Anna Owner')

    await page.goto(`${inject('workplace').portal}/t/${slug}/settings`)
    await page.getByRole('radio', { name: 'Reject' }).waitFor()
    expect(await page.getByRole('radio', { name: 'Reject' }).isChecked()).toBe(true)
    await page.getByRole('radio', { name: 'Add a seat' }).check()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('The changes are saved.').first().waitFor()
    await expectWellMadeOnEvery(page)

    await page.goto(`${inject('workplace').portal}/t/${slug}/members`)
    await page.getByRole('button', { name: 'Add member' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Add a member' })
    await dialog.getByLabel('E-mail address').fill(`second@${slug}.tenants.local`)
    await dialog.getByRole('button', { name: 'Add member' }).click()
    const confirm = dialog.getByRole('button', { name: /^Pay .* and add/ })
    await confirm.waitFor()
    await dialog.getByText('The only seat is taken').waitFor()
    await expectWellMadeOnEvery(page)
    await confirm.click()
    await dialog.waitFor({ state: 'hidden' })
    expect(await call(owner, 'GET', `/tenants/${slug}`)).toMatchObject({
      seats: 2,
      memberCount: 2,
      seatMode: 'auto',
    })

    await page.goto(`${inject('workplace').portal}/t/${slug}/invitations`)
    await page.getByRole('button', { name: 'Invite people' }).click()
    const invite = page.getByRole('dialog', { name: 'Invite people' })
    await invite
      .getByRole('textbox', { name: 'E-mail addresses' })
      .fill('Una <una@elsewhere.example>, dora@elsewhere.example')
    await invite.getByText('No seat is free').waitFor()
    await invite.getByRole('button', { name: 'Buy 2 seats' }).click()
    const buy = invite.getByRole('button', { name: /^Pay / })
    await buy.waitFor()
    await expectWellMadeOnEvery(page)
    await buy.click()
    await invite.getByText('No seat is free').waitFor({ state: 'hidden' })
    await invite.getByRole('button', { name: 'Invite', exact: true }).click()
    await page.getByText('2 invitations sent.').waitFor()
    expect(await call(owner, 'GET', `/tenants/${slug}/invitations`)).toMatchObject({
      reservedSeats: 2,
      freeSeats: 0,
    })
  })
})
