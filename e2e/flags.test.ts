import pg from 'pg'
import { PgBoss } from 'pg-boss'
import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { openBrowser } from './browser.ts'
import {
  desktop,
  expectWellMade,
  expectWellMadeOn,
  phone,
  signIn,
  untilLoaded,
  visit,
} from './people.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})

const operator = 'Olive Operator'

/** What the portal's own server reports to a page about the flags of a tenant. */
function evaluated(
  page: Page,
  body: object,
): Promise<{ status: number; flags: Record<string, unknown> }> {
  return page.evaluate(`fetch('/api/flags/evaluate', {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: ${JSON.stringify(JSON.stringify(body))},
  }).then(async (answer) => ({ status: answer.status, flags: await answer.json() }))`)
}

async function createFlag(page: Page, key: string): Promise<void> {
  await page.goto(`${inject('workplace').operator}/flags/new`)
  await page.getByRole('textbox', { name: 'Key', exact: true }).fill(key)
  await page.getByRole('radiogroup', { name: 'State' }).getByText('On', { exact: true }).click()
  await page.getByRole('button', { name: 'Create flag' }).click()
  await page.getByRole('heading', { name: key, level: 1 }).waitFor()
}

/**
 * A flag that has been in rollout for an hour, with a guard that many requests of acme have just
 * broken.
 */
async function makeBrokenRollout(key: string): Promise<void> {
  await using database = await connect()
  await database.client.query(
    `insert into flags (key, description, owner, state, percentage, allow_tenants, guards, note, created_at)
     values ($1, 'Uploads in pieces.', 'mail-team@atrium.test', 'rollout', 10, '{acme}', $2, 'Acme first.', now() - interval '1 hour')`,
    [
      key,
      JSON.stringify([{ signal: 'server_errors', windowMinutes: 30, threshold: 5, minimum: 20 }]),
    ],
  )
  await database.client.query(
    `insert into tenant_request_counts (tenant_id, minute, requests, failures)
     select id, date_trunc('minute', now() - interval '10 minutes'), 100000, 40000 from tenants where slug = 'acme'
     on conflict (tenant_id, minute) do update set requests = excluded.requests, failures = excluded.failures`,
  )
}

async function connect() {
  const client = new pg.Client(inject('workplace').database)
  await client.connect()
  return { client, [Symbol.asyncDispose]: () => client.end() }
}

/** What the clock does every minute. */
async function wakeGuards(): Promise<void> {
  const boss = new PgBoss({
    connectionString: inject('workplace').database,
    schema: 'jobs',
    migrate: false,
    createSchema: false,
    supervise: false,
    schedule: false,
  })
  await boss.start()
  await boss.send('flag-guards', {})
  await boss.stop({ graceful: false })
}

