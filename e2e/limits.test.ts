import type { Browser } from 'playwright-core'
import { beforeAll, expect, inject, it } from 'vitest'
import { openBrowser } from './browser.ts'
import { expectWellMade, phone, signIn, untilLoaded, visit } from './people.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})

it('an operator lowers a limit after a confirmation, its admins see that it is reached, and the operator sets it back', async () => {
  await using visitor = await visit(browser)
  const { page } = visitor
  await signIn(page, 'operator', 'Olive Operator')
  await page.goto(`${inject('workplace').operator}/tenants/globex`)
  const limit = page
    .getByRole('listitem')
    .filter({ hasText: 'Domains' })
    .filter({ hasText: / of 20/ })
  await limit.waitFor()

  await page.getByRole('button', { name: 'Edit limits' }).click()
  const dialog = page.getByRole('dialog')
  const save = dialog.getByRole('button', { name: 'Save limits' })
  expect(await save.isDisabled()).toBe(true)
  await dialog.getByLabel('Domains').fill('1')
  await dialog.getByLabel('Reason').fill('Names that belong to others')
  await dialog.getByText('This lowers limits').waitFor()
  expect(await save.isDisabled()).toBe(true)
  await dialog.getByLabel('Lower these limits').check()
  await expectWellMade(page)
  await save.click()
  await page.getByText('Limit reached. Remove one to make room.').waitFor()

  await using owner = await visit(browser, { screen: phone })
  await signIn(owner.page, 'portal', 'Gero Owner')
  await owner.page.goto(`${inject('workplace').portal}/t/globex`)
  await owner.page.getByText('A limit is reached').waitFor()
  await owner.page.getByRole('link', { name: 'View usage and limits' }).click()
  await owner.page.getByRole('heading', { name: 'Usage and limits' }).waitFor()
  await untilLoaded(owner.page)
  await owner.page.getByText('Limit reached. Remove one to make room.').waitFor()
  await expectWellMade(owner.page)

  await page.getByRole('button', { name: 'Edit limits' }).click()
  await dialog.getByLabel('Domains').fill('')
  await save.click()
  await limit.waitFor()
  expect([...visitor.complaints, ...owner.complaints]).toEqual([])
})
