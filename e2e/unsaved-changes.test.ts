import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { openBrowser } from './browser.ts'
import { expectWellMade, signIn, visit } from './people.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})

const question = 'Leave without saving?'

describe('a form with unsaved changes', () => {
  it('is kept by whoever stays, left by a link or by going back only when confirmed, and free once it is saved', async () => {
    await using person = await visit(browser)
    const { page } = person
    await signIn(page, 'portal', 'Mira Member')
    const start = `${inject('workplace').portal}/t/acme`
    await page.goto(start)
    await page.getByRole('link', { name: 'My profile' }).click()
    await page.getByRole('heading', { name: 'My profile', level: 1 }).waitFor()
    const profile = page.url()
    const phone = page.getByLabel('Phone')
    const dialog = page.getByRole('dialog', { name: question })
    await phone.fill('+49 30 7654321')

    await page.getByRole('link', { name: 'Members' }).click()
    await dialog.waitFor()
    await expectWellMade(page)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect([page.url(), await phone.inputValue()]).toEqual([profile, '+49 30 7654321'])

    await page.goBack()
    await dialog.getByRole('button', { name: 'Keep editing' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect([page.url(), await phone.inputValue()]).toEqual([profile, '+49 30 7654321'])

    await page.goBack()
    await dialog.getByRole('button', { name: 'Leave' }).click()
    await page.waitForURL(start)
    await page.getByRole('link', { name: 'My profile' }).click()
    await phone.waitFor()
    expect(await phone.inputValue()).toBe('')

    await phone.fill('+49 30 1111111')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByRole('button', { name: 'Discard' }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Members' }).click()
    await page.getByRole('heading', { name: 'My profile', level: 1 }).waitFor({ state: 'detached' })
    expect(person.complaints).toEqual([])
  })

  it('is kept when another message is chosen above it', async () => {
    await using person = await visit(browser)
    const { page } = person
    await signIn(page, 'portal', 'Gero Owner')
    await page.goto(`${inject('workplace').portal}/t/globex/branding/texts`)
    const [message, subject] = [
      page.getByLabel('Message', { exact: true }),
      page.getByLabel('Subject'),
    ]
    await subject.fill('Hello from all of us')
    const before = await message.inputValue()
    await message.selectOption('Password reset')
    await page
      .getByRole('dialog', { name: question })
      .getByRole('button', { name: 'Keep editing' })
      .click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect([await message.inputValue(), await subject.inputValue()]).toEqual([
      before,
      'Hello from all of us',
    ])
  })

  it('is asked about by the browser before a reload', async () => {
    await using person = await visit(browser)
    const { page } = person
    await signIn(page, 'portal', 'Gero Owner')
    await page.goto(`${inject('workplace').portal}/t/globex/settings`)
    await page.getByLabel('Industry').fill('Railways')
    const kinds: string[] = []
    page.on('dialog', (dialog) => {
      kinds.push(dialog.type())
      void dialog.accept()
    })
    await page.reload()
    await page.getByLabel('Industry').waitFor()
    expect(kinds).toEqual(['beforeunload'])
    await page.reload()
    expect(kinds).toHaveLength(1)
  })
})

describe('a portal that waits for its server', () => {
  it('says that it is loading instead of staying blank', async () => {
    await using person = await visit(browser)
    const { page } = person
    await signIn(page, 'portal', 'Gero Owner')
    let go: () => void = () => {}
    const held = new Promise<void>((done) => {
      go = done
    })
    await page.route('**/api/session', async (route) => {
      await held
      await route.continue()
    })
    await page.goto(`${inject('workplace').portal}/t/globex`)
    await page.getByRole('status', { name: 'Loading', exact: true }).waitFor()
    go()
    await page.getByRole('heading', { name: 'Globex', level: 1 }).waitFor()
  })
})
