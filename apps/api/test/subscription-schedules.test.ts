import { fileQuotaBytes } from '@atrium/core/billing/plans'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { drainWebhooks } from '../src/billing/webhooks/process.ts'
import {
  openPaidSubscriptions,
  type PaidSubscriptionsTestApp,
} from './paid-subscriptions-test-app.ts'

const starter = 'price_demo_starter_month_eur'
const business = 'price_demo_business_month_eur'
const hour = 3_600_000

let world: PaidSubscriptionsTestApp
let testApp: PaidSubscriptionsTestApp['testApp']

beforeAll(async () => {
  world = await openPaidSubscriptions()
  ;({ testApp } = world)
})
beforeEach(() => testApp.sandbox.clearFaults())
afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

const discard = (slug: string) =>
  testApp.request('DELETE', `/tenants/${slug}/subscription/pending`, { token: world.owner })

/** The row of the subscription as operators see it. */
const rowOf = async (slug: string) => (await world.rows(slug))[0]

async function deliverEvents() {
  await testApp.webhooks.deliver(testApp.webhooks.pending())
  await drainWebhooks(testApp.app.services)
}

describe('a change to less', () => {
  it('is scheduled at the processor for the end of the period', async () => {
    const { slug, stripeId, subscription } = await world.subscribed()
    const { answer } = await world.change(slug, { plan: 'starter', seats: 6 })
    const pending = {
      plan: 'starter',
      seats: 6,
      effectiveAt: subscription.currentPeriodEnd,
      requestedBy: 'owner@acme.test',
    }
    expect(answer.body).toMatchObject({
      outcome: 'scheduled',
      subscription: { seats: 10, plan: 'business', pending },
    })
    expect(await world.read(stripeId)).toMatchObject({
      seats: 10,
      scheduled: { priceId: starter, seats: 6, at: new Date(subscription.currentPeriodEnd) },
    })
    await deliverEvents()
    expect(await rowOf(slug)).toMatchObject({ seats: 10, pending })
  })

  it('is in the next invoice, with tax and what credit pays', async () => {
    const { slug, customerId } = await world.subscribed()
    const next = async () =>
      (
        await testApp.request('GET', `/tenants/${slug}/billing/next-invoice`, {
          token: world.owner,
        })
      ).body
    await world.change(slug, { plan: 'starter', seats: 6 })
    expect(await next()).toMatchObject({
      exact: true,
      totalMinor: 6 * 400,
      amountDueMinor: 6 * 400,
    })
    const [first] = await world.processor().listInvoices(customerId)
    testApp.sandbox.payments.act({ action: 'set_tax', percent: 19 })
    testApp.sandbox.payments.act({
      action: 'credit_note',
      invoice: first?.id ?? '',
      amount: 1_000,
    })
    expect(await next()).toMatchObject({
      exact: true,
      taxMinor: 456,
      totalMinor: 2_856,
      creditMinor: 1_000,
      amountDueMinor: 1_856,
      balanceMinor: 1_000,
    })
    testApp.sandbox.payments.act({ action: 'set_tax', percent: 0 })
    world.fault({ mode: 'error', status: 503, times: 100 })
    expect(await next()).toMatchObject({ exact: false, totalMinor: 6 * 400, creditMinor: 0 })
    testApp.sandbox.clearFaults()
    await world.call(slug, '/cancel', {})
    expect(await next()).toBeNull()
  })

  it('is merged with what waits, and quoted for both', async () => {
    const { slug, stripeId } = await world.subscribed()
    await world.change(slug, { seats: 6 })
    const { preview } = await world.change(slug, { plan: 'starter' })
    expect(preview).toMatchObject({
      totalMinor: 0,
      next: { plan: 'starter', seats: 6, totalMinor: 6 * 400 },
    })
    expect((await world.read(stripeId)).scheduled).toMatchObject({ priceId: starter, seats: 6 })
    expect(await rowOf(slug)).toMatchObject({ pending: { plan: 'starter', seats: 6 } })
  })

  it('is told to nobody when the processor fails, and can be asked for again', async () => {
    const { slug, stripeId } = await world.subscribed()
    const { quote } = (await world.call(slug, '/preview', { seats: 6 })).body
    for (const match of ['POST /v1/subscription_schedules/', 'POST /v1/subscription_schedules']) {
      world.fault({ mode: 'error', status: 500, match, times: 100 })
      expect((await world.call(slug, '/change', { seats: 6, quote })).status).toBe(502)
      testApp.sandbox.clearFaults()
      expect(await rowOf(slug)).toMatchObject({ seats: 10, pending: null })
    }
    world.fault({
      mode: 'reset',
      match: 'POST /v1/subscription_schedules/',
      times: 100,
      after: true,
    })
    expect((await world.call(slug, '/change', { seats: 6, quote })).status).toBe(502)
    testApp.sandbox.clearFaults()
    expect((await world.call(slug, '/change', { seats: 6, quote })).status).toBe(200)
    expect((await world.read(stripeId)).scheduled).toMatchObject({ seats: 6 })
  })

  it('can be taken back', async () => {
    const { slug, stripeId } = await world.subscribed()
    await world.change(slug, { seats: 6 })
    world.fault({ mode: 'error', status: 503, match: 'POST /v1/subscription_schedules', times: 99 })
    expect((await discard(slug)).status).toBe(502)
    expect(await rowOf(slug)).toMatchObject({ pending: { seats: 6 } })
    testApp.sandbox.clearFaults()
    expect((await discard(slug)).status).toBe(204)
    expect(await world.read(stripeId)).toMatchObject({ scheduleId: null, scheduled: null })
    await deliverEvents()
    expect(await rowOf(slug)).toMatchObject({ seats: 10, pending: null })
  })

  it('goes when the subscription is canceled', async () => {
    const { slug, stripeId } = await world.subscribed()
    await world.change(slug, { seats: 6 })
    expect((await world.call(slug, '/cancel', {})).body).toMatchObject({
      cancelAtPeriodEnd: true,
      pending: null,
    })
    expect(await world.read(stripeId)).toMatchObject({
      cancelAtPeriodEnd: true,
      scheduleId: null,
    })
  })
})

