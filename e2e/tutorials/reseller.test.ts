import { expect, inject, it } from 'vitest'
import { mailsTo } from '../booking-workplace.ts'
import { openBrowser } from '../browser.ts'
import { visit } from '../people.ts'
import { followTutorial } from './tutorial.ts'

it('leads a reseller through the first hour', async () => {
  const { operator, portal } = inject('workplace')
  const browser = await openBrowser()
  await using host = await visit(browser)
  await using reseller = await visit(browser)
  const { page } = reseller
  const open = (title: string) => page.getByRole('link', { name: title, exact: true }).click()
  let password = ''

  await followTutorial('reseller.md', {
    'Let the operator invite you': async (ui) => {
      const office = host.page
      await office.goto(operator)
      await office.getByRole('link', { name: 'Sign in' }).click()
      await office.getByRole('button', { name: ui('Olive Operator') }).click()
      await office.getByRole('link', { name: ui('Partners'), exact: true }).click()
      await office.getByRole('link', { name: ui('New partner') }).click()
      await office.getByRole('textbox', { name: ui('Name'), exact: true }).fill(ui('Lakeside IT'))
      await office.getByRole('textbox', { name: ui('Margin in percent') }).fill(ui('17.5'))
      await office.getByRole('button', { name: ui('Create partner') }).click()
      await office.getByRole('heading', { name: 'Lakeside IT', level: 1 }).waitFor()
      await office.getByRole('button', { name: ui('Invite staff') }).click()
      const dialog = office.getByRole('dialog')
      await dialog
        .getByRole('textbox', { name: ui('E-mail addresses') })
        .fill(ui('Olga Lake <olga@lakeside.example>'))
      const owner = dialog.getByRole('radio', { name: ui('Owner') })
      await expect.poll(() => owner.isChecked()).toBe(true)
      await dialog.getByRole('button', { name: ui('Invite'), exact: true }).click()
      await office.getByText('1 invitation sent.').waitFor()
    },
    'Accept the invitation': async (ui) => {
      const [mail] = await mailsTo(ui('olga@lakeside.example'), 1)
      const [link] = /http:\/\/\S+\/invitation\/[\w-]+/.exec(mail?.text ?? '') ?? []
      await page.goto(link ?? expect.fail(`no link in the mail: ${mail?.text}`))
      await page.getByRole('button', { name: ui('Continue') }).click()
      await page.getByRole('button', { name: ui('Accept') }).click()
      await page.getByRole('heading', { name: ui('You have joined') }).waitFor()
      password = (await page.locator('code').textContent()) ?? ''
      expect(password).toMatch(/^.{16}$/)
    },
    'Sign in': async (ui) => {
      await page.goto(portal)
      await page.getByRole('link', { name: ui('Sign in') }).click()
      const name = page.getByRole('textbox', { name: ui('E-mail or user name') })
      await name.fill(ui('olga@lakeside.example'))
      await page.getByRole('textbox', { name: ui('Password') }).fill(password)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByLabel(ui('New password'), { exact: true }).fill('a password of my own')
      await page.getByLabel(ui('New password (repeat)')).fill('a password of my own')
      await page.getByRole('button', { name: ui('Save and continue') }).click()
      await page.getByRole('heading', { name: 'Lakeside IT', level: 1 }).waitFor()
      await page.getByText(ui('No customers yet')).waitFor()
    },
    'Add a customer': async (ui) => {
      await page.getByRole('link', { name: ui('Add a customer') }).click()
      await page.getByLabel(ui('Name of the workplace')).fill(ui('Pine Dental'))
      await page.getByRole('button', { name: ui('Create workplace') }).click()
      await page.getByRole('heading', { name: ui('Pine Dental is ready') }).waitFor()
    },
    'Sell seats': async (ui) => {
      await page.getByRole('link', { name: ui('Partner area') }).click()
      await open(ui('Customers'))
      await page.getByRole('link', { name: ui('Pine Dental') }).click()
      const details = page.getByRole('dialog', { name: 'Pine Dental', exact: true })
      const change = details.getByRole('region', { name: ui('Change') })
      await change.getByRole('textbox', { name: ui('Seats') }).fill(ui('6'))
      await change.getByRole('button', { name: ui('Save changes') }).click()
      await details.getByText(ui('0 of 6 taken')).waitFor()
    },
    'Suspend and resume': async (ui) => {
      const details = page.getByRole('dialog', { name: 'Pine Dental', exact: true })
      await details.getByRole('button', { name: ui('Suspend customer') }).click()
      const suspend = page.getByRole('dialog', { name: 'Suspend Pine Dental?' })
      await suspend.getByRole('textbox', { name: ui('Reason') }).fill(ui('Invoice unpaid'))
      await suspend.getByRole('button', { name: 'Suspend customer' }).click()
      await details.getByText('Reason: Invoice unpaid').waitFor()
      await details.getByRole('button', { name: ui('Resume customer') }).click()
      const resume = page.getByRole('dialog', { name: 'Resume Pine Dental?' })
      await resume.getByRole('button', { name: 'Resume customer' }).click()
      await details.getByRole('button', { name: 'Suspend customer' }).waitFor()
      await page.keyboard.press('Escape')
    },
    'Show who helps': async (ui) => {
      await open(ui('Partner settings'))
      const support = page.getByRole('group', { name: ui('Support for your customers') })
      await support.getByRole('textbox', { name: ui('E-mail') }).fill(ui('help@lakeside.example'))
      await page.getByRole('button', { name: ui('Save settings') }).click()
      await page.getByText('The settings are saved.').waitFor()
    },
    'Put your name on mails': async (ui) => {
      await open(ui('Partner branding'))
      await page.getByRole('textbox', { name: ui('Product name') }).fill(ui('Lakeside Workplace'))
      await page.getByRole('button', { name: ui('Save branding') }).click()
      await page.getByText('The branding is saved').waitFor()
    },
    'Invite a colleague': async (ui) => {
      await open(ui('Staff'))
      await page.getByRole('button', { name: ui('Invite staff') }).click()
      const dialog = page.getByRole('dialog')
      await dialog
        .getByRole('textbox', { name: ui('E-mail addresses') })
        .fill(ui('Sam Support <sam@lakeside.example>'))
      await dialog.getByRole('button', { name: ui('Invite'), exact: true }).click()
      const sam = page.getByRole('row', { name: /Sam Support/ })
      await sam.getByText(ui('Pending')).waitFor()
      await page.getByRole('link', { name: ui('Payouts') }).waitFor()
    },
  })
  expect([...host.complaints, ...reseller.complaints]).toEqual([])
})
