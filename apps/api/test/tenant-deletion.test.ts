import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { drainWebhooks } from '../src/billing/webhooks/process.ts'
import {
  openPaidSubscriptions,
  type PaidSubscriptionsTestApp,
} from './paid-subscriptions-test-app.ts'
import { day, terms } from './subscriptions-test-app.ts'

let world: PaidSubscriptionsTestApp
let testApp: PaidSubscriptionsTestApp['testApp']

beforeAll(async () => {
  world = await openPaidSubscriptions()
  testApp = world.testApp
}, 60_000)
afterEach(() => testApp.sandbox.clearFaults())
afterAll(() => world[Symbol.asyncDispose]())

const remove = (slug: string) =>
  testApp.request('DELETE', `/tenants/${slug}`, { token: world.owner })
const status = async (slug: string) =>
  (
    await testApp.database.db
      .selectFrom('tenants')
      .select('status')
      .where('slug', '=', slug)
      .executeTakeFirstOrThrow()
  ).status
const later = (days: number) => new Date(world.started.getTime() + days * day)
const balanceOf = (customerId: string) => {
  const records = testApp.sandbox.state().payments.records as {
    customers: { id: string; balance: number }[]
  }
  return records.customers.find(({ id }) => id === customerId)?.balance
}
async function deliver(): Promise<void> {
  for (let round = 0; round < 10 && testApp.webhooks.pending().length > 0; round++) {
    await testApp.webhooks.deliver()
    await drainWebhooks(testApp.app.services)
  }
}
const chargesAfter = (days: number, customerId: string) =>
  world.at(
    later(days),
    async () =>
      (await world.processor().listInvoices(customerId)).filter(({ total }) => total > 0).length,
  )

describe('deleting a tenant that pays', () => {
  it('ends its subscription in the same act, credits the unused time, and nothing more is charged', async () => {
    const { slug, customerId, stripeId } = await world.subscribed()
    const { body } = await testApp.request('GET', `/tenants/${slug}/billing`, {
      token: world.owner,
    })
    expect(body.onDeletion).toEqual({
      currency: 'eur',
      creditMinor: expect.toSatisfy((minor: number) => minor > 7_990 && minor <= 8_000),
    })
    expect((await remove(slug)).status).toBe(204)
    expect(await status(slug)).toBe('deleted')
    expect((await world.read(stripeId)).status).toBe('canceled')
    expect(await world.rows(slug)).toMatchObject([{ status: 'canceled' }])
    const [last, first] = await world.processor().listInvoices(customerId)
    expect([last?.total, first?.total, balanceOf(customerId)]).toEqual([
      -Number(first?.total),
      first?.total,
      -Number(first?.total),
    ])
    expect(await chargesAfter(33, customerId)).toBe(1)
    await deliver()
    const actions = await testApp.auditActions()
    expect(actions).toEqual(expect.arrayContaining(['tenant.deleted', 'subscription.canceled']))
  })

  it('credits nothing for a period that was not paid, and what is due stays due', async () => {
    const { slug, customerId } = await world.subscribed()
    testApp.sandbox.payments.act({
      action: 'attach_card',
      customer: customerId,
      card: 'pm_card_chargeCustomerFail',
    })
    await world.at(later(31.5), async () => {
      await world.processor().findCustomer(customerId)
      await deliver()
    })
    expect(await world.rows(slug)).toMatchObject([{ status: 'past_due' }])
    expect(
      (await testApp.request('GET', `/tenants/${slug}/billing`, { token: world.owner })).body
        .onDeletion,
    ).toEqual({
      currency: 'eur',
      creditMinor: 0,
    })
    expect((await remove(slug)).status).toBe(204)
    expect(balanceOf(customerId)).toBe(0)
    expect(
      (await world.processor().listInvoices(customerId)).map(({ status: state }) => state),
    ).toContain('open')
  })

  it('ends a trial and a start that waits for its payment, for nothing', async () => {
    const waiting = await world.newTenant()
    await world.call(waiting.slug, '', terms)
    const [{ latestInvoiceId }] = await world.rows(waiting.slug)
    expect((await remove(waiting.slug)).status).toBe(204)
    expect(await world.processor().findInvoice(latestInvoiceId)).toMatchObject({ status: 'void' })
    const trial = await world.newTenant()
    const body = { tenantSlug: trial.slug, source: 'stripe', ...terms, trialDays: 7 }
    expect(
      (await testApp.request('POST', '/subscriptions', { token: world.operator, body })).status,
    ).toBe(201)
    expect((await remove(trial.slug)).status).toBe(204)
    for (const { customerId } of [waiting, trial]) {
      expect((await world.atProcessor(customerId)).map(({ status: state }) => state)).not.toContain(
        'trialing',
      )
      expect(balanceOf(customerId)).toBe(0)
    }
  })

  it('ends one that only we know', async () => {
    const { slug } = await world.newTenant()
    await testApp.request('POST', '/subscriptions', {
      token: world.operator,
      body: { tenantSlug: slug, ...terms },
    })
    expect((await remove(slug)).status).toBe(204)
    expect(await world.rows(slug)).toMatchObject([{ source: 'manual', status: 'canceled' }])
  })

  it('is not done while the payment processor is down, says why, and is done later', async () => {
    const { slug, customerId } = await world.subscribed()
    world.fault({ match: 'DELETE /v1/subscriptions', mode: 'error', status: 503, times: 100 })
    const response = await remove(slug)
    expect(response).toMatchObject({
      status: 502,
      body: { code: 'upstream_failed', detail: expect.stringContaining('was not deleted') },
    })
    expect([await status(slug), (await world.rows(slug))[0].status]).toEqual(['pending', 'active'])
    testApp.sandbox.clearFaults()
    expect((await remove(slug)).status).toBe(204)
    expect((await world.atProcessor(customerId)).map(({ status: state }) => state)).toEqual([
      'canceled',
    ])
  })

  it('whose answer was lost, or that was cut off midway, is done once by the next try', async () => {
    const { slug, customerId } = await world.subscribed()
    world.fault({ match: 'DELETE /v1/subscriptions', mode: 'reset', times: 100, after: true })
    expect((await remove(slug)).status).toBe(502)
    expect(await status(slug)).toBe('pending')
    testApp.sandbox.clearFaults()
    expect((await remove(slug)).status).toBe(204)
    const totals = (await world.processor().listInvoices(customerId)).map(({ total }) => total)
    expect(totals.filter((total) => total < 0)).toHaveLength(1)
    expect(balanceOf(customerId)).toBe(Math.min(...totals))
  })

  it('is done while billing is closed for it', async () => {
    const { slug, customerId } = await world.subscribed()
    const flags = testApp.database.db.updateTable('flags').where('key', '=', 'new_billing_engine')
    await flags.set({ state: 'off' }).execute()
    testApp.app.services.flags.forget()
    try {
      expect((await remove(slug)).status).toBe(204)
      expect((await world.atProcessor(customerId)).map(({ status: state }) => state)).toEqual([
        'canceled',
      ])
    } finally {
      await flags.set({ state: 'on' }).execute()
      testApp.app.services.flags.forget()
    }
  })

  it('that an earlier version of the program deleted is charged no more', async () => {
    const { slug, customerId } = await world.subscribed()
    await testApp.database.db
      .updateTable('tenants')
      .set({ status: 'deleted', deleted_at: new Date() })
      .where('slug', '=', slug)
      .execute()
    await world.settleAt(world.started)
    expect((await world.atProcessor(customerId)).map(({ status: state }) => state)).toEqual([
      'canceled',
    ])
    expect(await chargesAfter(33, customerId)).toBe(1)
  })
})
