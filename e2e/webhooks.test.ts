import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { openBrowser } from './browser.ts'
import { call, tokenOf } from './paid-workplace.ts'
import { expectWellMadeOnBoth, signIn, visit } from './people.ts'

const slug = 'webhook-journey'

let browser: Browser
let receiver: Server
let signatures: string[][]
let status = 200
beforeAll(async () => {
  signatures = []
  receiver = createServer((request, response) => {
    signatures.push(String(request.headers['webhook-signature']).split(' '))
    request.resume().once('end', () => response.writeHead(status).end('of the receiver'))
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  browser = await openBrowser()
  await call(await tokenOf('owner@globex.test'), 'POST', '/tenants', {
    name: 'Webhook Journey',
    slug,
  })
})
afterAll(() => {
  receiver.closeAllConnections()
  receiver.close()
})

it('an owner adds a webhook, sees what it gets, rotates its secret and removes it', async () => {
  const { portal } = inject('workplace')
  const { port } = receiver.address() as AddressInfo
  const host = `127.0.0.1:${port}`
  await using owner = await visit(browser)
  const { page } = owner
  await signIn(page, 'portal', 'Gero Owner')
  await page.goto(`${portal}/t/${slug}`)
  await page.getByRole('link', { name: 'Webhooks' }).first().click()
  await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor()
  await expectWellMadeOnBoth(page)

  await page.getByRole('button', { name: 'Add webhook' }).click()
  const form = page.getByRole('dialog', { name: 'Add a webhook' })
  await form.getByLabel('Address').fill('ftp://files.example.com')
  await form.getByRole('button', { name: 'Add webhook' }).click()
  await form.getByText('This is not a web address').waitFor()
  await form.getByLabel('Address').fill(`http://${host}/events`)
  await form.getByLabel('Description').fill('Human resources')
  await expectWellMadeOnBoth(page)
  await form.getByRole('button', { name: 'Add webhook' }).click()
  const shown = page.getByRole('dialog', { name: `Secret of ${host}` })
  expect(await shown.getByLabel('Signing secret').textContent()).toMatch(/^whsec_/)
  await shown.getByRole('button').last().click()
  await shown.waitFor({ state: 'detached' })
  await expectWellMadeOnBoth(page)

  await page.getByRole('button', { name: host }).click()
  const drawer = page.getByRole('dialog', { name: host })
  status = 500
  await drawer.getByRole('button', { name: 'Send test event' }).click()
  await page.getByText('The endpoint did not accept the event.').waitFor()
  // Not the event that says that it was sent, which may fail beside it.
  const failed = drawer
    .getByRole('row')
    .filter({ has: page.getByText('Test event', { exact: true }) })
  await failed.getByText('Status 500').waitFor()
  await failed.getByText('Details').click()
  await failed.getByText('of the receiver').waitFor()
  await expectWellMadeOnBoth(page)

  status = 200
  await drawer.getByRole('button', { name: 'Rotate secret' }).click()
  const rotation = page.getByRole('dialog', { name: 'Rotate the secret?' })
  await rotation.getByRole('button', { name: 'Rotate secret' }).click()
  const rotated = page.getByRole('dialog', { name: `Secret of ${host}` })
  await rotated.getByRole('button').last().click()
  await rotated.waitFor({ state: 'detached' })
  await drawer.getByText('Previous secret is valid until').waitFor()
  await drawer.getByRole('button', { name: 'Send test event' }).click()
  await page.getByText('The endpoint accepted the event.').waitFor()
  // One of each secret during the overlap.
  expect(signatures.at(-1)).toHaveLength(2)

  await drawer.getByRole('button', { name: 'Switch off' }).click()
  await drawer.getByText('Off', { exact: true }).waitFor()
  await drawer.getByRole('button', { name: 'Switch on' }).click()
  await drawer.getByText('On', { exact: true }).waitFor()
  await drawer.getByRole('button', { name: 'Send again' }).click()
  const replay = page.getByRole('dialog', { name: 'Send events again?' })
  await expectWellMadeOnBoth(page)
  await replay.getByLabel('Since').fill('2026-01-01T00:00')
  await replay.getByRole('button', { name: 'Send again' }).click()
  await page.getByText('The events are being sent.').waitFor()
  await drawer
    .getByRole('row', { name: /Webhook endpoint created/ })
    .first()
    .waitFor({
      timeout: 60_000,
    })

  await drawer.getByRole('button', { name: 'Remove' }).click()
  await page
    .getByRole('dialog', { name: 'Remove this webhook?' })
    .getByRole('button', { name: 'Remove' })
    .click()
  await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor()
  expect(owner.complaints).toEqual([])
})

it.each([
  {
    who: 'an owner of a partner',
    app: 'portal',
    person: 'Pia Partner',
    home: '/partner',
    description: 'What happens at North Cloud Services and with its customers',
  },
  {
    who: 'an operator',
    app: 'operator',
    person: 'Olive Operator',
    home: '/',
    description: 'What happens on the platform',
  },
] as const)('$who has a page for webhooks', async ({ app, person, home, description }) => {
  const addresses = inject('workplace')
  const { port } = receiver.address() as AddressInfo
  const host = `127.0.0.1:${port}`
  await using visitor = await visit(browser)
  const { page } = visitor
  await signIn(page, app, person)
  await page.goto(`${addresses[app]}${home}`)
  await page.getByRole('link', { name: 'Webhooks', exact: true }).first().click()
  await page.getByText(description).waitFor()
  await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor()
  await expectWellMadeOnBoth(page)

  await page.getByRole('button', { name: 'Add webhook' }).click()
  const form = page.getByRole('dialog', { name: 'Add a webhook' })
  await form.getByLabel('Address').fill(`http://${host}/events`)
  await form.getByPlaceholder('All events').fill('subscription')
  await page.getByRole('option').first().click()
  // The list stays open for further choices, above the button.
  await form.getByLabel('Description').click()
  await form.getByRole('button', { name: 'Add webhook' }).click()
  const shown = page.getByRole('dialog', { name: `Secret of ${host}` })
  expect(await shown.getByLabel('Signing secret').textContent()).toMatch(/^whsec_/)
  await shown.getByRole('button').last().click()
  await shown.waitFor({ state: 'detached' })
  await page.getByRole('row', { name: /1 event/ }).waitFor()
  await expectWellMadeOnBoth(page)

  await page.getByRole('button', { name: host }).click()
  const drawer = page.getByRole('dialog', { name: host })
  status = 500
  await drawer.getByRole('button', { name: 'Send test event' }).click()
  // Not the event that says that it was sent, which may fail beside it.
  const failed = drawer
    .getByRole('row')
    .filter({ has: page.getByText('Test event', { exact: true }) })
  await failed.getByText('Status 500').waitFor()
  await failed.getByText('Details').click()
  await failed.getByText('of the receiver').waitFor()
  await expectWellMadeOnBoth(page)
  status = 200

  await drawer.getByRole('button', { name: 'Edit' }).click()
  const edited = page.getByRole('dialog', { name: 'Edit webhook' })
  await edited.getByLabel('Description').fill('Orders')
  await edited.getByRole('button', { name: 'Save changes' }).click()
  await drawer.getByText('Orders').waitFor()
  await drawer.getByRole('button', { name: 'Rotate secret' }).click()
  const rotation = page.getByRole('dialog', { name: 'Rotate the secret?' })
  await rotation.getByLabel('The current secret stays valid for').selectOption('no time')
  await rotation.getByRole('button', { name: 'Rotate secret' }).click()
  const rotated = page.getByRole('dialog', { name: `Secret of ${host}` })
  await rotated.getByRole('button').last().click()
  await rotated.waitFor({ state: 'detached' })
  await drawer.getByRole('button', { name: 'Switch off' }).click()
  await drawer.getByText('Off', { exact: true }).waitFor()
  await drawer.getByRole('button', { name: 'Switch on' }).click()
  await drawer.getByText('On', { exact: true }).waitFor()
  await drawer.getByRole('button', { name: 'Send again' }).click()
  const replay = page.getByRole('dialog', { name: 'Send events again?' })
  await replay.getByLabel('Since').fill('2026-01-01T00:00')
  await replay.getByRole('button', { name: 'Send again' }).click()
  await page.getByText('The events are being sent.').waitFor()

  await drawer.getByRole('button', { name: 'Remove' }).click()
  await page
    .getByRole('dialog', { name: 'Remove this webhook?' })
    .getByRole('button', { name: 'Remove' })
    .click()
  await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor()
  expect(visitor.complaints).toEqual([])
})
