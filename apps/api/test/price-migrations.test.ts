import { renewalFrom } from '@atrium/core/billing/price-migrations'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { advancePriceMigrations } from '../src/billing/price-migrations/advance.ts'
import { drainWebhooks } from '../src/billing/webhooks/process.ts'
import {
  openPaidSubscriptions,
  type PaidSubscriptionsTestApp,
} from './paid-subscriptions-test-app.ts'

let world: PaidSubscriptionsTestApp
let testApp: PaidSubscriptionsTestApp['testApp']
let operator: string
let owner: string
let started: Date
const day = 86_400_000

beforeAll(async () => {
  world = await openPaidSubscriptions()
  ;({ testApp, operator, owner, started } = world)
}, 60_000)
afterAll(() => world[Symbol.asyncDispose]())

const get = async (path: string, token = operator) =>
  (await testApp.request('GET', path, { token })).body
const post = (path: string, body: object, token = operator) =>
  testApp.request('POST', path, { token, body })
const dayAfter = (days: number) =>
  new Date(started.getTime() + days * day).toISOString().slice(0, 10)

/** Makes a newer version of the monthly business price, 1.00 dearer; returns the one of before. */
async function raise(): Promise<{ before: string; amounts: { unitAmount: number }[] }> {
  const { items } = await get('/prices?plan=business&cycle=month&state=active')
  const amounts = items[0].amounts.map(
    ({ currency, unitAmount }: { currency: string; unitAmount: number }) => ({
      currency,
      unitAmount: unitAmount + 100,
    }),
  )
  const changed = await testApp.request('PATCH', `/prices/${items[0].id}`, {
    token: operator,
    body: { amounts, expectedVersion: items[0].editVersion },
  })
  expect(changed.status, JSON.stringify(changed.body)).toBe(200)
  return { before: items[0].id, amounts }
}

async function start(priceId: string, fields: object = {}) {
  const { status, body } = await post(`/prices/${priceId}/migrations`, {
    from: dayAfter(40),
    reason: 'Costs went up this year.',
    ...fields,
  })
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}
const advanceAt = (days: number) =>
  world.at(new Date(started.getTime() + days * day), () =>
    advancePriceMigrations(testApp.app.services),
  )
/** The payment processor's time goes on, and what it tells is applied. */
async function passTo(days: number): Promise<void> {
  const then = new Date(started.getTime() + days * day)
  await world.at(then, async () => {
    testApp.sandbox.payments.setNow(then)
    for (let rounds = 0; rounds < 10 && testApp.webhooks.pending().length > 0; rounds++) {
      await testApp.webhooks.deliver()
      await drainWebhooks(testApp.app.services)
    }
  })
}
const subscriber = async (migrationId: string, slug: string) =>
  (await get(`/price-migrations/${migrationId}/subscribers?limit=200`)).items.find(
    (one: { tenantSlug: string }) => one.tenantSlug === slug,
  )
const perSeat = async (slug: string) => (await world.rows(slug))[0].perSeatAmount
const mails = (
  template: 'subscription.price_change' | 'subscription.price_kept' = 'subscription.price_change',
) =>
  testApp.database.db
    .selectFrom('outbox')
    .select(['template', 'recipient as to', 'tenant_id as tenantId'])
    .where('template', '=', template)
    .execute()

it('the first renewal on or after a day is a whole number of periods away', () => {
  const periodEnd = new Date('2026-01-31T10:00:00Z')
  const from = (text: string, cycle: 'month' | 'year' = 'month') =>
    renewalFrom({ cycle, periodEnd }, new Date(text)).toISOString()
  expect(from('2026-01-01T00:00:00Z')).toBe('2026-01-31T10:00:00.000Z')
  expect(from('2026-02-28T10:00:00Z')).toBe('2026-02-28T10:00:00.000Z')
  expect(from('2026-02-28T10:00:01Z')).toBe('2026-03-31T10:00:00.000Z')
  expect(from('2026-02-01T00:00:00Z', 'year')).toBe('2027-01-31T10:00:00.000Z')
})

