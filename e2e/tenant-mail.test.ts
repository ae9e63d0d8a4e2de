import { readFile } from 'node:fs/promises'
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

const at = (path: string) => `${inject('workplace').portal}/t/acme${path}`

/** Publishes a domain's DNS from now on: zone text as a person would paste it. */
async function publish(domain: string, zone: string): Promise<void> {
  const response = await fetch(`${inject('workplace').control}/dns/${domain}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ zone }),
  })
  expect(response.status).toBe(200)
}

async function addDomain(page: Page, domain: string): Promise<void> {
  await page.goto(at('/domains'))
  await page.getByRole('button', { name: 'Add domain' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Domain').fill(domain)
  await dialog.getByRole('button', { name: 'Add domain' }).click()
  await page.getByRole('heading', { level: 1, name: domain }).waitFor()
}

/** The zone text as shown on the page, once it contains the signing keys. */
async function downloadZone(page: Page): Promise<string> {
  await page.getByText('Signing keys are being created').waitFor({ state: 'detached' })
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: /^Download / }).click()
  return readFile(await (await download).path(), 'utf8')
}

describe('an admin and a domain', () => {
  it('adds it, publishes the zone text, sees every record turn right, then one go wrong with the reason', {
    timeout: 120_000,
  }, async () => {
    await using person = await visit(browser)
    const { page } = person
    await signIn(page, 'portal', 'Anna Owner')
    await addDomain(page, 'acme-journey.com')
    await page.getByText('Waiting for DNS').or(page.getByText('Not checked yet')).first().waitFor()
    await expectWellMade(page)

    const zone = await downloadZone(page)
    expect(zone).toMatch(/DKIM1/)
    await publish('acme-journey.com', zone)
    await page.getByRole('button', { name: 'Check now' }).click()
    await page
      .getByText(/All \d+ required records are right/)
      .first()
      .waitFor()
    await page.getByText('Verified', { exact: true }).first().waitFor()
    await expectWellMade(page)

    await publish('acme-journey.com', zone.replace(/v=spf1[^"]*/, 'v=spf1 ip4:192.0.2.1 -all'))
    await page.getByRole('button', { name: 'Check now' }).click()
    const spf = page.getByRole('row', { name: /\(SPF\)/ })
    await spf.getByText('Different').waitFor()
    expect(await spf.innerText()).toContain('v=spf1 ip4:192.0.2.1 -all')
    await page.getByText('A record that was right before had changed.').first().waitFor()
    await expectWellMade(page)
    expect(person.complaints).toEqual([])
  })

  it('learns at the field why a name is rejected', async () => {
    await using person = await visit(browser)
    const { page } = person
    await signIn(page, 'portal', 'Adam Admin')
    await page.goto(at('/domains'))
    await page.getByRole('button', { name: 'Add domain' }).click()
    const dialog = page.getByRole('dialog')
    for (const name of ['not a domain', 'co.uk', 'globex.tenants.local']) {
      await dialog.getByLabel('Domain').fill(name)
      await dialog.getByRole('button', { name: 'Add domain' }).click()
      await expect.poll(() => dialog.getByLabel('Domain').getAttribute('aria-invalid')).toBe('true')
      await dialog.getByLabel('Domain').fill('')
    }
    await expectWellMade(page)
  })

  it('goes through the stages of DMARC, and removes the domain when nothing uses it', async () => {
    await using person = await visit(browser)
    const { page } = person
    await signIn(page, 'portal', 'Anna Owner')
    await addDomain(page, 'acme-brief.com')
    await page.getByRole('radio', { name: '3. Reject' }).check()
    await page.getByText(/not confirmed for this domain yet/).waitFor()
    await page.getByRole('button', { name: 'Save policy' }).click()
    const dmarc = page.getByRole('row', { name: /\(DMARC\)/ })
    await dmarc
      .getByText(/p=reject/)
      .first()
      .waitFor()

    await page.getByRole('button', { name: 'Remove domain' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Type acme-brief.com to confirm').fill('acme-brief.com')
    await dialog.getByRole('button', { name: 'Remove domain' }).click()
    await page.getByRole('heading', { level: 1, name: 'Domains' }).waitFor()
    expect(await page.getByRole('link', { name: 'acme-brief.com' }).count()).toBe(0)
  })
})

describe('an admin and addresses', () => {
  it('pastes the recipients of a list, is told what cannot be one, and is kept from a loop', async () => {
    await using person = await visit(browser)
    const { page } = person
    await signIn(page, 'portal', 'Anna Owner')
    await createList(page, 'Sales', 'sales', 'Ada <ada@example.org>; bob@example.org\nnonsense')
    await page
      .getByRole('dialog')
      .getByText('nonsense: This is not an e-mail address.')
      .first()
      .waitFor()
    await page.getByRole('dialog').getByLabel('Add recipients').fill('')
    await page.getByRole('dialog').getByRole('button', { name: 'Create list' }).click()
    await page.getByText('A list needs at least one recipient.').waitFor()
    await page
      .getByRole('dialog')
      .getByLabel('Add recipients')
      .fill('Ada <ada@example.org>; bob@example.org')
    await page.getByRole('dialog').getByRole('button', { name: 'Create list' }).click()
    await page.getByRole('heading', { level: 1, name: 'Sales' }).waitFor()
    await page.getByText('2 recipients, 2 outside the workplace').waitFor()
    await expectWellMade(page)

    await createList(page, 'Everybody', 'everybody', 'sales@acme.tenants.local')
    await page.getByRole('heading', { level: 1, name: 'Everybody' }).waitFor()
    await page.goto(at('/lists'))
    await page.getByRole('link', { name: 'Sales' }).click()
    await page.getByLabel('Add recipients').fill('everybody@acme.tenants.local')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page
      .getByRole('alert')
      .getByText(/everybody@acme\.tenants\.local/)
      .first()
      .waitFor()
    await expectWellMade(page)
    await page.getByRole('button', { name: 'Discard' }).click()

    await page.getByRole('button', { name: 'Remove list' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove list' }).click()
    await page.getByRole('heading', { level: 1, name: 'Distribution lists' }).waitFor()
    expect(await page.getByRole('link', { name: 'Sales' }).count()).toBe(0)
    expect(person.complaints).toEqual([])
  })

  it('edits a list that another admin changes meanwhile, and undoes nothing', {
    timeout: 120_000,
  }, async () => {
    await using person = await visit(browser)
    const { page } = person
    await signIn(page, 'portal', 'Anna Owner')
    await createList(page, 'Shared', 'shared', 'ada@example.org')
    await page.getByRole('heading', { level: 1, name: 'Shared' }).waitFor()
    const [mine, other] = [page, await page.context().newPage()]
    await mine.getByRole('textbox', { name: 'Name' }).fill('Mine')

    await other.goto(mine.url())
    await other.getByRole('textbox', { name: 'Name' }).fill('Theirs')
    await other.getByLabel('Add recipients').fill('bob@example.org')
    await other.getByRole('button', { name: 'Save changes' }).click()
    await other.getByText('2 recipients, 2 outside the workplace').waitFor()
    await other.getByRole('button', { name: 'Discard' }).waitFor({ state: 'detached' })

    // Tells the page that it is visible again; data newer than 15 seconds is not reloaded.
    await expect
      .poll(
        async () => {
          await mine.evaluate(`window.dispatchEvent(new Event('visibilitychange'))`)
          return mine.getByText('2 recipients, 2 outside the workplace').isVisible()
        },
        { timeout: 40_000, interval: 1_000 },
      )
      .toBe(true)
    await mine
      .getByText(
        'Someone else saved “Theirs” here in the meantime. Saving replaces it with your value.',
      )
      .waitFor()
    expect(await mine.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Mine')
    await expectWellMade(mine)
    await mine.getByRole('button', { name: 'Save changes' }).click()
    await mine.getByRole('heading', { level: 1, name: 'Mine' }).waitFor()
    await mine.reload()
    await mine.getByText('2 recipients, 2 outside the workplace').waitFor()
    await mine.getByRole('button', { name: 'Remove list' }).click()
    await mine.getByRole('dialog').getByRole('button', { name: 'Remove list' }).click()
    await mine.getByRole('heading', { level: 1, name: 'Distribution lists' }).waitFor()
    await other.close()
    expect(person.complaints).toEqual([])
  })

  for (const [device, screen] of [
    ['desktop', desktop],
    ['phone', phone],
  ] as const) {
    it(`finds the form of an alias well made on a ${device}`, async () => {
      await using person = await visit(browser, { screen })
      const { page } = person
      await signIn(page, 'portal', 'Anna Owner')
      await page.goto(at('/aliases'))
      // Without an alias, the button moves from the header to the empty list.
      await untilLoaded(page)
      await page.getByRole('button', { name: 'Add alias' }).first().click()
      await page.getByRole('dialog').getByRole('textbox', { name: 'Alias' }).waitFor()
      await expectWellMadeOn(screen, page)
      expect(person.complaints).toEqual([])
    })
  }
})

describe('a member without rights', () => {
  it('reads lists and aliases, and is offered no change', async () => {
    await using person = await visit(browser)
    const { page } = person
    await signIn(page, 'portal', 'Mira Member')
    for (const path of ['/lists', '/aliases', '/domains', '/sso']) {
      await page.goto(at(path))
      await page.getByRole('heading', { level: 1 }).waitFor()
      await untilLoaded(page)
      expect(
        await page
          .getByRole('main')
          .getByRole('button', { name: /^(Add|Create|Remove|Check)/ })
          .count(),
      ).toBe(0)
    }
    await page.goto(at('/branding'))
    await page.getByRole('heading', { level: 1, name: 'No access' }).waitFor()
  })
})

async function createList(
  page: Page,
  name: string,
  localPart: string,
  recipients: string,
): Promise<void> {
  await page.goto(at('/lists'))
  await page.getByRole('button', { name: 'Create list' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByRole('textbox', { name: 'Address', exact: true }).fill(localPart)
  await dialog.getByLabel('Add recipients').fill(recipients)
  await dialog.getByRole('button', { name: 'Create list' }).click()
}