describe('an operator', () => {
  it('makes a flag, rolls it out to a tenant, sees why it is on there, and kills it', async () => {
    await using visitor = await visit(browser)
    await using member = await visit(browser)
    const { page } = visitor
    await signIn(page, 'operator', operator)
    await signIn(member.page, 'portal', 'Anna Owner')

    await page.goto(`${inject('workplace').operator}/flags/new`)
    await page.getByRole('textbox', { name: 'Key', exact: true }).fill('Not a key')
    await page.getByRole('button', { name: 'Create flag' }).click()
    await page.getByText('with a letter first').waitFor()
    await page.getByRole('textbox', { name: 'Key', exact: true }).fill('team_calendar')
    await page.getByLabel('Description').fill('One calendar for the whole tenant.')
    await page.getByRole('button', { name: 'Create flag' }).click()
    await page.getByRole('heading', { name: 'team_calendar', level: 1 }).waitFor()
    expect(await evaluated(member.page, { tenantSlug: 'acme' })).toMatchObject({
      status: 200,
      flags: { team_calendar: false },
    })

    await page.getByRole('button', { name: 'Change rollout' }).click()
    await page.getByRole('radiogroup', { name: 'State' }).getByText('Rollout').click()
    await page.getByRole('slider', { name: 'Share of the tenants in percent' }).press('ArrowRight')
    await page.getByLabel('Note').fill('Acme asked for it.')
    await page.getByRole('button', { name: 'Save rollout' }).click()
    await page.getByText('Rollout, 1%').waitFor()

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
    expect(await evaluated(member.page, { tenantSlug: 'acme' })).toMatchObject({
      flags: { team_calendar: true },
    })
    // Without a tenant in the body the first group of the token that is a tenant decides.
    expect(await evaluated(member.page, {})).toMatchObject({ flags: { team_calendar: true } })
    expect(await evaluated(member.page, { tenantSlug: 'globex' })).toMatchObject({
      status: 200,
      flags: { team_calendar: false },
    })

    await page.getByRole('tab', { name: 'Why on or off?' }).click()
    await page.getByLabel('Tenant', { exact: true }).first().fill('Acme')
    await page.getByRole('option', { name: 'Acme Engineering' }).click()
    await page.getByText('acme is on the allow list.').waitFor()
    await page.getByLabel('Tenant', { exact: true }).first().fill('nobody-here')
    await page.getByLabel('Tenant', { exact: true }).first().press('Enter')
    await page.getByText('There is no tenant nobody-here.').waitFor()

    await page.getByRole('button', { name: 'Kill', exact: true }).click()
    await page.getByRole('button', { name: 'Kill flag' }).click()
    await page.getByText('This flag is killed').waitFor()
    await expect
      .poll(
        async () => (await evaluated(member.page, { tenantSlug: 'acme' })).flags.team_calendar,
        { timeout: 3_000 },
      )
      .toBe(false)

    await page.getByRole('tab', { name: 'History' }).click()
    await page.getByText('kill-switch').waitFor()
    await page.getByText('Allowed tenants: added acme').waitFor()
    await page.goto(`${inject('workplace').operator}/audit?action=flag.*`)
    await page.getByText('flag.killed').first().waitFor()
    expect([...visitor.complaints, ...member.complaints]).toEqual([])
  })

  it('sets a guard on a rollout, and sees a rollout that its guard has ended', async () => {
    await using visitor = await visit(browser)
    const { page } = visitor
    const at = inject('workplace').operator
    await signIn(page, 'operator', operator)
    await page.goto(`${at}/flags/new`)
    await page.getByRole('textbox', { name: 'Key', exact: true }).fill('guarded_uploads')
    await page.getByRole('radiogroup', { name: 'State' }).getByText('Rollout').click()
    await page.getByRole('button', { name: 'Create flag' }).click()
    await page.getByRole('heading', { name: 'guarded_uploads', level: 1 }).waitFor()

    await page.getByText('A rule turns off a failing rollout automatically.').waitFor()
    await page.getByRole('button', { name: 'Edit guards' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Add a guard rule' }).click()
    await dialog.getByRole('button', { name: 'Add a guard rule' }).click()
    const [first, second] = [
      dialog.getByRole('group', { name: 'Rule 1' }),
      dialog.getByRole('group', { name: 'Rule 2' }),
    ]
    await first.getByLabel('Within').fill('2000')
    await dialog.getByLabel('Note').fill('Watched.')
    await dialog.getByRole('button', { name: 'Save guards' }).click()
    await dialog.getByText('Enter a whole number between 1 and 1,440.').waitFor()
    await first.getByLabel('Within').fill('30')
    await second.getByLabel('Signal').first().click()
    await page.getByRole('option', { name: 'Server errors' }).click()
    await dialog.getByRole('button', { name: 'Save guards' }).click()
    await dialog.getByText('Another rule watches this signal over the same time.').waitFor()
    await expectWellMade(page)
    await dialog.getByRole('button', { name: 'Remove rule 2' }).click()
    await first.getByLabel('From').fill('200')
    await first.getByLabel('More than').fill('2.5')
    await dialog.getByRole('button', { name: 'Save guards' }).click()
    await page.getByText('More than 2.5% within 30 minutes, from 200 events.').waitFor()
    await page.getByText('more events with the flag are needed before this rule can act.').waitFor()

    await makeBrokenRollout('split_uploads')
    await page.goto(`${at}/flags/split_uploads`)
    await page.getByRole('region', { name: 'Guards' }).getByText('Without it').waitFor()
    await wakeGuards()
    await expect
      .poll(
        async () => {
          await page.reload()
          await page.getByRole('heading', { name: 'split_uploads', level: 1 }).waitFor()
          await untilLoaded(page)
          return page.getByText('A guard has turned this flag off').count()
        },
        { timeout: 20_000 },
      )
      .toBe(1)
    await page.getByText('events with the flag').first().waitFor()
    await expectWellMade(page)
    await page.getByRole('tab', { name: 'History' }).click()
    await page.getByText('auto-rollback: server_errors').waitFor()
    await page.getByText('The platform').waitFor()
    await page.goto(`${at}/audit?action=flag.killed&q=split_uploads`)
    await page.getByRole('table').getByText('flag.killed').first().waitFor()
    const mails = async () => (await fetch(inject('workplace').smtpPage)).text()
    await expect
      .poll(mails, { timeout: 20_000 })
      .toContain('The flag split_uploads was turned off by a guard')
    expect(visitor.complaints).toEqual([])
  }, 90_000)

  it('learns when another person was faster', async () => {
    await using first = await visit(browser)
    await using second = await visit(browser)
    await signIn(first.page, 'operator', operator)
    await first.page.goto(`${inject('workplace').operator}/flags/new`)
    await first.page.getByRole('textbox', { name: 'Key', exact: true }).fill('shared_drafts')
    await first.page.getByRole('button', { name: 'Create flag' }).click()
    await first.page.getByRole('heading', { name: 'shared_drafts', level: 1 }).waitFor()
    await first.page.getByRole('button', { name: 'Edit details' }).click()
    await first.page.getByLabel('Description').fill('Drafts that several people write.')
    await first.page.getByLabel('Note').fill('Described.')

    await signIn(second.page, 'operator', operator)
    await second.page.goto(`${inject('workplace').operator}/flags/shared_drafts`)
    await second.page.getByRole('button', { name: 'Edit details' }).click()
    await second.page.getByLabel('Owner').fill('Mail team')
    await second.page.getByLabel('Note').fill('Owned.')
    await second.page.getByRole('button', { name: 'Save details' }).click()
    await second.page.getByText('Mail team').waitFor()

    await first.page.getByRole('button', { name: 'Save details' }).click()
    await first.page.getByText('Someone else changed this flag in the meantime').waitFor()
  })

  for (const [device, screen] of [
    ['desktop', desktop],
    ['phone', phone],
  ] as const) {
    it(`finds a flag of the longest key well made on a ${device}, light and dark`, async () => {
      await using visitor = await visit(browser, { screen })
      const { page } = visitor
      const at = inject('workplace').operator
      await signIn(page, 'operator', operator)
      const key = `a_flag_with_a_name_as_long_as_the_key_of_a_flag_can_be_${device}`
      await createFlag(page, key)
      for (const path of [
        `/flags/${key}`,
        `/flags/${key}?tab=explain&tenantSlug=acme`,
        `/flags/${key}?tab=history`,
      ]) {
        await page.goto(at + path)
        await page.getByRole('heading', { level: 1 }).waitFor()
        await untilLoaded(page)
        await expectWellMadeOn(screen, page)
      }
      expect(visitor.complaints).toEqual([])
    })

    it(`finds the dialogs of a flag well made on a ${device}, light and dark`, async () => {
      await using visitor = await visit(browser, { screen })
      const { page } = visitor
      await signIn(page, 'operator', operator)
      await createFlag(page, `many_dialogs_${device}`)
      for (const button of [
        'Change rollout',
        'Edit guards',
        'Edit lists',
        'Edit conditions',
        'Edit details',
        'Kill',
        'Remove flag',
      ]) {
        await page.getByRole('button', { name: button, exact: true }).click()
        const dialog = page.getByRole('dialog')
        await dialog.waitFor()
        if (button === 'Change rollout')
          await dialog.getByRole('radiogroup', { name: 'State' }).getByText('Rollout').click()
        if (button === 'Edit guards')
          await dialog.getByRole('button', { name: 'Add a guard rule' }).click()
        await expectWellMadeOn(screen, page)
        await dialog.getByRole('button', { name: 'Cancel' }).click()
        await dialog.waitFor({ state: 'hidden' })
      }
      expect(visitor.complaints).toEqual([])
    })
  }
})