describe('subscribers of a price', () => {
  it('move to the newer version at their renewal: told, scheduled, charged the new amount', async () => {
    const told = await world.subscribed()
    const stays = await world.subscribed()
    const changes = await world.subscribed()
    const keeps = await world.subscribed()
    const old = await perSeat(told.slug)
    const { before } = await raise()
    const preview = await get(`/prices/${before}/migration-preview`)
    const [sums] = preview.currencies
    expect(sums).toMatchObject({ currency: 'eur', subscriptions: expect.any(Number) })
    expect(sums.subscriptions).toBeGreaterThanOrEqual(4)
    expect(sums.newMinor).toBeGreaterThan(sums.oldMinor)
    expect(preview.earliest > dayAfter(29)).toBe(true)

    const tooSoon = await post(`/prices/${before}/migrations`, {
      from: dayAfter(20),
      reason: 'Costs went up this year.',
    })
    expect(tooSoon).toMatchObject({ status: 400, body: { issues: [{ path: 'from' }] } })

    const migration = await start(before, { mayKeep: true })
    expect(migration.subscribers.waiting).toBe(sums.subscriptions)
    const twice = await post(`/prices/${before}/migrations`, {
      from: dayAfter(40),
      reason: 'Costs went up this year.',
    })
    expect(twice).toMatchObject({ status: 409, body: { code: 'price_state' } })

    await advanceAt(0)
    await advanceAt(0)
    expect(await subscriber(migration.id, told.slug)).toMatchObject({
      state: 'notified',
      oldMinor: old * 10,
      newMinor: (old + 100) * 10,
      error: null,
      notifiedAt: started.toISOString(),
    })
    const sent = (await mails()).length
    expect(sent).toBeGreaterThanOrEqual(4)
    expect(await get(`/tenants/${told.slug}/subscription/coming-price`, owner)).toMatchObject({
      oldMinor: old * 10,
      newMinor: (old + 100) * 10,
      mayKeep: true,
      cycle: 'month',
    })

    // One of them says no, another is stopped by an operator.
    expect(
      (await post(`/tenants/${keeps.slug}/subscription/coming-price/decline`, {}, owner)).status,
    ).toBe(200)
    const { id: stopped } = await subscriber(migration.id, stays.slug)
    expect(
      await post(`/price-migrations/${migration.id}/subscribers/${stopped}/stop`, {
        reason: 'An old promise to them.',
      }),
    ).toMatchObject({ status: 200, body: { state: 'stopped' } })
    expect(await mails('subscription.price_kept'), 'to the one who is stopped').toEqual([
      expect.objectContaining({ to: 'owner@acme.test', tenantId: stays.id }),
    ])

    // The first renewal is before the day; the last period at the old price begins.
    await passTo(32)
    await advanceAt(32)
    expect(await subscriber(migration.id, told.slug)).toMatchObject({ state: 'scheduled' })
    expect((await world.read(told.stripeId)).scheduled).not.toBeNull()
    expect(await perSeat(told.slug)).toBe(old)

    // A change by the tenant takes the schedule's place, and the price is scheduled again with it.
    await world.at(new Date(started.getTime() + 33 * day), async () => {
      const preview = await testApp.app.services.systems.payments?.findSubscription(
        changes.stripeId,
      )
      await testApp.app.services.systems.payments?.releaseSchedule(changes.stripeId, {
        idempotencyKey: `test:${preview?.scheduleId}`,
      })
    })
    await passTo(34)
    expect((await world.read(changes.stripeId)).scheduled).toBeNull()
    await advanceAt(35)
    await advanceAt(35)
    expect((await world.read(changes.stripeId)).scheduled).not.toBeNull()

    await passTo(63)
    await advanceAt(63)
    for (const { slug } of [told, changes]) {
      expect(await perSeat(slug)).toBe(old + 100)
      expect(await subscriber(migration.id, slug)).toMatchObject({ state: 'moved' })
    }
    expect(await perSeat(keeps.slug)).toBe(old)
    expect(await perSeat(stays.slug)).toBe(old)
    expect(await subscriber(migration.id, keeps.slug)).toMatchObject({ state: 'kept' })
    expect(await get(`/tenants/${told.slug}/subscription/coming-price`, owner)).toBeNull()
    const [invoice] = (await get(`/billing/invoices?tenantSlug=${told.slug}&limit=1`)).items
    expect(invoice.subtotalMinor).toBe((old + 100) * 10)
    expect(await mails()).toHaveLength(sent)
    const { items } = await get('/audit?action=price.*&limit=20')
    expect(items.map(({ action }: { action: string }) => action)).toEqual(
      expect.arrayContaining(['price.migration_started', 'price.move_stopped']),
    )
  }, 60_000)

  it('stay when the migration is stopped: those who were scheduled are taken back', async () => {
    testApp.sandbox.payments.setNow(started)
    const tenant = await world.subscribed()
    const old = await perSeat(tenant.slug)
    const { before } = await raise()
    const migration = await start(before, { from: dayAfter(31) })
    await advanceAt(0)
    await passTo(31)
    await advanceAt(31)
    expect(await subscriber(migration.id, tenant.slug)).toMatchObject({ state: 'scheduled' })
    expect(
      await post(`/tenants/${tenant.slug}/subscription/coming-price/decline`, {}, owner),
    ).toMatchObject({ status: 409, body: { code: 'price_state' } })
    const stop = () =>
      post(`/price-migrations/${migration.id}/stop`, { reason: 'It was a mistake of ours.' })
    expect(await stop()).toMatchObject({ status: 200, body: { state: 'stopped' } })
    expect(await stop()).toMatchObject({ status: 409, body: { code: 'price_state' } })
    world.fault({ match: 'release', mode: 'error' })
    await advanceAt(31)
    expect(await subscriber(migration.id, tenant.slug)).toMatchObject({
      state: 'stopping',
      error: expect.stringContaining('payment processor'),
    })
    testApp.sandbox.clearFaults()
    await advanceAt(32)
    expect(await subscriber(migration.id, tenant.slug)).toMatchObject({ state: 'stopped' })
    await advanceAt(32)
    const told = await mails('subscription.price_kept')
    expect(told.filter(({ tenantId }) => tenantId === tenant.id)).toHaveLength(1)
    expect((await world.read(tenant.stripeId)).scheduled).toBeNull()
    await passTo(63)
    expect(await perSeat(tenant.slug)).toBe(old)
  })
})
