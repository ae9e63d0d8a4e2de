import { partnerIdOf } from '@atrium/testing/records'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  day,
  openSubscriptions,
  type SubscriptionsTestApp,
  terms,
} from './subscriptions-test-app.ts'

let world: SubscriptionsTestApp
let testApp: SubscriptionsTestApp['testApp']
let operator: string
let started: Date

beforeAll(async () => {
  world = await openSubscriptions()
  ;({ testApp, operator, started } = world)
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

describe('a manual subscription', () => {
  it('takes its price from the catalog, and the tenant follows it', async () => {
    const made = await world.subscribe()
    expect(made).toMatchObject({
      source: 'manual',
      status: 'active',
      perSeatAmount: 800,
      periodAmount: null,
      totalMinor: 8_000,
      arrMinor: 96_000,
      version: 1,
      currentPeriodStart: started.toISOString(),
      stripeSubscriptionId: null,
      cancelAtPeriodEnd: false,
      pending: null,
    })
    expect(made.priceId).not.toBeNull()
    expect(await world.tenant(made.tenantSlug)).toEqual({ plan: 'business', seats: 10 })
    expect(await world.auditOf(made.id)).toMatchObject([
      { action: 'subscription.created', actorType: 'operator', tenantSlug: made.tenantSlug },
    ])
  })

  it('may cost what was agreed, per seat or as a whole, also since an earlier day', async () => {
    const startAt = new Date(started.getTime() - 45 * day).toISOString()
    const each = await world.subscribe({ perSeatAmount: 650, startAt })
    expect(each).toMatchObject({ perSeatAmount: 650, totalMinor: 6_500, priceId: null })
    expect(
      new Date(each.currentPeriodStart) <= started && new Date(each.currentPeriodEnd) > started,
    ).toBe(true)
    expect((await world.read(each.id)).history).toMatchObject([
      { validFrom: startAt, validTo: null, arrMinor: 78_000 },
    ])
    expect(await world.subscribe({ periodAmount: 9_999 })).toMatchObject({
      periodAmount: 9_999,
      totalMinor: 9_999,
      perSeatAmount: 999,
    })
  })

  it('whose trial ended in the past counts as revenue from the end of the trial', async () => {
    const ago = (days: number) => new Date(started.getTime() - days * day).toISOString()
    const made = await world.subscribe({ startAt: ago(60), trialDays: 30 })
    expect(made).toMatchObject({ status: 'active', trialEnd: ago(30) })
    expect(new Date(made.currentPeriodEnd) > started).toBe(true)
    const { history } = await world.read(made.id)
    expect(history.toReversed()).toMatchObject([
      { status: 'trialing', arrMinor: 0, validFrom: ago(60), validTo: ago(30) },
      { status: 'active', arrMinor: 96_000, validFrom: ago(30), validTo: null },
    ])
  })

  it('never costs more than can be charged; a row that does hides no other one', async () => {
    const tenantSlug = await world.newTenant()
    const created = await testApp.request('POST', '/subscriptions', {
      token: operator,
      body: { ...terms, tenantSlug, seats: 1_000_000, perSeatAmount: 1_000_000_000 },
    })
    expect(created).toMatchObject({ status: 400, body: { issues: [{ path: 'seats' }] } })
    const { id } = await world.subscribe()
    const row = testApp.database.db.updateTable('subscriptions').where('id', '=', id)
    await row.set({ seats: 1_000_000, per_seat_amount: 1_000_000_000 }).execute()
    for (const path of [
      `/subscriptions/${id}`,
      '/subscriptions?limit=100',
      '/billing/overview',
      '/reports/mrr',
      '/reports/revenue-by-plan',
      '/reports/growth',
    ]) {
      const { status, body } = await testApp.request('GET', path, { token: operator })
      expect(status, `${path} ${JSON.stringify(body).slice(0, 300)}`).toBe(200)
    }
    await row.set({ seats: 10, per_seat_amount: 800 }).execute()
  })

  it('is one per tenant, also of two at once', async () => {
    const tenantSlug = await world.newTenant()
    const both = await Promise.all(
      [3, 4].map((seats) =>
        testApp.request('POST', '/subscriptions', {
          token: operator,
          body: { tenantSlug, ...terms, seats },
        }),
      ),
    )
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409])
    expect(both.find(({ status }) => status === 409)?.body.code).toBe('subscription_exists')
  })

  it.each([
    ['an unknown tenant', { tenantSlug: 'never-made' }, 'tenantSlug'],
    ['a beginning in the future', { startAt: new Date(Date.now() + day).toISOString() }, 'startAt'],
    ['negative seats', { seats: -4 }, 'seats'],
    ['a part of a seat', { seats: 2.5 }, 'seats'],
  ])('is refused for %s', async (_, fields, path) => {
    const body = { tenantSlug: await world.newTenant(), ...terms, ...fields }
    const response = await testApp.request('POST', '/subscriptions', { token: operator, body })
    expect(response).toMatchObject({
      status: 400,
      body: { code: 'invalid_input', issues: [{ path }] },
    })
  })

  it('is rejected in a currency that the price has not, and below what members have', async () => {
    const tenantSlug = await world.newTenant()
    const foreign = await testApp.request('POST', '/subscriptions', {
      token: operator,
      body: { tenantSlug, ...terms, currency: 'gbp' },
    })
    expect(foreign).toMatchObject({
      status: 409,
      body: { code: 'price_unavailable', issues: [{ path: 'currency' }] },
    })
    await world.mailboxes(tenantSlug, 2)
    await world.mailboxes(tenantSlug, 1, 'suspended')
    const few = await testApp.request('POST', '/subscriptions', {
      token: operator,
      body: { tenantSlug, ...terms, seats: 2 },
    })
    expect(few.body.issues).toEqual([
      { path: 'seats', message: 'There are 4 members. Remove members before their seats.' },
    ])
    // Whoever is about to choose can know it before.
    const offered = await testApp.request('GET', `/tenants/${tenantSlug}/prices`, {
      token: operator,
    })
    expect(offered).toMatchObject({ status: 200, body: { assignedSeats: 4 } })
  })

  it('of a deleted tenant is rejected', async () => {
    const tenantSlug = await world.newTenant()
    await testApp.request('DELETE', `/tenants/${tenantSlug}`, { token: operator })
    const response = await testApp.request('POST', '/subscriptions', {
      token: operator,
      body: { tenantSlug, ...terms },
    })
    expect(response).toMatchObject({ status: 409, body: { code: 'tenant_deleted' } })
  })
})