describe('more, while less waits,', () => {
  it('goes at once and keeps what else waits, on the new terms', async () => {
    const { slug, stripeId } = await world.subscribed()
    await world.change(slug, { plan: 'starter' })
    const { answer } = await world.change(slug, { seats: 14 })
    expect(answer.body).toMatchObject({
      outcome: 'applied',
      subscription: { seats: 14, plan: 'business', pending: { plan: 'starter' } },
    })
    expect(await world.read(stripeId)).toMatchObject({
      seats: 14,
      priceId: business,
      scheduled: { priceId: starter, seats: 14 },
    })
  })

  it('takes the place of fewer seats that wait', async () => {
    const { slug, stripeId } = await world.subscribed()
    await world.change(slug, { seats: 6 })
    const { answer } = await world.change(slug, { seats: 14 })
    expect(answer.body.subscription).toMatchObject({ seats: 14, pending: null })
    expect(await world.read(stripeId)).toMatchObject({ seats: 14, scheduled: null })
  })

  it('by the year moves what waits to the end of the year', async () => {
    const { slug } = await world.subscribed()
    await world.change(slug, { plan: 'starter' })
    const { preview, answer } = await world.change(slug, { cycle: 'year' })
    const { subscription } = answer.body
    expect(subscription).toMatchObject({
      cycle: 'year',
      plan: 'business',
      pending: { plan: 'starter', effectiveAt: subscription.currentPeriodEnd },
    })
    const next = await testApp.request('GET', `/tenants/${slug}/billing/next-invoice`, {
      token: world.owner,
    })
    expect(next.body.totalMinor).toBe(10 * 4_000)
    expect(preview.next, 'the quote names the invoice that follows').toMatchObject({
      totalMinor: 10 * 4_000,
    })
  })

  it('is rejected before it is charged where the catalog does not sell both', async () => {
    const { slug, customerId, stripeId } = await world.subscribed()
    await world.change(slug, { plan: 'starter' })
    const { quote } = (await world.call(slug, '/preview', { seats: 14 })).body
    await whileArchived(async () => {
      for (const [path, body] of [
        ['/preview', { seats: 14 }],
        ['/change', { seats: 14, quote }],
      ] as const)
        expect(await world.call(slug, path, body)).toMatchObject({
          status: 409,
          body: { code: 'price_unavailable', detail: expect.stringContaining('Discard it first') },
        })
    })
    expect(await world.processor().listInvoices(customerId), 'nothing was charged').toHaveLength(1)
    expect(await world.read(stripeId)).toMatchObject({
      seats: 10,
      scheduled: { priceId: starter, seats: 10 },
    })
    expect(await rowOf(slug)).toMatchObject({ seats: 10, pending: { plan: 'starter' } })
  })

  it('that fails after the schedule was released leaves the job to schedule again', async () => {
    const { slug, stripeId } = await world.subscribed()
    await world.change(slug, { plan: 'starter' })
    const { quote } = (await world.call(slug, '/preview', { seats: 14 })).body
    world.fault({ mode: 'error', status: 500, match: 'POST /v1/subscriptions/', times: 100 })
    expect((await world.call(slug, '/change', { seats: 14, quote })).status).toBe(502)
    testApp.sandbox.clearFaults()
    expect((await world.read(stripeId)).scheduled).toBeNull()
    await deliverEvents()
    expect(await rowOf(slug)).toMatchObject({ seats: 10, pending: { plan: 'starter' } })
    await world.settleAt(world.started)
    expect((await world.read(stripeId)).scheduled).toMatchObject({ priceId: starter, seats: 10 })
    await world.settleAt(world.started)
    expect(await rowOf(slug)).toMatchObject({ pending: { plan: 'starter' }, pendingError: null })
  })
})

