import { randomBytes } from 'node:crypto'
import { findSubscriptionByStripeId } from '@atrium/db/billing/subscriptions'
import { insertInboxEvent } from '@atrium/db/billing/webhook-inbox'
import type { ProcessorSubscription } from '@atrium/integrations/payments/port'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { applyProcessorSubscription } from '../src/billing/subscriptions/apply.ts'
import { recordShownState } from '../src/billing/subscriptions/state.ts'
import {
  openPaidSubscriptions,
  type PaidSubscriptionsTestApp,
} from './paid-subscriptions-test-app.ts'
import { terms } from './subscriptions-test-app.ts'

let world: PaidSubscriptionsTestApp
let testApp: PaidSubscriptionsTestApp['testApp']
let operator: string

beforeAll(async () => {
  world = await openPaidSubscriptions()
  ;({ testApp, operator } = world)
})
afterEach(() => world.testApp.sandbox.clearFaults())
afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

describe('what the payment processor tells', () => {
  const apply = (
    tenantId: string,
    told: ProcessorSubscription,
    eventAt: Date | null = null,
    eventId = 'evt_1',
  ) =>
    testApp.database.db
      .transaction()
      .execute((trx) =>
        applyProcessorSubscription(trx, testApp.app.services, tenantId, told, { eventId, eventAt }),
      )
  const later = (seconds: number) => new Date(Date.now() + 3_600_000 + seconds * 1000)

  it.each([
    ['trialing', 'trialing', 0, 'business'],
    ['active', 'active', 96_000, 'business'],
    ['past_due', 'past_due', 96_000, 'business'],
    ['unpaid', 'unpaid', 0, 'business'],
    ['paused', 'paused', 0, 'free'],
    ['incomplete', 'incomplete', 0, 'free'],
    ['incomplete_expired', 'incomplete_expired', 0, 'free'],
    ['canceled', 'canceled', 0, 'free'],
    ['hibernating', 'unknown', 0, 'business'],
  ])('in the status %s is kept as %s', async (word, status, arrMinor, plan) => {
    const { id, slug } = await world.newTenant()
    const told = {
      ...(await world.read((await world.subscribed()).stripeId)),
      id: `sub_${randomBytes(8).toString('hex')}`,
      status: word,
    }
    await apply(id, told)
    expect(await world.rows(slug)).toMatchObject([
      { status, stripeStatus: word, arrMinor, pastDueSince: owing(word, told) },
    ])
    expect((await world.tenantRow(slug)).plan).toBe(plan)
  })
  const owing = (word: string, told: ProcessorSubscription) =>
    word === 'past_due' || word === 'unpaid'
      ? (told.currentPeriodStart?.toISOString() ?? null)
      : null

  it('of a payment missed in the middle of a year counts from its invoice, not from the year', async () => {
    const unpaid = await world.newTenant()
    expect((await world.call(unpaid.slug, '', terms)).status).toBe(201)
    const [invoice] = await world.processor().listInvoices(unpaid.customerId)
    expect(invoice).toMatchObject({ status: 'open', finalizedAt: expect.any(Date) })
    const { id, slug, stripeId } = await world.subscribed()
    const told = {
      ...(await world.read(stripeId)),
      status: 'past_due',
      currentPeriodStart: new Date(world.started.getTime() - 200 * 86_400_000),
      latestInvoiceId: invoice?.id ?? null,
    }
    await apply(id, told, later(1))
    expect((await world.rows(slug))[0].pastDueSince).toBe(invoice?.finalizedAt?.toISOString())
    const { body } = await testApp.request('GET', `/tenants/${slug}/billing`, { token: operator })
    expect(body.entitlements.state).toBe('grace')
  })

  it('ends the same whatever comes first, and what has ended stays so', async () => {
    const states = (base: ProcessorSubscription): [ProcessorSubscription, Date][] => [
      [{ ...base, seats: 11 }, later(1)],
      [{ ...base, seats: 12, status: 'past_due' }, later(2)],
      [
        { ...base, seats: 12, status: 'canceled', endedAt: later(3), canceledAt: later(3) },
        later(3),
      ],
    ]
    for (const order of [
      [0, 1, 2],
      [0, 2, 1],
      [1, 0, 2],
      [1, 2, 0],
      [2, 0, 1],
      [2, 1, 0],
      [2, 2, 1, 0, 2],
    ]) {
      const { id, slug, stripeId } = await world.subscribed()
      const told = states(await world.read(stripeId))
      for (const index of order) {
        const [state, at] = told[index] ?? told[0] ?? []
        if (state && at) await apply(id, state, at, `evt_${index}`)
      }
      expect(await world.rows(slug), order.join()).toMatchObject([
        { status: 'canceled', seats: 12, arrMinor: 0, pending: null },
      ])
    }
  })

  it('late of an earlier time changes nothing and is told so', async () => {
    const { id, stripeId, slug } = await world.subscribed()
    const base = await world.read(stripeId)
    const at = later(5)
    expect(await apply(id, { ...base, seats: 20 }, at)).toMatchObject({
      before: { seats: 10 },
      after: { seats: 20 },
    })
    const earlier = new Date(at.getTime() - 1_000)
    expect(await apply(id, { ...base, seats: 15 }, earlier)).toBeUndefined()
    expect(await world.rows(slug)).toMatchObject([{ seats: 20 }])
  })

  it('again writes no second state', async () => {
    const { id, stripeId } = await world.subscribed()
    const base = { ...(await world.read(stripeId)), seats: 20 }
    const first = await apply(id, base, later(1))
    await apply(id, base, later(2))
    const detail = (
      await testApp.request('GET', `/subscriptions/${first?.after.id}`, { token: operator })
    ).body
    expect(detail.history).toHaveLength(2)
    expect(detail.version).toBe(first?.after.version)
  })

  it.each([
    ['in order', [0, 1, 2, 3]],
    ['in reverse', [3, 2, 1, 0]],
    ['mixed', [2, 0, 3, 1, 2]],
  ])('is in the history from when it was so, events %s', async (_, order) => {
    const { id, slug, stripeId } = await world.subscribed()
    const base = await world.read(stripeId)
    const after = (hours: number) => new Date(world.started.getTime() + hours * 3_600_000)
    const events = [12, 10, 11, 13].map((seats, index) => ({ seats, at: after(index + 1) }))
    // The service reads the last state before any event of it comes.
    await world.at(after(6), () => apply(id, { ...base, seats: 13 }))
    for (const index of order) {
      const { seats, at } = events[index] ?? { seats: 0, at: after(0) }
      await world.at(after(7), () =>
        testApp.database.db.transaction().execute(async (trx) => {
          await insertInboxEvent(trx, {
            id: `evt_${slug}_${index}`,
            type: 'customer.subscription.updated',
            objectId: stripeId,
            apiVersion: null,
            created: at,
            livemode: false,
            payload: '{}',
            state: 'ignored_mode',
          })
          const row = await findSubscriptionByStripeId(trx, stripeId)
          if (!row) throw new Error('it has no row')
          await recordShownState(trx, testApp.app.services, row, { ...base, seats }, at)
        }),
      )
    }
    const [row] = await world.rows(slug)
    const { history } = (
      await testApp.request('GET', `/subscriptions/${row.id}`, { token: operator })
    ).body
    expect(
      history.map(({ seats, validFrom }: { seats: number; validFrom: string }) => [
        seats,
        validFrom,
      ]),
    ).toEqual([
      [13, after(4).toISOString()],
      [11, after(3).toISOString()],
      [10, after(2).toISOString()],
      [12, after(1).toISOString()],
      [10, base.created.toISOString()],
    ])
    expect(row).toMatchObject({ seats: 13 })
  })

  it('of a second subscription is rejected while the first runs, and taken when the first has ended there', async () => {
    const { id, slug, stripeId } = await world.subscribed()
    const other = { ...(await world.read(stripeId)), id: `sub_${randomBytes(8).toString('hex')}` }
    await expect(apply(id, other, later(1))).rejects.toMatchObject({ code: 'subscription_exists' })
    await world
      .processor()
      .cancelNow(stripeId, false, { idempotencyKey: randomBytes(8).toString('hex') })
    await apply(id, other, later(2))
    expect((await world.rows(slug)).map(({ status }: { status: string }) => status)).toEqual([
      'active',
      'canceled',
    ])
  })

  it('of a price that the catalog has not is kept with what the processor says', async () => {
    const { id, stripeId, slug } = await world.subscribed()
    await apply(
      id,
      {
        ...(await world.read(stripeId)),
        priceId: 'price_by_hand',
        perSeatAmount: null,
        periodAmount: 4_711,
        seats: 3,
      },
      later(1),
    )
    expect(await world.rows(slug)).toMatchObject([
      {
        priceId: null,
        stripePriceId: 'price_by_hand',
        periodAmount: 4_711,
        totalMinor: 4_711,
        plan: 'business',
      },
    ])
    expect(await findSubscriptionByStripeId(testApp.database.db, stripeId)).toMatchObject({
      plan: 'business',
    })
  })
})