describe('an operator', () => {
  it('corrects everything of a manual one, and the history keeps every state', async () => {
    const { id, tenantSlug } = await world.subscribe()
    expect(await world.patch(id, { version: 1, seats: 12 })).toMatchObject({
      status: 200,
      body: { seats: 12, totalMinor: 9_600, version: 2 },
    })
    expect((await world.patch(id, { plan: 'enterprise', cycle: 'year' })).body).toMatchObject({
      perSeatAmount: 15_000,
      totalMinor: 180_000,
    })
    expect((await world.patch(id, { perSeatAmount: 14_000 })).body).toMatchObject({
      totalMinor: 168_000,
      priceId: null,
    })
    expect((await world.patch(id, { periodAmount: 150_000 })).body).toMatchObject({
      totalMinor: 150_000,
      arrMinor: 150_000,
    })
    expect((await world.patch(id, { periodAmount: null })).body).toMatchObject({
      totalMinor: 168_000,
      periodAmount: null,
    })
    expect(await world.tenant(tenantSlug)).toEqual({ plan: 'enterprise', seats: 12 })
    const { history } = await world.read(id)
    expect(
      history.map(({ seats, plan, arrMinor }: Record<string, unknown>) => [plan, seats, arrMinor]),
    ).toEqual([
      ...[
        ['enterprise', 12, 168_000],
        ['enterprise', 12, 150_000],
        ['enterprise', 12, 168_000],
        ['enterprise', 12, 180_000],
      ],
      ...[
        ['business', 12, 115_200],
        ['business', 10, 96_000],
      ],
    ])
    for (const [index, state] of history.entries())
      expect(state.validTo).toBe(history[index - 1]?.validFrom ?? null)
    expect((await world.auditOf(id)).map(({ action }: { action: string }) => action)).toEqual([
      ...['subscription.created', 'subscription.seats_changed', 'subscription.plan_changed'],
      ...['subscription.updated', 'subscription.updated', 'subscription.updated'],
    ])
  })

  it('is told when somebody else was first', async () => {
    const { id } = await world.subscribe()
    const both = await Promise.all([11, 12].map((seats) => world.patch(id, { version: 1, seats })))
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(both.find(({ status }) => status === 409)?.body.code).toBe('version_conflict')
  })

  it('moves the status where it can go, and nowhere else', async () => {
    const { id } = await world.subscribe()
    const move = async (status: string) => {
      const { body } = await world.patch(id, { status })
      return body.code ?? [body.status, body.arrMinor, body.pastDueSince]
    }
    expect(await move('past_due')).toEqual(['past_due', 96_000, started.toISOString()])
    expect(await move('unpaid')).toEqual(['unpaid', 0, started.toISOString()])
    expect(await move('active')).toEqual(['active', 96_000, null])
    expect(await move('paused')).toEqual(['paused', 0, null])
    expect(await move('past_due')).toBe('subscription_state')
    expect(await move('canceled')).toBe('subscription_state')
    expect(await move('incomplete')).toBe('subscription_state')
    expect(await move('active')).toEqual(['active', 96_000, null])
    expect(
      (await world.auditOf(id)).map(({ action }: { action: string }) => action).slice(1),
    ).toEqual([
      ...[
        'subscription.past_due',
        'subscription.updated',
        'subscription.recovered',
        'subscription.paused',
        'subscription.resumed',
      ],
    ])
  })

  it('ends it now: the row and its history stay, and a new one may begin', async () => {
    const { id, tenantSlug } = await world.subscribe()
    const response = await testApp.request('DELETE', `/subscriptions/${id}?comment=Moved%20away`, {
      token: operator,
    })
    expect(response.status).toBe(204)
    expect(await world.read(id)).toMatchObject({
      status: 'canceled',
      endedAt: started.toISOString(),
      cancelComment: 'Moved away',
      arrMinor: 0,
      history: [{ status: 'canceled', arrMinor: 0 }, { status: 'active' }],
    })
    expect(
      await testApp.request('DELETE', `/subscriptions/${id}`, { token: operator }),
    ).toMatchObject({
      body: { code: 'subscription_ended' },
    })
    expect(await world.patch(id, { seats: 3 })).toMatchObject({
      status: 409,
      body: { code: 'subscription_ended' },
    })
    await world.subscribe({}, tenantSlug)
    expect((await world.ofTenant(tenantSlug)).body).toMatchObject({ status: 'active' })
  })

  it('finds them by tenant, partner, status, plan, source, currency and words, page by page', async () => {
    const slug = await world.newTenant({ partnerSlug: 'north' })
    const first = await world.subscribe({ currency: 'usd' }, slug)
    await testApp.request('DELETE', `/subscriptions/${first.id}`, { token: operator })
    const second = await world.subscribe({ plan: 'starter' }, slug)
    const list = async (query: string) =>
      (await testApp.request('GET', `/subscriptions?${query}`, { token: operator })).body
    const ids = async (query: string) =>
      (await list(`q=${slug}&${query}`)).items.map(({ id }: { id: string }) => id)
    expect(await ids('')).toEqual([second.id, first.id])
    expect(await ids('status=canceled')).toEqual([first.id])
    expect(await ids('plan=starter')).toEqual([second.id])
    expect(await ids('currency=USD')).toEqual([first.id])
    expect(await ids('source=stripe')).toEqual([])
    expect(await ids(`tenantSlug=${slug}&partnerSlug=north`)).toEqual([second.id, first.id])
    expect(await ids('partnerSlug=south')).toEqual([])
    const page = await list(`q=${slug}&limit=1`)
    expect((await list(`q=${slug}&limit=1&cursor=${page.nextCursor}`)).items).toMatchObject([
      { id: first.id },
    ])
  })

  it('reads the state of a past moment', async () => {
    const startAt = new Date(started.getTime() - 10 * day)
    const { id } = await world.subscribe({ startAt: startAt.toISOString() })
    await world.patch(id, { seats: 20 })
    const seatsAt = async (moment: Date) =>
      (await world.read(id, `?asOf=${moment.toISOString()}`)).history.map(
        ({ seats }: { seats: number }) => seats,
      )
    expect(await seatsAt(new Date(startAt.getTime() - 1))).toEqual([])
    expect(await seatsAt(startAt)).toEqual([10])
    expect(await seatsAt(new Date(started.getTime() - 1))).toEqual([10])
    expect(await seatsAt(started)).toEqual([20])
  })

  it.each(['no-id', '00000000-0000-0000-0000-000000000000'])(
    'is told that there is no subscription %s',
    async (id) => {
      expect(
        await testApp.request('GET', `/subscriptions/${id}`, { token: operator }),
      ).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      })
      expect(await world.patch(id, { seats: 2 })).toMatchObject({ status: 404 })
      expect(
        await testApp.request('DELETE', `/subscriptions/${id}`, { token: operator }),
      ).toMatchObject({ status: 404 })
    },
  )
})