describe('a change by an operator', () => {
  it('takes the place of what waits for the same field and keeps the rest', async () => {
    const { slug, stripeId } = await world.subscribed()
    await world.change(slug, { plan: 'starter', seats: 6 })
    const { id } = await rowOf(slug)
    const patched = await testApp.request('PATCH', `/subscriptions/${id}`, {
      token: world.operator,
      body: { seats: 14 },
    })
    expect(patched).toMatchObject({ status: 200, body: { seats: 14, plan: 'business' } })
    expect((await world.read(stripeId)).scheduled).toMatchObject({ priceId: starter, seats: 14 })
    const { pending } = await rowOf(slug)
    expect(pending).toMatchObject({ plan: 'starter' })
    expect(pending.seats).toBeUndefined()
  })
})

describe('while a payment is missing', () => {
  it('nothing is changed, so that nobody gets credit for time that was not paid', async () => {
    const { slug } = await world.subscribed()
    const row = await rowOf(slug)
    testApp.sandbox.payments.act({
      action: 'set_status',
      subscription: row.stripeSubscriptionId,
      status: 'past_due',
    })
    await deliverEvents()
    expect(await rowOf(slug)).toMatchObject({ status: 'past_due' })
    for (const change of [{ seats: 14 }, { plan: 'starter' }, { cycle: 'year' }])
      expect(await world.call(slug, '/preview', change)).toMatchObject({
        status: 409,
        body: { code: 'subscription_state', detail: expect.stringContaining('Pay the open') },
      })
    expect((await world.call(slug, '/cancel', {})).status).toBe(200)
  })
})

// Moves the clock of the payments: the last tests of this file.
describe('the end of the period', () => {
  it('charges what was agreed, also while this service does not run', async () => {
    const [less, grown, dropped] = [
      await world.subscribed(),
      await world.subscribed(),
      await world.subscribed(),
    ]
    const end = Date.parse(less.subscription.currentPeriodEnd)
    await world.change(less.slug, { plan: 'starter', seats: 6 })
    await world.change(grown.slug, { seats: 2 })
    await world.change(dropped.slug, { plan: 'starter' })
    await deliverEvents()
    await addMailboxes(grown.id, 4)
    await fillFiles(dropped.id, fileQuotaBytes.starter + 1)
    await whileArchived(() => world.settleAt(new Date(end - hour / 2)))
    expect((await world.read(grown.stripeId)).scheduled, 'no fewer than members').toMatchObject({
      seats: 5,
    })
    expect(await rowOf(dropped.slug)).toMatchObject({
      pending: null,
      pendingError: expect.stringContaining('GiB'),
    })
    expect((await world.read(dropped.stripeId)).scheduled).toBeNull()

    testApp.sandbox.payments.setNow(new Date(end + 3 * hour))
    expect(await rowOf(less.slug), 'no event has come').toMatchObject({
      plan: 'business',
      pending: { plan: 'starter', seats: 6 },
    })
    expect(await lastTotal(less.customerId)).toBe(6 * 400)
    expect(await lastTotal(grown.customerId)).toBe(5 * 800)
    expect(await lastTotal(dropped.customerId)).toBe(10 * 800)

    await world.settleAt(new Date(end + 3 * hour))
    expect(await rowOf(less.slug)).toMatchObject({
      plan: 'starter',
      seats: 6,
      pending: null,
      perSeatAmount: 400,
      currentPeriodStart: less.subscription.currentPeriodEnd,
    })
    expect(await world.tenantRow(less.slug)).toEqual({ plan: 'starter', seats: 6 })
    await deliverEvents()
    expect(await rowOf(less.slug)).toMatchObject({ plan: 'starter', seats: 6, pending: null })
    expect(await rowOf(grown.slug)).toMatchObject({ seats: 5, pending: null })
    expect(await rowOf(dropped.slug)).toMatchObject({ plan: 'business', seats: 10 })

    // The schedule has done its work and is still attached.
    expect(await world.read(less.stripeId)).toMatchObject({
      scheduleId: expect.any(String),
      scheduled: null,
    })
    expect((await world.call(less.slug, '/cancel', {})).body).toMatchObject({
      cancelAtPeriodEnd: true,
    })
  })
})

