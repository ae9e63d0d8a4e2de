import { randomBytes } from 'node:crypto'
import { startApi } from '@atrium/testing/api-process'
import { insertTestTenant, partnerIdOf, userIdOf } from '@atrium/testing/records'
import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ensureCustomer } from '../src/billing/invoices/customer.ts'

let testApp: TestApp
let north: string
let owner: string
let token: string
beforeAll(async () => {
  testApp = await startTestApp({
    provisioned: false,
    sandbox: { identity: { accessTokenSeconds: 3600 } },
  })
  token = await testApp.token('owner@acme.test')
  const { db } = testApp.database
  north = await partnerIdOf(db, 'north')
  owner = await userIdOf(db, 'owner@acme.test')
  await db.updateTable('partners').set({ margin_pct: 20 }).where('id', '=', north).execute()
  // Only the processes that are killed work on events.
  testApp.sandbox.payments.webhooks.hold()
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())
afterEach(() => testApp.sandbox.clearFaults())

/**
 * Customers of the partner who have paid once and got everything back; the events of it wait at the
 * payment processor.
 */
async function paidAndRefunded(count: number): Promise<string[]> {
  const tenants = await Promise.all(Array.from({ length: count }, newTenant))
  // Who earns is decided as of the second in which an invoice was made, and the partner's part
  // begins with the tenant.
  await new Promise((done) => setTimeout(done, 1_100))
  for (const tenant of tenants) await payAndRefund(tenant)
  return tenants.map(({ id }) => id)
}

async function newTenant(): Promise<{ id: string; slug: string }> {
  const slug = `killed-${randomBytes(5).toString('hex')}`
  const tenant = await testApp.database.db
    .transaction()
    .execute((trx) => insertTestTenant(trx, { slug, partnerId: north, ownerId: owner }))
  return { id: tenant.id, slug }
}

async function payAndRefund({ id, slug }: { id: string; slug: string }): Promise<void> {
  const { payments } = testApp.app.services.systems
  if (!payments) throw new Error('this test app has a payment processor')
  const customer = await ensureCustomer(testApp.app.services, payments, id)
  testApp.sandbox.payments.act({ action: 'attach_card', customer, card: 'pm_card_visa' })
  const terms = { plan: 'starter', cycle: 'month', currency: 'eur', seats: 5 }
  const { status, body } = await testApp.request('POST', `/tenants/${slug}/subscription`, {
    token,
    body: terms,
  })
  if (status !== 200 && status !== 201)
    throw new Error(`no subscription: ${status} ${JSON.stringify(body)}`)
  const subscription = await testApp.database.db
    .selectFrom('subscriptions')
    .select('stripe_subscription_id')
    .where('tenant_id', '=', id)
    .executeTakeFirstOrThrow()
  const read = await payments.findSubscription(subscription.stripe_subscription_id ?? '')
  testApp.sandbox.payments.act({ action: 'refund', invoice: read?.latestInvoiceId ?? '' })
}

async function inbox(): Promise<{ done: number; left: number; held: number; failed: number }> {
  const rows = await testApp.database.db
    .selectFrom('webhook_inbox')
    .select(['state', 'lease_until', 'attempts'])
    .execute()
  const left = rows.filter(({ state }) => state === 'received' || state === 'failed')
  return {
    done: rows.length - left.length,
    left: left.length,
    held: left.filter(({ lease_until }) => lease_until !== null).length,
    failed: rows.filter(({ state }) => state === 'failed' || state === 'parked').length,
  }
}

/** How many calls the payment processor has left without a response so far. */
async function hungCalls(): Promise<number> {
  const response = await fetch(`${testApp.sandbox.controlUrl}/faults`)
  const { faults } = (await response.json()) as { faults: { hits: number }[] }
  return faults.reduce((sum, { hits }) => sum + hits, 0)
}

/** What a dead process held is free for the next one a minute and a half later; here at once. */
async function passTheLeases(): Promise<void> {
  await testApp.database.db
    .updateTable('webhook_inbox')
    .set({ lease_until: new Date(Date.now() - 1_000) })
    .where('lease_until', 'is not', null)
    .execute()
}

/** What the events of these customers must have led to, each once. */
async function expectOnce(
  tenantIds: readonly string[],
  eventIds: readonly string[],
): Promise<void> {
  const { db } = testApp.database
  const kept = await db
    .selectFrom('webhook_inbox')
    .select(['id', 'state'])
    .where('id', 'in', [...eventIds])
    .execute()
  expect(kept.map(({ id }) => id).sort()).toEqual([...eventIds].sort())
  expect(
    new Set(kept.map(({ state }) => state)).difference(new Set(['applied', 'skipped', 'stale'])),
  ).toEqual(new Set())
  for (const tenantId of tenantIds) {
    const invoices = await db
      .selectFrom('invoices')
      .select(['id', 'status', 'total'])
      .where('tenant_id', '=', tenantId)
      .execute()
    expect(invoices).toMatchObject([{ status: 'paid' }])
    const reversals = await db
      .selectFrom('invoice_reversals')
      .select(['kind', 'effective'])
      .where('invoice_id', '=', invoices[0]?.id ?? '')
      .execute()
    expect(reversals).toEqual([{ kind: 'refund', effective: true }])
    const entries = await db
      .selectFrom('partner_ledger')
      .select(['type', 'amount'])
      .where('tenant_id', '=', tenantId)
      .orderBy('id')
      .execute()
    expect(entries.map(({ type, amount }) => [type, Number(amount)])).toEqual([
      ['accrual', 400],
      ['clawback', -400],
    ])
    const receipts = await db
      .selectFrom('outbox')
      .select('template')
      .where('tenant_id', '=', tenantId)
      .where('template', '=', 'invoice.paid')
      .execute()
    expect(receipts).toHaveLength(1)
    const tenant = await db
      .selectFrom('tenants')
      .select(['plan', 'seats'])
      .where('id', '=', tenantId)
      .executeTakeFirst()
    expect(tenant).toEqual({ plan: 'starter', seats: 5 })
  }
}

describe('a process that is killed while it works on payment events', () => {
  it('leaves them to the next one: none is lost, and each has its effect once', {
    timeout: 240_000,
  }, async () => {
    const tenantIds = await paidAndRefunded(2)
    const eventIds = [...testApp.webhooks.pending()]
    const first = await startApi(testApp)
    testApp.sandbox.fault({
      system: 'payments',
      match: 'GET /v1/invoices',
      mode: 'latency',
      delayMs: 60_000,
    })
    expect(new Set(await testApp.webhooks.deliver())).toEqual(new Set([200]))
    // Three events wait for the payment processor: their workers hold them until the kill.
    await expect.poll(hungCalls, { timeout: 20_000, interval: 20 }).toBeGreaterThanOrEqual(3)
    first.signal('SIGKILL')
    expect(await first.ended).toBeNull()
    const { held, failed } = await inbox()
    expect(held).toBeGreaterThanOrEqual(3)
    expect(failed).toBe(0)
    testApp.sandbox.clearFaults()
    await passTheLeases()

    await using _second = await startApi(testApp)
    await expect.poll(inbox, { timeout: 60_000, interval: 100 }).toMatchObject({ left: 0, held: 0 })
    await expectOnce(tenantIds, eventIds)
    const attempts = await testApp.database.db
      .selectFrom('webhook_inbox')
      .select('id')
      .where('attempts', '=', 2)
      .execute()
    expect(attempts).toHaveLength(held)
  })

  it('repeatedly, at random moments', { timeout: 240_000 }, async () => {
    testApp.sandbox.fault({ system: 'payments', mode: 'latency', delayMs: 25 })
    const tenantIds = await paidAndRefunded(6)
    const eventIds = [...testApp.webhooks.pending()]
    const before = await inbox()
    await testApp.webhooks.deliver()
    let kills = 0
    for (let progress = before.done; kills < 5; kills++) {
      const caught = await startApi(testApp)
      await expect
        .poll(async () => (await inbox()).done, { timeout: 40_000, interval: 5 })
        .toBeGreaterThan(progress)
      caught.signal('SIGKILL')
      await caught.ended
      await passTheLeases()
      const now = await inbox()
      progress = now.done
      if (now.left === 0) break
    }
    expect(kills).toBeGreaterThanOrEqual(2)
    testApp.sandbox.clearFaults()
    await using _last = await startApi(testApp)
    await expect
      .poll(inbox, { timeout: 60_000, interval: 100 })
      .toMatchObject({ left: 0, failed: 0 })
    await expectOnce(tenantIds, eventIds)
  })
})
