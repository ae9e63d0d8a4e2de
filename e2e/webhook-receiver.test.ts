import type { Browser } from 'playwright-core'
import { beforeAll, expect, inject, it } from 'vitest'
import { openBrowser } from './browser.ts'
import { call, tokenOf } from './paid-workplace.ts'
import { expectWellMadeOnBoth, visit } from './people.ts'

const slug = 'receiver-journey'
const endpoints = `/tenants/${slug}/webhook-endpoints`

let browser: Browser
let owner: string
beforeAll(async () => {
  browser = await openBrowser()
  owner = await tokenOf('owner@globex.test')
  await call(owner, 'POST', '/tenants', { name: 'Receiver Journey', slug })
})

it('a developer sees in the sandbox what an endpoint gets, and has it fail', async () => {
  const { control } = inject('workplace')
  await using developer = await visit(browser)
  const { page } = developer
  await page.goto(control)
  await page.getByRole('link', { name: 'Received webhooks' }).click()
  await page.getByText('None yet.').waitFor()
  await expectWellMadeOnBoth(page)

  const url = (await page.getByText('/webhooks/receive').textContent()) ?? ''
  // Of no type that happens here: only test events arrive.
  const types = ['list.created']
  const { id, secret } = await call(owner, 'POST', endpoints, { url, types })
  await page.getByLabel('Signing secret').fill('no secret')
  await page.getByRole('button', { name: 'Use secret' }).click()
  await page.getByRole('alert').getByText('This is no signing secret').waitFor()
  await page.getByLabel('Signing secret').fill(secret)
  await page.getByRole('button', { name: 'Use secret' }).click()
  await page.getByText('One secret is known.').waitFor()

  expect(await call(owner, 'POST', `${endpoints}/${id}/test`)).toMatchObject({ status: 204 })
  await page.getByRole('link', { name: 'Refresh' }).click()
  const accepted = page.getByText(/webhook_endpoint\.test · 204 · Signature is right/)
  await accepted.click()
  await page.getByRole('rowheader', { name: 'webhook-signature' }).waitFor()
  await expectWellMadeOnBoth(page)

  await page.getByRole('button', { name: 'Gone (410)' }).click()
  await page.getByRole('button', { name: 'Gone (410): on' }).waitFor()
  expect(await call(owner, 'POST', `${endpoints}/${id}/test`)).toMatchObject({
    status: 410,
    ok: false,
  })
  await page.getByRole('link', { name: 'Refresh' }).click()
  await page.getByText(/webhook_endpoint\.test · 410/).waitFor()

  await page.getByRole('button', { name: 'Accept (204)' }).click()
  await page.getByRole('button', { name: 'Delete all deliveries' }).click()
  await page.getByText('None yet.').waitFor()
  expect(developer.complaints).toEqual([])
})