it('a trial is moved and ended by an operator', async () => {
  const { id } = await world.subscribe({ trialDays: 14 })
  const trialEnd = new Date(started.getTime() + 30 * day).toISOString()
  expect((await world.patch(id, { trialEnd })).body).toMatchObject({
    trialEnd,
    currentPeriodEnd: trialEnd,
    status: 'trialing',
  })
  expect((await world.patch(id, { trialEnd: started.toISOString() })).body.issues).toMatchObject([
    { path: 'trialEnd' },
  ])
  expect((await world.patch(id, { status: 'active' })).body).toMatchObject({
    status: 'active',
    trialEnd: started.toISOString(),
  })
  expect((await world.patch(id, { trialEnd })).body.issues).toMatchObject([{ path: 'trialEnd' }])
})

describe('seats that are given back at once', () => {
  const invite = (slug: string, name: string) =>
    testApp.request('POST', `/tenants/${slug}/users`, {
      token: operator,
      body: { email: `${name}@outside.example` },
    })

  it('are never fewer than the members, agreed on or not', async () => {
    const { id, tenantSlug } = await world.subscribe({ seats: 20, trialDays: 14 })
    await world.mailboxes(tenantSlug, 2)
    for (const change of [{ seats: 2 }, { seats: 2, perSeatAmount: 500 }])
      expect(await world.patch(id, change)).toMatchObject({
        status: 400,
        body: { issues: [{ path: 'seats' }] },
      })
    expect((await world.patch(id, { seats: 3, perSeatAmount: 500 })).body.seats).toBe(3)
  })

  it('are not taken by members who are added at that moment', async () => {
    for (let round = 0; round < 6; round += 1) {
      const { id, tenantSlug: slug } = await world.subscribe({ seats: 20, trialDays: 14 })
      await Promise.all([
        ...[1, 2, 3].map((n) => invite(slug, `${slug}-${n}`)),
        world.patch(id, { seats: 1 }),
        ...[4, 5, 6].map((n) => invite(slug, `${slug}-${n}`)),
      ])
      const { body } = await testApp.request('GET', `/tenants/${slug}`, { token: operator })
      expect(body.seats).toBeGreaterThanOrEqual(body.memberCount)
    }
  })
})

