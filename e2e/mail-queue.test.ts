import pg from 'pg'
import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { openBrowser } from './browser.ts'
import { desktop, expectWellMadeOn, phone, signIn, untilLoaded, visit } from './people.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})

const rejected = 'The mail server rejected the message.'

/** Mails as a server left them that did not want them. */
async function queueMails(): Promise<void> {
  const client = new pg.Client(inject('workplace').database)
  await client.connect()
  await client.query(
    `insert into outbox (key, tenant_id, template, recipient, recipient_name, values, message_id, state, attempts, next_at, error)
     select 'journey:' || n, (select id from tenants where slug = 'acme'), 'member.welcome', 'journey' || n || '@acme.test', 'Journey',
       '{"member.name":"Journey","member.email":"journey@acme.test","link.signIn":""}', '<journey' || n || '@atrium.test>',
       case n when 1 then 'gave_up' else 'failed' end, n, case n when 1 then null else now() + interval '3 hours' end, $1
     from generate_series(1, 2) n on conflict do nothing`,
    [rejected],
  )
  await client.end()
}

async function caughtFor(address: string): Promise<number> {
  const response = await fetch(`${inject('workplace').smtpPage}/messages?to=${address}`)
  return ((await response.json()) as { items: unknown[] }).items.length
}

describe('an operator', () => {
  it('sees a mail that was given up and why, sends it again, and it arrives', async () => {
    await queueMails()
    await using visitor = await visit(browser)
    const { page } = visitor
    await signIn(page, 'operator', 'Olive Operator')
    await page.getByRole('link', { name: 'Mail queue' }).click()
    await page.getByRole('heading', { name: 'Mail queue', level: 1 }).waitFor()
    await page.getByText('1 mail given up.').waitFor()
    await page.getByLabel('State').selectOption({ label: 'Given up' })
    await page.getByText(rejected).first().waitFor()
    await page.getByText('j…@acme.test').first().waitFor()
    expect(await page.content()).not.toContain('journey1@acme.test')
    const again = page.getByRole('button', { name: 'Send again: Welcome to j…@acme.test' })
    await expect.poll(() => again.count(), { timeout: 10_000 }).toBe(1)
    await again.click()
    await page.getByText('The mail is on its way again.').waitFor()
    await expect.poll(() => caughtFor('journey1@acme.test'), { timeout: 15_000 }).toBe(1)
    await page.getByText('No mails match').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).first().click()
    await page.getByLabel('Search').fill('nothing like this')
    await page.getByText('No mails match').waitFor()
    expect(visitor.complaints).toEqual([])
  })

  it.each([
    ['a desktop', desktop],
    ['a phone', phone],
  ])('reads the queue on %s, in light and dark', async (_, screen) => {
    await queueMails()
    await using visitor = await visit(browser, { screen })
    const { page } = visitor
    await signIn(page, 'operator', 'Olive Operator')
    await page.goto(`${inject('workplace').operator}/mail`)
    await page.getByText(rejected).first().waitFor()
    await untilLoaded(page)
    await expectWellMadeOn(screen, page)
    expect(visitor.complaints).toEqual([])
  })
})