describe('an operator changes a period that is not paid', () => {
  /** Two subscriptions whose renewal was declined, after a tenth of the new period. */
  async function unpaidPeriods() {
    const [less, more] = [await world.subscribed(), await world.subscribed()]
    const { payments } = testApp.sandbox
    for (const { customerId: customer } of [less, more])
      payments.act({ action: 'attach_card', customer, card: 'pm_card_chargeCustomerFail' })
    payments.setNow(new Date(Date.parse(less.subscription.currentPeriodEnd) + 3 * hour))
    await deliverEvents()
    const { currentPeriodStart, currentPeriodEnd, status } = await rowOf(more.slug)
    expect(status).toBe('past_due')
    const [start, end] = [Date.parse(currentPeriodStart), Date.parse(currentPeriodEnd)]
    payments.setNow(new Date(start + (end - start) / 10))
    return { less, more }
  }
  async function patch(slug: string, body: Record<string, unknown>) {
    const { id } = await rowOf(slug)
    const patched = await testApp.request('PATCH', `/subscriptions/${id}`, {
      token: world.operator,
      body,
    })
    expect(patched, JSON.stringify(patched.body)).toMatchObject({ status: 200, body })
    return testApp.request('GET', `/tenants/${slug}/billing/next-invoice`, { token: world.owner })
  }
  const dueOf = async (slug: string) =>
    (await testApp.request('GET', `/tenants/${slug}/billing`, { token: world.owner })).body.due

  it('to less without a credit, and to more for the difference of what is left of it', async () => {
    const { less, more } = await unpaidPeriods()
    const due = [expect.objectContaining({ amountMinor: 10 * 800 })]
    expect((await patch(less.slug, { seats: 4 })).body).toMatchObject({
      exact: true,
      totalMinor: 4 * 800,
      creditMinor: 0,
    })
    expect(await dueOf(less.slug)).toEqual(due)
    // Nine tenths of a period of four more seats, on top of the fourteen of the next one.
    expect((await patch(more.slug, { seats: 14 })).body).toMatchObject({
      exact: true,
      totalMinor: 14 * 800 + 4 * 720,
      creditMinor: 0,
    })
    expect(await dueOf(more.slug), 'the open invoice stays as it is').toEqual(due)
  })
})

async function lastTotal(customerId: string): Promise<number | undefined> {
  return (await world.processor().listInvoices(customerId))[0]?.total
}

/** A price that was agreed holds, on sale or not. */
async function whileArchived(work: () => Promise<void>): Promise<void> {
  const prices = testApp.database.db.updateTable('prices').where('plan', '=', 'starter')
  await prices.set({ state: 'archived' }).execute()
  await work().finally(() => prices.set({ state: 'active' }).execute())
}

/** Gives the tenant a space in the file storage that holds so much. */
async function fillFiles(tenantId: string, bytes: number): Promise<void> {
  const { files } = testApp.app.services.systems
  if (!files) throw new Error('this test app has a file storage')
  const space = { marker: tenantId, name: tenantId, quotaBytes: fileQuotaBytes.business }
  const { id } = await files.ensureSpace(space)
  testApp.sandbox.files.setUsed(id, bytes)
  const { db } = testApp.database
  await db.updateTable('tenants').set({ file_space_id: id }).where('id', '=', tenantId).execute()
}

async function addMailboxes(tenantId: string, count: number): Promise<void> {
  const { db } = testApp.database
  for (let n = 0; n < count; n += 1) {
    const address = `m${n}-${tenantId}@tenants.local`
    const user = await db
      .insertInto('users')
      .values({ idp_subject_id: address, email: address, name: 'Member' })
      .returning('id')
      .executeTakeFirstOrThrow()
    await db
      .insertInto('memberships')
      .values({
        tenant_id: tenantId,
        user_id: user.id,
        role: 'member',
        status: 'active',
        mailbox_address: address,
      })
      .execute()
  }
}
