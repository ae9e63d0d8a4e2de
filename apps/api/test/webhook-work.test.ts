import { randomBytes } from 'node:crypto'
import { claimInboxEvent, insertInboxEvent } from '@atrium/db/billing/webhook-inbox'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { drainWebhooks, processEvent } from '../src/billing/webhooks/process.ts'
import { type Billing, billingOf } from './billing-test-app.ts'

let testApp: TestApp
let billing: Billing
beforeAll(async () => {
  testApp = await startTestApp({ provisioned: false })
  billing = billingOf(testApp)
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())
afterEach(() => testApp.sandbox.clearFaults())

async function keep(fields: {
  type: string
  object: Record<string, unknown>
  created?: Date
}): Promise<string> {
  const id = `evt_${randomBytes(8).toString('hex')}`
  const created = fields.created ?? new Date()
  const payload = {
    id,
    object: 'event',
    type: fields.type,
    created: Math.floor(created.getTime() / 1000),
    livemode: false,
    data: { object: fields.object },
  }
  const objectId = typeof fields.object.id === 'string' ? fields.object.id : null
  await insertInboxEvent(testApp.database.db, {
    id,
    type: fields.type,
    objectId,
    apiVersion: null,
    created,
    livemode: false,
    payload: JSON.stringify(payload),
    state: 'received',
  })
  return id
}

const row = (id: string) =>
  testApp.database.db
    .selectFrom('webhook_inbox')
    .select(['state', 'attempts', 'note', 'next_at', 'lease_until', 'finished_at'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
const makeDue = (id: string) =>
  testApp.database.db
    .updateTable('webhook_inbox')
    .set({ next_at: new Date(0) })
    .where('id', '=', id)
    .execute()

describe('an event that is worked on', () => {
  it.each([
    ['product.updated', 'skipped'],
    ['invoice.payment_succeeded', 'skipped'],
    ['charge.refunded', 'skipped'],
    ['invoice.upcoming', 'skipped'],
    ['payout.paid', 'skipped'],
    ['balance.available', 'skipped'],
    ['something.new.in_a_later_version', 'skipped'],
  ])('of type %s is %s with a reason', async (type, state) => {
    const id = await keep({ type, object: { id: 'x_1', object: 'x' } })
    await processEvent(testApp.app.services, id)
    expect(await row(id)).toMatchObject({
      state,
      attempts: 1,
      note: expect.any(String),
      lease_until: null,
      finished_at: expect.any(Date),
    })
  })

  it('about an object that the processor does not have is skipped and kept', async () => {
    for (const type of [
      'customer.subscription.updated',
      'invoice.paid',
      'refund.created',
      'credit_note.created',
      'charge.dispute.closed',
    ]) {
      const id = await keep({ type, object: { id: 'gone_1', object: 'x' } })
      await processEvent(testApp.app.services, id)
      expect([type, (await row(id)).state]).toEqual([type, 'skipped'])
    }
  })

  it('of a customer that is no tenant here is parked, told in the audit log, and replayed once the tenant is known', async () => {
    await using own = await startTestApp({ provisioned: false })
    const its = billingOf(own)
    await its.setCard('acme', 'pm_card_visa')
    await its.subscribe('acme')
    const { db } = own.database
    const tenantId = await its.tenantId('acme')
    const customer = await db.selectFrom('payment_customers').selectAll().executeTakeFirstOrThrow()
    await db.deleteFrom('payment_customers').execute()
    const ids = own.webhooks.pending()
    await own.webhooks.deliver()
    await drainWebhooks(own.app.services)
    const parked = await db
      .selectFrom('webhook_inbox')
      .select(['id', 'type'])
      .where('state', '=', 'parked')
      .execute()
    expect(ids.length).toBeGreaterThan(parked.length)
    expect(parked.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['payment_method.attached']),
    )
    const entries = await db
      .selectFrom('audit_events')
      .select(['outcome', 'source', 'actor_type'])
      .where('action', '=', 'webhook.parked')
      .execute()
    expect(entries).toEqual(
      Array(parked.length).fill({ outcome: 'failure', source: 'webhook', actor_type: 'system' }),
    )
    await db
      .insertInto('payment_customers')
      .values({ tenant_id: tenantId, customer_id: customer.customer_id })
      .execute()
    const { status, body } = await its
      .as('operator@atrium.test')
      .send('POST', '/webhooks/events/replay-parked')
    expect([status, body]).toEqual([200, { replayed: parked.length }])
    await drainWebhooks(own.app.services)
    expect(
      await db.selectFrom('webhook_inbox').select('id').where('state', '=', 'parked').execute(),
    ).toEqual([])
    expect(await own.auditActions()).toContain('webhook.replayed')
  })

  it('is tried again after 1, 5, 30 minutes, 2 and 12 hours when the processor fails, then parked', async () => {
    const id = await keep({ type: 'invoice.paid', object: { id: 'in_1', object: 'invoice' } })
    testApp.sandbox.fault({
      system: 'payments',
      match: 'GET /v1/invoices',
      mode: 'error',
      status: 500,
    })
    const waits: number[] = []
    for (let attempt = 1; attempt <= 5; attempt++) {
      const from = Date.now()
      await processEvent(testApp.app.services, id)
      const { state, next_at: nextAt, note } = await row(id)
      expect([state, note]).toEqual(['failed', expect.stringContaining('payment processor')])
      waits.push(Math.round(((nextAt?.getTime() ?? 0) - from) / 60_000))
      await processEvent(testApp.app.services, id)
      expect((await row(id)).attempts).toBe(attempt)
      await makeDue(id)
      testApp.app.services.systems.payments
        ?.check({ signal: AbortSignal.timeout(1) })
        .catch(() => undefined)
    }
    expect(waits).toEqual([1, 5, 30, 120, 720])
    await processEvent(testApp.app.services, id)
    expect(await row(id)).toMatchObject({
      state: 'parked',
      attempts: 6,
      next_at: null,
      finished_at: expect.any(Date),
    })
    await makeDue(id)
    await processEvent(testApp.app.services, id)
    expect((await row(id)).attempts).toBe(6)
  })

  it('is worked on by one at a time, and by another once the lease of a dead process has run out', async () => {
    const id = await keep({ type: 'product.updated', object: { id: 'prod_1', object: 'product' } })
    const claimed = await claimInboxEvent(testApp.database.db, id, 60)
    expect(claimed?.attempts).toBe(1)
    await processEvent(testApp.app.services, id)
    expect(await row(id)).toMatchObject({ state: 'received', attempts: 1 })
    await testApp.database.db
      .updateTable('webhook_inbox')
      .set({ lease_until: new Date(0) })
      .where('id', '=', id)
      .execute()
    await drainWebhooks(testApp.app.services)
    expect(await row(id)).toMatchObject({ state: 'skipped', attempts: 2 })
  })

  it('that ends every process that tries it is parked in the end', async () => {
    const id = await keep({ type: 'product.updated', object: { id: 'prod_1', object: 'product' } })
    await testApp.database.db
      .updateTable('webhook_inbox')
      .set({ attempts: 6 })
      .where('id', '=', id)
      .execute()
    await processEvent(testApp.app.services, id)
    expect(await row(id)).toMatchObject({
      state: 'parked',
      note: expect.stringContaining('Every try'),
    })
  })

  it('is found by the sweep when it has no job', async () => {
    const ids = await Promise.all(
      Array.from({ length: 90 }, () =>
        keep({ type: 'product.updated', object: { id: 'prod_1', object: 'product' } }),
      ),
    )
    await Promise.all([drainWebhooks(testApp.app.services), drainWebhooks(testApp.app.services)])
    const rows = await testApp.database.db
      .selectFrom('webhook_inbox')
      .select(['state', 'attempts'])
      .where('id', 'in', ids)
      .execute()
    expect(new Set(rows.map(({ state, attempts }) => `${state} ${attempts}`))).toEqual(
      new Set(['skipped 1']),
    )
  })
})

it('is acted on within a second or two of its coming where jobs run', async () => {
  await using running = await startTestApp({ provisioned: false, started: true })
  const its = billingOf(running)
  await its.setCard('acme', 'pm_card_visa')
  await its.subscribe('acme')
  await running.webhooks.deliver()
  await expect
    .poll(
      async () =>
        (await its.as('owner@acme.test').get('/tenants/acme/invoices')).body.items.map(
          ({ status }: { status: string }) => status,
        ),
      { timeout: 15_000 },
    )
    .toEqual(['paid'])
})

describe('operators', () => {
  const get = async (path: string) => billing.as('operator@atrium.test').get(path)
  it('find events by state, type, and a part of an id, page by page', async () => {
    const first = await keep({
      type: 'payout.failed',
      object: { id: 'po_Needle1', object: 'payout' },
    })
    const second = await keep({
      type: 'payout.paid',
      object: { id: 'po_Needle2', object: 'payout' },
    })
    await processEvent(testApp.app.services, first)
    const ids = async (query: string) =>
      (await get(`/webhooks/events?${query}`)).body.items.map(({ id }: { id: string }) => id)
    expect(await ids('q=needle')).toEqual([second, first])
    expect(await ids('q=needle&type=payout.failed')).toEqual([first])
    expect(await ids('q=needle&type=payout')).toEqual([second, first])
    expect(await ids('q=needle&state=skipped')).toEqual([first])
    expect(await ids(`q=${first.slice(4, 14)}`)).toEqual([first])
    expect(await ids('q=%25')).toEqual([])
    const page = await get('/webhooks/events?q=needle&limit=1')
    expect(page.body).toMatchObject({
      items: [{ id: second }],
      nextCursor: second,
      health: { waiting: expect.any(Number) },
    })
    expect((await get(`/webhooks/events?q=needle&limit=1&cursor=${second}`)).body).toMatchObject({
      items: [{ id: first }],
      nextCursor: null,
    })
    expect((await get('/webhooks/events?state=lost')).status).toBe(400)
    expect((await get('/webhooks/events?unknown=1')).status).toBe(400)
  })
  it('read a payload without personal data', async () => {
    const id = await keep({
      type: 'customer.updated',
      object: {
        id: 'cus_1',
        object: 'customer',
        email: 'anna@acme.test',
        phone: '+49 30 1',
        currency: 'eur',
      },
    })
    const { body } = await get(`/webhooks/events/${id}`)
    expect(body.payload.data.object).toEqual({
      id: 'cus_1',
      object: 'customer',
      email: '***',
      phone: '***',
      currency: 'eur',
    })
    expect((await get('/webhooks/events/evt_unknown')).status).toBe(404)
    expect((await get(`/webhooks/events/${encodeURIComponent('evt_\u0000')}`)).status).toBe(400)
  })
  it('replay one event, not one that waits already', async () => {
    const id = await keep({ type: 'product.updated', object: { id: 'prod_1', object: 'product' } })
    const replay = () =>
      billing.as('operator@atrium.test').send('POST', `/webhooks/events/${id}/replay`)
    expect(await replay()).toMatchObject({ status: 409, body: { code: 'event_state' } })
    await processEvent(testApp.app.services, id)
    expect(await replay()).toMatchObject({
      status: 200,
      body: { id, state: 'received', attempts: 0 },
    })
    await processEvent(testApp.app.services, id)
    expect((await row(id)).state).toBe('skipped')
    expect(
      await billing.as('operator@atrium.test').send('POST', '/webhooks/events/evt_none/replay'),
    ).toMatchObject({ status: 404 })
  })
})
