import { expect, inject, it } from 'vitest'
import { openBrowser } from '../browser.ts'
import { visit } from '../people.ts'
import { followTutorial } from './tutorial.ts'

it('leads an operator through the first hour', async () => {
  const { operator, control } = inject('workplace')
  await using visitor = await visit(await openBrowser())
  const { page, context } = visitor
  const open = (title: string) =>
    page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name: title, exact: true })
      .click()

  await followTutorial('operator.md', {
    'Sign in': async (ui) => {
      await page.goto(operator)
      await page.getByRole('link', { name: ui('Sign in') }).click()
      await page.getByRole('button', { name: ui('Olive Operator') }).click()
      await page.getByRole('heading', { level: 1 }).waitFor()
    },
    'Create a tenant': async (ui) => {
      await open(ui('Tenants'))
      await page.getByRole('link', { name: ui('New tenant') }).click()
      await page
        .getByRole('textbox', { name: ui('Name'), exact: true })
        .fill(ui('Riverside Clinic'))
      await page.getByRole('button', { name: ui('Create tenant') }).click()
      await page.getByRole('heading', { name: 'Riverside Clinic', level: 1 }).waitFor()
      const steps = page.getByRole('list', { name: ui('Provisioning steps') })
      const done = steps.getByText(ui('Done'), { exact: true })
      await expect.poll(() => done.count(), { timeout: 15_000 }).toBe(3)
    },
    'Suspend and resume it': async (ui) => {
      await page.getByRole('button', { name: ui('Suspend'), exact: true }).click()
      await page.getByLabel(ui('Reason')).fill(ui('Unpaid since October'))
      await page.getByRole('button', { name: ui('Suspend tenant') }).click()
      await page.getByText(ui('This tenant is suspended')).waitFor()
      await page.getByRole('button', { name: ui('Resume'), exact: true }).click()
      await page.getByRole('button', { name: ui('Resume tenant') }).click()
      await page.getByRole('button', { name: 'Suspend', exact: true }).waitFor()
    },
    'See an upstream system fail': async (ui) => {
      await open(ui('System'))
      const identity = page.getByRole('row', { name: new RegExp(ui('Identity provider')) })
      await identity.getByText(ui('Responding'), { exact: true }).waitFor()

      const sandbox = await context.newPage()
      await sandbox.goto(control)
      const form = sandbox.getByRole('region', { name: ui('A fault of your own') })
      await form.getByLabel(ui('System')).selectOption(ui('identity'))
      await form.getByLabel(ui('What happens')).selectOption(ui('error'))
      await form.getByLabel(ui('Status, for error')).fill(ui('503'))
      const match = form.getByLabel(new RegExp(`^${ui('Only calls that contain')}`))
      await match.fill(ui('GET /api/v3/admin/version/'))
      await form.getByRole('button', { name: ui('Switch on') }).click()
      // Each process asks at most every 15 s, the page every 5.
      await identity.getByText(ui('Not responding')).waitFor({ timeout: 45_000 })

      const off = new RegExp(`^${ui('Switch off')}: identity: error, on "GET /api/v3/admin`)
      await sandbox.getByRole('button', { name: off }).click()
      await sandbox.close()
      await identity.getByText('Responding', { exact: true }).waitFor({ timeout: 45_000 })
    },
    'Invite another operator': async (ui) => {
      await open(ui('Users'))
      await page.getByRole('link', { name: ui('Invite operator') }).click()
      await page.getByLabel(ui('Name')).fill(ui('Oscar Operator'))
      await page.getByLabel(ui('E-mail')).fill(ui('oscar@atrium.example'))
      await page.getByRole('button', { name: ui('Invite'), exact: true }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText(ui('Temporary password')).first().waitFor()
      await dialog.getByRole('button').last().click()
    },
    'Create a feature flag': async (ui) => {
      await open(ui('Flags'))
      await page
        .getByRole('link', { name: ui('New flag') })
        .first()
        .click()
      await page.getByRole('textbox', { name: ui('Key'), exact: true }).fill(ui('larger_uploads'))
      const state = page.getByRole('radiogroup', { name: ui('State') })
      await state.getByText(ui('On'), { exact: true }).click()
      await page.getByRole('button', { name: ui('Create flag') }).click()
      await page.getByRole('heading', { name: 'larger_uploads', level: 1 }).waitFor()
    },
    'Find out who did what': async (ui) => {
      await open(ui('Audit'))
      await page.getByText(ui('Flag created')).first().waitFor()
      await page.getByRole('button', { name: ui('Export'), exact: true }).waitFor()
    },
  })
  expect(visitor.complaints).toEqual([])
})
