import pg from 'pg'
import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { openBrowser } from './browser.ts'
import { desktop, expectWellMadeOn, phone, signIn, untilLoaded, visit } from './people.ts'

let browser: Browser
// More entries of a workplace than one search for a short text goes along, and behind them the only
// one that has it.
beforeAll(async () => {
  browser = await openBrowser()
  const client = new pg.Client({ connectionString: inject('workplace').database })
  await client.connect()
  await client.query(
    `insert into audit_events (at, actor_type, action, outcome, resource_type, resource_name, tenant_slug, source)
     select now() - interval '800 days' - n * interval '1 minute', 'system', 'tenant.reconciled', 'success', 'tenant',
       case when n = 20500 then 'Ꙗ7' end, 'acme', 'job' from generate_series(1, 20500) n`,
  )
  await client.end()
}, 60_000)

describe('a search that stopped before its page was full', () => {
  for (const [device, screen] of [
    ['desktop', desktop],
    ['phone', phone],
  ] as const) {
    it.each([
      ['an operator', 'operator', 'Olive Operator', '/audit'],
      ['an owner', 'portal', 'Anna Owner', '/t/acme/audit'],
    ] as const)(`says so to %s on a ${device}, and goes on`, async (_, portal, person, path) => {
      await using visitor = await visit(browser, { screen })
      const { page } = visitor
      await signIn(page, portal, person)
      await page.goto(`${inject('workplace')[portal]}${path}?q=${encodeURIComponent('ꙗ7')}`)
      await page.getByText('Nothing found so far').waitFor()
      await untilLoaded(page)
      await expectWellMadeOn(screen, page)
      await page.getByRole('button', { name: 'Search further back' }).click()
      await page.getByText('Ꙗ7').first().waitFor()
      expect(await page.getByRole('button', { name: 'Search further back' }).count()).toBe(0)
      await page.getByRole('button', { name: 'Previous' }).click()
      await page.getByText('Nothing found so far').waitFor()
      expect(visitor.complaints).toEqual([])
    })
  }
})