describe('the price catalog at the payment processor', () => {
  const create = (fields: Record<string, unknown> = {}) =>
    testApp.request('POST', '/prices', {
      token: operator,
      body: {
        plan: 'free',
        cycle: 'month',
        state: 'active',
        amounts: [
          { currency: 'eur', unitAmount: 100 },
          { currency: 'usd', unitAmount: 110 },
        ],
        ...fields,
      },
    })

  it('gets a price per currency before it goes on sale, and loses the one before', async () => {
    const { body } = await create()
    expect(body).toMatchObject({
      state: 'active',
      amounts: [{ stripePriceId: expect.stringMatching(/^price_/), error: null }, { error: null }],
    })
    expect(
      new Set(body.amounts.map(({ stripePriceId }: { stripePriceId: string }) => stripePriceId))
        .size,
    ).toBe(2)
    const { body: second } = await testApp.request('PATCH', `/prices/${body.id}`, {
      token: operator,
      body: { amounts: [{ currency: 'eur', unitAmount: 120 }], leaveOut: ['usd'] },
    })
    expect(second).toMatchObject({ version: body.version + 1, state: 'active' })
    const { slug } = await world.newTenant('pm_card_visa')
    expect(await world.call(slug, '', { ...terms, plan: 'free' })).toMatchObject({
      status: 201,
      body: { subscription: { perSeatAmount: 120 } },
    })
    expect((await world.call(slug, '/preview', { seats: 12 })).body).toMatchObject({ exact: true })
    const { body: third } = await create({
      amounts: [{ currency: 'eur', unitAmount: 200 }],
      leaveOut: ['usd'],
    })
    expect(
      (await world.call(slug, '/preview', { seats: 12 })).body,
      'who subscribed keeps the old price',
    ).toMatchObject({
      after: { totalMinor: 1_440 },
    })
    expect((await world.change(slug, { seats: 12 })).answer).toMatchObject({
      status: 200,
      body: { subscription: { totalMinor: 1_440 } },
    })
    expect(
      (await testApp.request('GET', `/prices/${second.id}`, { token: operator })).body
        .subscriptions,
    ).toBe(1)
    await testApp.request('POST', `/prices/${third.id}/archive`, { token: operator, body: {} })
  })

  it('sells tiers for what the catalog computes', async () => {
    const tiers = [
      { upTo: 10, unitAmount: 1000, flatAmount: 0 },
      { upTo: null, unitAmount: 800, flatAmount: 0 },
    ]
    for (const [scheme, totalMinor] of [
      ['graduated', 13_200],
      ['volume', 11_200],
    ] as const) {
      const { body } = await create({
        scheme,
        amounts: [{ currency: 'eur', unitAmount: 0, tiers }],
        leaveOut: ['usd'],
      })
      expect(body.amounts).toMatchObject([{ error: null, tiers }])
      const { slug } = await world.newTenant('pm_card_visa')
      const answer = await world.call(slug, '', { ...terms, plan: 'free', seats: 14 })
      expect(answer.body.subscription, scheme).toMatchObject({
        totalMinor,
        periodAmount: totalMinor,
      })
    }
    const { body } = await create({
      scheme: 'flat',
      amounts: [{ currency: 'eur', unitAmount: 9_900 }],
      leaveOut: ['usd'],
    })
    expect(body.state).toBe('active')
    const { slug } = await world.newTenant('pm_card_visa')
    expect(
      (await world.call(slug, '', { ...terms, plan: 'free' })).body.subscription,
    ).toMatchObject({ totalMinor: 9_900 })
  })

  it('when it fails leaves a draft that says why, and a second try finishes it without a second price', async () => {
    world.fault({ mode: 'reset', match: 'POST /v1/prices', times: 100, after: true })
    const { status, body } = await create({ cycle: 'year' })
    expect({ status, state: body.state }).toEqual({ status: 201, state: 'draft' })
    for (const { error, stripePriceId } of body.amounts) {
      expect(stripePriceId).toBeNull()
      expect(error).toMatch(/payment processor/)
    }
    testApp.sandbox.clearFaults()
    const again = await testApp.request('POST', `/prices/${body.id}/activate`, {
      token: operator,
      body: {},
    })
    expect(again.body).toMatchObject({
      state: 'active',
      amounts: [{ error: null }, { error: null }],
    })
    const { items } = (
      await testApp.request('GET', '/audit?action=price.*&limit=2', { token: operator })
    ).body
    expect(items).toMatchObject([
      { action: 'price.activated', outcome: 'success' },
      { action: 'price.created', outcome: 'failure' },
    ])
  })

  it('that could not be told of an archived price is told when asked again', async () => {
    const { body } = await create({
      amounts: [{ currency: 'eur', unitAmount: 300 }],
      leaveOut: ['usd'],
    })
    world.fault({ mode: 'error', status: 503, match: 'POST /v1/prices', times: 100 })
    const archive = () =>
      testApp.request('POST', `/prices/${body.id}/archive`, { token: operator, body: {} })
    expect((await archive()).body).toMatchObject({
      state: 'archived',
      amounts: [{ error: expect.stringContaining('payment processor') }],
    })
    testApp.sandbox.clearFaults()
    expect((await archive()).body).toMatchObject({ state: 'archived', amounts: [{ error: null }] })
  })
})
