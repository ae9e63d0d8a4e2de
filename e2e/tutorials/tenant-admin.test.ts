import { readFile } from 'node:fs/promises'
import { expect, inject, it } from 'vitest'
import { openBrowser } from '../browser.ts'
import { createWorkplaceLink, untilLoaded, visit } from '../people.ts'
import { followTutorial } from './tutorial.ts'

it('leads a tenant admin through the first hour', async () => {
  const { portal, dnsPage } = inject('workplace')
  await using admin = await visit(await openBrowser())
  const { page, context } = admin
  const navigation = page.getByRole('navigation', { name: 'Main' })
  const open = async (title: string) => {
    await navigation.getByRole('link', { name: title, exact: true }).click()
    await page.getByRole('heading', { name: title, level: 1 }).waitFor()
    await untilLoaded(page)
  }

  await followTutorial('tenant-admin.md', {
    'Create the workplace': async (ui) => {
      await page.goto(portal)
      await page.getByRole('link', { name: ui('Sign in') }).click()
      await page.getByRole('button', { name: ui('Nico Newcomer') }).click()
      await createWorkplaceLink(page, ui('Create your workplace')).click()
      await page.getByLabel(ui('Name of the workplace')).fill(ui('Harbour Bakery'))
      await page.getByRole('button', { name: ui('Create workplace') }).click()
      await page.getByRole('list', { name: ui('Provisioning steps') }).waitFor()
      await page.getByRole('heading', { name: ui('Harbour Bakery is ready') }).waitFor()
    },
    'Add a member': async (ui) => {
      await open(ui('Members'))
      await page.getByRole('button', { name: ui('Add member') }).click()
      const dialog = page.getByRole('dialog', { name: 'Add a member' })
      await dialog.getByLabel(ui('E-mail address')).fill(ui('rosa'))
      await dialog.getByText('Gets the mailbox rosa@').waitFor()
      await dialog.getByLabel(ui('Display name')).fill(ui('Rosa Baker'))
      await dialog.getByRole('button', { name: ui('Add member') }).click()
      const secret = page.getByRole('dialog', { name: 'First password of Rosa Baker' })
      await secret.getByRole('button', { name: ui('Show one-time password') }).click()
      expect(await secret.getByLabel(ui('One-time password')).innerText()).toMatch(/^\S{16}$/)
      await secret.getByRole('button', { name: ui('I have saved it, close') }).click()
      const details = page.getByRole('dialog', { name: 'Rosa Baker', exact: true })
      const systems = details.getByRole('region', { name: ui('Systems') })
      await expect.poll(() => systems.getByText('Done').count()).toBe(3)
      await page.keyboard.press('Escape')
      await details.waitFor({ state: 'detached' })
    },
    'Use your own domain': async (ui) => {
      await open(ui('Domains'))
      await page.getByRole('button', { name: ui('Add domain') }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel(ui('Domain')).fill(ui('harbour-bakery.com'))
      await dialog.getByRole('button', { name: ui('Add domain') }).click()
      await page.getByRole('heading', { level: 1, name: 'harbour-bakery.com' }).waitFor()
      // The zone text is whole once the mail server has made both keys.
      await page.getByText('Signature (DKIM)').nth(1).waitFor()
      const downloading = page.waitForEvent('download')
      await page.getByRole('button', { name: new RegExp(`^${ui('Download')} `) }).click()
      const zone = await readFile(await (await downloading).path(), 'utf8')

      const dns = await context.newPage()
      await dns.goto(dnsPage)
      await dns.getByLabel(ui('Domain'), { exact: true }).fill('harbour-bakery.com')
      await dns.getByLabel(ui('Zone text')).fill(zone)
      await dns.getByRole('button', { name: ui('Publish'), exact: true }).click()
      await dns.getByRole('region', { name: 'Records of harbour-bakery.com' }).waitFor()
      await dns.close()

      await page.getByRole('button', { name: ui('Check now') }).click()
      await page
        .getByText(/All \d+ required records are right/)
        .first()
        .waitFor()
      await page.getByText(ui('Verified'), { exact: true }).first().waitFor()
    },
    'Share an address': async (ui) => {
      await open(ui('Distribution lists'))
      await page
        .getByRole('button', { name: ui('Create list') })
        .first()
        .click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel(ui('Name')).fill(ui('Orders'))
      await dialog.getByRole('textbox', { name: ui('Address'), exact: true }).fill(ui('orders'))
      await dialog.getByLabel(ui('Add recipients')).fill(ui('rosa@example.org, tom@example.org'))
      await dialog.getByRole('button', { name: 'Create list' }).click()
      await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor()
      await page.getByText(ui('2 recipients, 2 outside the workplace')).waitFor()
    },
    'Set the look of your mails': async (ui) => {
      await open(ui('Branding'))
      await page.getByRole('textbox', { name: ui('Product name') }).fill(ui('Harbour Mail'))
      await page.getByRole('button', { name: ui('Save branding') }).click()
      await page.getByText('The branding is saved').waitFor()
    },
    'Read what happened': async (ui) => {
      await open(ui('Audit log'))
      await page.getByText(ui('Branding updated')).first().waitFor()
      for (const next of ['Billing', 'Scheduling'])
        await navigation.getByRole('link', { name: ui(next), exact: true }).waitFor()
    },
  })
  expect(admin.complaints).toEqual([])
})