it('plan and seats of the tenant are changed by the subscription alone while it runs', async () => {
  const { id, tenantSlug } = await world.subscribe()
  const change = (body: Record<string, unknown>) =>
    testApp.request('PATCH', `/tenants/${tenantSlug}`, { token: operator, body })
  const message = 'Plan and seats follow the subscription. Change them there.'
  expect(await change({ seats: 11 })).toMatchObject({
    status: 409,
    body: { code: 'subscription_exists', issues: [{ path: 'seats', message }] },
  })
  expect(await change({ plan: 'starter' })).toMatchObject({
    status: 409,
    body: { issues: [{ path: 'plan', message }] },
  })
  expect(await change({ seats: 10, plan: 'business', name: 'Renamed' })).toMatchObject({
    status: 200,
    body: { name: 'Renamed' },
  })
  await testApp.request('DELETE', `/subscriptions/${id}`, { token: operator })
  expect(await change({ plan: 'free', seats: 1 })).toMatchObject({
    status: 200,
    body: { plan: 'free', seats: 1 },
  })
})

it('the partner that a tenant moves to stands in the history from then on', async () => {
  const { id, tenantSlug } = await world.subscribe()
  const partnerId = await partnerIdOf(testApp.database.db, 'north')
  await testApp.request('PATCH', `/tenants/${tenantSlug}`, { token: operator, body: { partnerId } })
  expect((await world.read(id)).history).toMatchObject([
    { partnerSlug: 'north', validTo: null },
    { partnerSlug: null },
  ])
})
