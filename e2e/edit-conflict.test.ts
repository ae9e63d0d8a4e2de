import pg from 'pg'
import type { Browser } from 'playwright-core'
import { beforeAll, expect, inject, it } from 'vitest'
import { openBrowser } from './browser.ts'
import { expectWellMade, phone, signIn, untilLoaded, visit } from './people.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
}, 60_000)

/** Without a word to the page, which would else follow the record by itself. */
async function changeElsewhere(industry: string): Promise<void> {
  const client = new pg.Client({ connectionString: inject('workplace').database })
  await client.connect()
  await client.query(`update tenants set industry = $1 where slug = 'acme'`, [industry])
  await client.end()
}

it('a save on values changed meanwhile shows both, succeeds the second time, and is in the audit log', async () => {
  await changeElsewhere('Crafts')
  await using visitor = await visit(browser, { screen: phone })
  const { page } = visitor
  await signIn(page, 'portal', 'Anna Owner')
  await page.goto(`${inject('workplace').portal}/t/acme/settings`)
  const industry = page.getByLabel('Industry')
  await industry.fill('Clockmaking')
  await changeElsewhere('Health care')
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('Someone else saved changes.').waitFor()
  await page.getByText('Someone else saved “Health care” here in the meantime.').waitFor()
  expect(await industry.inputValue()).toBe('Clockmaking')
  await expectWellMade(page)
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByText('The changes are saved.').waitFor()

  await page.goto(`${inject('workplace').portal}/t/acme/audit?q=clockmaking`)
  await page.getByText('changed industry Health care → Clockmaking').waitFor()
  await untilLoaded(page)
  await expectWellMade(page)
  expect(visitor.complaints).toEqual([])
})
