import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { launchBrowser } from './browser.ts'
import { desktop, expectWellMade, phone, signIn, untilLoaded, visit } from './people.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser?.close())

const operator = 'Olive Operator'

/** What the portal's own server tells a page about the flags of a tenant. */
function evaluated(page: Page, body: object): Promise<{ status: number; flags: Record<string, unknown> }> {
  return page.evaluate(`fetch('/api/flags/evaluate', {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: ${JSON.stringify(JSON.stringify(body))},
  }).then(async (answer) => ({ status: answer.status, flags: await answer.json() }))`)
}

describe('an operator', () => {
  it('makes a flag, rolls it out to a tenant, sees why it is on there, and kills it', async () => {
    await using visitor = await visit(browser)
    await using member = await visit(browser)
    const { page } = visitor
    await signIn(page, 'operator', operator)
    await signIn(member.page, 'portal', 'Anna Owner')

    await page.goto(`${inject('house').operator}/flags/new`)
    await page.getByRole('textbox', { name: 'Key', exact: true }).fill('Not a key')
    await page.getByRole('button', { name: 'Create flag' }).click()
    await page.getByText('with a letter first').waitFor()
    await page.getByRole('textbox', { name: 'Key', exact: true }).fill('team_calendar')
    await page.getByLabel('Description').fill('One calendar for the whole tenant.')
    await page.getByRole('button', { name: 'Create flag' }).click()
    await page.getByRole('heading', { name: 'team_calendar', level: 1 }).waitFor()
    expect(await evaluated(member.page, { tenantSlug: 'acme' })).toMatchObject({ status: 200, flags: { team_calendar: false } })

    await page.getByRole('button', { name: 'Change rollout' }).click()
    await page.getByRole('radiogroup', { name: 'State' }).getByText('Rollout').click()
    await page.getByRole('slider', { name: 'Share of the tenants in percent' }).press('ArrowRight')
    await page.getByLabel('Note').fill('Acme asked for it.')
    await page.getByRole('button', { name: 'Save rollout' }).click()
    await page.getByText('Rollout, 1 %').waitFor()

    await page.getByRole('button', { name: 'Edit lists' }).click()
    await page.getByLabel('Allowed tenants').first().fill('nobody-here')
    await page.getByLabel('Allowed tenants').first().press('Enter')
    await page.getByLabel('Note').fill('Acme first.')
    await page.getByRole('button', { name: 'Save lists' }).click()
    await page.getByText('There is no tenant nobody-here.').waitFor()
    await page.getByLabel('Allowed tenants').first().press('Backspace')
    await page.getByLabel('Allowed tenants').first().fill('acme')
    await page.getByLabel('Allowed tenants').first().press('Enter')
    await page.getByRole('button', { name: 'Save lists' }).click()
    await page.getByRole('link', { name: 'acme', exact: true }).waitFor()
    expect(await evaluated(member.page, { tenantSlug: 'acme' })).toMatchObject({ flags: { team_calendar: true } })
    // Without a tenant in the body the first group of the token that is a tenant decides.
    expect(await evaluated(member.page, {})).toMatchObject({ flags: { team_calendar: true } })
    expect(await evaluated(member.page, { tenantSlug: 'globex' })).toMatchObject({ status: 200, flags: { team_calendar: false } })

    await page.getByRole('tab', { name: 'Why on or off?' }).click()
    await page.getByLabel('Tenant', { exact: true }).first().fill('Acme')
    await page.getByRole('option', { name: 'Acme Engineering' }).click()
    await page.getByText('acme is in the allow list.').waitFor()
    await page.getByLabel('Tenant', { exact: true }).first().fill('nobody-here')
    await page.getByLabel('Tenant', { exact: true }).first().press('Enter')
    await page.getByText('There is no tenant nobody-here.').waitFor()

    await page.getByRole('button', { name: 'Kill', exact: true }).click()
    await page.getByRole('button', { name: 'Kill flag' }).click()
    await page.getByText('This flag is killed').waitFor()
    await expect
      .poll(async () => (await evaluated(member.page, { tenantSlug: 'acme' })).flags.team_calendar, { timeout: 3_000 })
      .toBe(false)

    await page.getByRole('tab', { name: 'History' }).click()
    await page.getByText('kill-switch').waitFor()
    await page.getByText('Allowed tenants: now with acme').waitFor()
    await page.goto(`${inject('house').operator}/audit?action=flag.*`)
    await page.getByText('flag.killed').first().waitFor()
    expect([...visitor.complaints, ...member.complaints]).toEqual([])
  })

  it('is told when somebody else was faster', async () => {
    await using first = await visit(browser)
    await using second = await visit(browser)
    await signIn(first.page, 'operator', operator)
    await first.page.goto(`${inject('house').operator}/flags/new`)
    await first.page.getByRole('textbox', { name: 'Key', exact: true }).fill('shared_drafts')
    await first.page.getByRole('button', { name: 'Create flag' }).click()
    await first.page.getByRole('heading', { name: 'shared_drafts', level: 1 }).waitFor()
    await first.page.getByRole('button', { name: 'Edit details' }).click()
    await first.page.getByLabel('Description').fill('Drafts that several people write.')
    await first.page.getByLabel('Note').fill('Described.')

    await signIn(second.page, 'operator', operator)
    await second.page.goto(`${inject('house').operator}/flags/shared_drafts`)
    await second.page.getByRole('button', { name: 'Edit details' }).click()
    await second.page.getByLabel('Owner').fill('Mail team')
    await second.page.getByLabel('Note').fill('Owned.')
    await second.page.getByRole('button', { name: 'Save details' }).click()
    await second.page.getByText('Mail team').waitFor()

    await first.page.getByRole('button', { name: 'Save details' }).click()
    await first.page.getByText('Somebody else changed this flag meanwhile').waitFor()
  })

  for (const [device, screen] of [
    ['desktop', desktop],
    ['phone', phone],
  ] as const) {
    it(`finds the pages of flags well made on a ${device}, light and dark`, async () => {
      await using visitor = await visit(browser, { screen })
      const { page } = visitor
      const at = inject('house').operator
      await signIn(page, 'operator', operator)
      const key = `a_flag_with_a_name_as_long_as_the_key_of_a_flag_can_be_${device}`
      await page.goto(`${at}/flags/new`)
      await page.getByRole('textbox', { name: 'Key', exact: true }).fill(key)
      await page.getByRole('radiogroup', { name: 'State' }).getByText('On', { exact: true }).click()
      await page.getByRole('button', { name: 'Create flag' }).click()
      await page.getByRole('heading', { name: key, level: 1 }).waitFor()
      for (const path of [
        '/flags',
        '/flags?q=nothing-is-called-this',
        '/flags/new',
        `/flags/${key}`,
        `/flags/${key}?tab=explain&tenantSlug=acme`,
        `/flags/${key}?tab=history`,
        '/flags/no_such_flag',
      ]) {
        await page.goto(at + path)
        await page.getByRole('heading', { level: 1 }).waitFor()
        await untilLoaded(page)
        await expectWellMade(page)
      }
      await page.goto(`${at}/flags/${key}`)
      for (const button of ['Change rollout', 'Edit lists', 'Edit conditions', 'Edit details', 'Kill', 'Remove flag']) {
        await page.getByRole('button', { name: button, exact: true }).click()
        const dialog = page.getByRole('dialog')
        await dialog.waitFor()
        if (button === 'Change rollout') await dialog.getByRole('radiogroup', { name: 'State' }).getByText('Rollout').click()
        await expectWellMade(page)
        await dialog.getByRole('button', { name: 'Cancel' }).click()
        await dialog.waitFor({ state: 'hidden' })
      }
      expect(visitor.complaints).toEqual([])
    })
  }
})
