import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  day,
  openSubscriptions,
  type SubscriptionsTestApp,
  terms,
} from './subscriptions-test-app.ts'

let world: SubscriptionsTestApp
let testApp: SubscriptionsTestApp['testApp']
let owner: string
let partner: string
let started: Date

beforeAll(async () => {
  world = await openSubscriptions()
  ;({ testApp, owner, partner, started } = world)
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

describe('people of a tenant', () => {
  it('read their subscription, and none where there is none', async () => {
    const slug = await world.newTenant()
    expect((await world.ofTenant(slug)).body).toBeNull()
    await world.subscribe({}, slug)
    await world.mailboxes(slug, 1)
    const { body } = await world.ofTenant(slug)
    expect(body).toMatchObject({ plan: 'business', seats: 10, assignedSeats: 2 })
    for (const field of [
      'stripeSubscriptionId',
      'stripePriceId',
      'tenantId',
      'partnerSlug',
      'arrMinor',
    ])
      expect(body).not.toHaveProperty(field)
  })

  it('see what they can buy: what is on sale, visible and offered to them', async () => {
    const slug = await world.newTenant()
    const { body } = await testApp.request('GET', `/tenants/${slug}/prices`, { token: owner })
    expect(body.items.map(({ plan, cycle }: Record<string, string>) => `${plan}.${cycle}`)).toEqual(
      [
        ...[
          'starter.month',
          'starter.year',
          'business.month',
          'business.year',
          'enterprise.month',
          'enterprise.year',
        ],
      ],
    )
    expect(body.items[0].amounts).toEqual([
      { currency: 'eur', unitAmount: 400, tiers: null, payable: true },
      { currency: 'usd', unitAmount: 400, tiers: null, payable: true },
    ])
  })

  it('take more seats at once, for the estimate that they were shown', async () => {
    const {
      tenantSlug: slug,
      id,
      currentPeriodEnd,
    } = await world.subscribe({ startAt: new Date(started.getTime() - 10 * day).toISOString() })
    const preview = await world.quoted(slug, { seats: 14 })
    expect(preview).toMatchObject({
      effect: 'now',
      exact: false,
      currency: 'eur',
      taxMinor: 0,
      nextAmountMinor: 11_200,
      before: { seats: 10, totalMinor: 8_000 },
      after: { seats: 14, totalMinor: 11_200 },
      quote: { version: 1 },
    })
    expect(preview.lines.map(({ periodEnd }: { periodEnd: string }) => periodEnd)).toEqual([
      currentPeriodEnd,
      currentPeriodEnd,
    ])
    expect(preview.totalMinor).toBe(preview.lines[0].amountMinor + preview.lines[1].amountMinor)
    expect(preview.lines[0].amountMinor < 0 && preview.totalMinor > 0).toBe(true)
    const { status, body } = await world.ofTenant(slug, '/change', {
      seats: 14,
      quote: preview.quote,
    })
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { outcome: 'applied', subscription: { seats: 14, version: 2 } },
    })
    expect(await world.tenant(slug)).toEqual({ plan: 'business', seats: 14 })
    expect((await world.auditOf(id)).at(-1)).toMatchObject({
      action: 'subscription.seats_changed',
      actorType: 'operator',
      metadata: { changes: { seats: [10, 14] } },
    })
  })

  it('give seats back with the end of the period, and can take that back before', async () => {
    const { tenantSlug: slug, id, currentPeriodEnd } = await world.subscribe()
    const preview = await world.quoted(slug, { seats: 6 })
    expect(preview).toMatchObject({
      effect: 'period_end',
      effectiveAt: currentPeriodEnd,
      lines: [],
      totalMinor: 0,
      nextAmountMinor: 4_800,
    })
    const { body } = await world.ofTenant(slug, '/change', { seats: 6, quote: preview.quote })
    const pending = { seats: 6, effectiveAt: currentPeriodEnd, requestedBy: 'operator@atrium.test' }
    expect(body).toMatchObject({ outcome: 'scheduled', subscription: { seats: 10, pending } })
    expect((await world.read(id)).history).toHaveLength(1)
    const remove = () =>
      testApp.request('DELETE', `/tenants/${slug}/subscription/pending`, { token: owner })
    expect((await remove()).status).toBe(204)
    expect((await world.read(id)).pending).toBeNull()
    expect(await remove()).toMatchObject({ status: 404 })
    await world.settleAt(new Date(Date.parse(currentPeriodEnd) + 1))
    expect((await world.read(id)).seats).toBe(10)
  })

  it('cannot have fewer seats than members', async () => {
    const { tenantSlug: slug } = await world.subscribe()
    await world.mailboxes(slug, 3)
    const rejected = await world.ofTenant(slug, '/preview', { seats: 3 })
    expect(rejected).toMatchObject({ status: 400, body: { issues: [{ path: 'seats' }] } })
    expect((await world.quoted(slug, { seats: 4 })).effect).toBe('period_end')
  })

  it('lose a quote to another change, to time and to a price', async () => {
    const { tenantSlug: slug } = await world.subscribe()
    const [one, two] = [
      await world.quoted(slug, { seats: 11 }),
      await world.quoted(slug, { seats: 12 }),
    ]
    const both = await Promise.all([
      world.ofTenant(slug, '/change', { seats: 11, quote: one.quote }),
      world.ofTenant(slug, '/change', { seats: 12, quote: two.quote }),
    ])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(both.find(({ status }) => status === 409)?.body.code).toBe('quote_expired')
    const late = await world.quoted(slug, { seats: 15 })
    const prorationDate = new Date(started.getTime() - 11 * 60_000).toISOString()
    const old = { ...late.quote, prorationDate }
    expect(await world.ofTenant(slug, '/change', { seats: 15, quote: old })).toMatchObject({
      status: 409,
      body: { code: 'quote_expired' },
    })
    const elsewhere = { ...late.quote, priceId: '018f0000-0000-7000-8000-000000000000' }
    expect((await world.ofTenant(slug, '/change', { seats: 15, quote: elsewhere })).body.code).toBe(
      'quote_expired',
    )
    const ahead = { ...late.quote, prorationDate: new Date(started.getTime() + day).toISOString() }
    expect((await world.ofTenant(slug, '/change', { seats: 15, quote: ahead })).body.code).toBe(
      'quote_expired',
    )
  })

  it.each([
    ['nothing that changes', { seats: 10 }, 400, 'invalid_input'],
    ['another currency', { seats: 11, currency: 'usd' }, 409, 'currency_locked'],
    ['only another currency', { currency: 'usd' }, 409, 'currency_locked'],
    ['a plan that is not on sale', { plan: 'free' }, 409, 'price_unavailable'],
    ['no field', {}, 400, 'invalid_input'],
    ['negative seats', { seats: -1 }, 400, 'invalid_input'],
    ['half a seat', { seats: 10.5 }, 400, 'invalid_input'],
  ])('are refused %s', async (_, change, status, code) => {
    const { tenantSlug: slug } = await world.subscribe()
    expect(await world.ofTenant(slug, '/preview', change)).toMatchObject({ status, body: { code } })
  })

  it('change the plan: dearer at once, cheaper with the period, by the year at once with a new period', async () => {
    const {
      tenantSlug: slug,
      id,
      currentPeriodEnd,
    } = await world.subscribe({ startAt: new Date(started.getTime() - 10 * day).toISOString() })
    const up = await world.quoted(slug, { plan: 'enterprise' })
    expect(up).toMatchObject({ effect: 'now', after: { totalMinor: 15_000 } })
    await world.ofTenant(slug, '/change', { plan: 'enterprise', quote: up.quote })
    expect(await world.read(id)).toMatchObject({
      plan: 'enterprise',
      perSeatAmount: 1_500,
      currentPeriodEnd,
    })
    const down = await world.quoted(slug, { plan: 'starter' })
    expect(down).toMatchObject({ effect: 'period_end', effectiveAt: currentPeriodEnd })
    await world.ofTenant(slug, '/change', { plan: 'starter', quote: down.quote })
    expect(await world.read(id)).toMatchObject({ plan: 'enterprise', pending: { plan: 'starter' } })
    const yearly = await world.quoted(slug, { cycle: 'year' })
    expect(yearly).toMatchObject({ effect: 'now', after: { cycle: 'year', totalMinor: 150_000 } })
    expect(yearly.lines[1].amountMinor).toBe(150_000)
    await world.ofTenant(slug, '/change', { cycle: 'year', quote: yearly.quote })
    expect(await world.read(id)).toMatchObject({
      cycle: 'year',
      currentPeriodStart: started.toISOString(),
      pending: { plan: 'starter' },
    })
    expect(await world.quoted(slug, { cycle: 'month' })).toMatchObject({ effect: 'period_end' })
  })

  it('end it with the period and keep it before that', async () => {
    const { tenantSlug: slug, id, currentPeriodEnd } = await world.subscribe()
    const canceled = await world.ofTenant(slug, '/cancel', { comment: 'Too dear' })
    expect(canceled).toMatchObject({
      status: 200,
      body: {
        status: 'active',
        cancelAtPeriodEnd: true,
        cancelAt: currentPeriodEnd,
        cancelComment: 'Too dear',
      },
    })
    expect(await world.ofTenant(slug, '/preview', { seats: 12 })).toMatchObject({
      status: 409,
      body: { code: 'uncancel_first' },
    })
    expect((await world.ofTenant(slug, '/cancel', {})).status).toBe(200)
    expect(await world.ofTenant(slug, '/keep', {})).toMatchObject({
      body: { cancelAtPeriodEnd: false, cancelAt: null, canceledAt: null },
    })
    await world.settleAt(new Date(Date.parse(currentPeriodEnd) + 1))
    expect(await world.read(id)).toMatchObject({ status: 'active' })
    expect(
      (await world.auditOf(id)).map(({ action }: { action: string }) => action).slice(1),
    ).toEqual([...['subscription.canceled', 'subscription.kept', 'subscription.updated']])
  })

  it('who are no admins change nothing', async () => {
    const member = await testApp.token('member@acme.test')
    for (const path of ['/preview', '/cancel', '/keep']) {
      expect(
        (await world.ofTenant('acme', path, path === '/preview' ? { seats: 2 } : {}, member)).body
          .code,
      ).toBe('not_admin')
    }
  })

  it('who start one are rejected while billing is switched off', async () => {
    const slug = await world.newTenant()
    const response = await world.ofTenant(slug, '', { ...terms })
    expect(response).toMatchObject({ status: 409, body: { code: 'billing_disabled' } })
  })
})

describe('staff of the partner', () => {
  it('and owners are sent to the operator, who agreed on it, for every change', async () => {
    const slug = await world.newTenant({ partnerSlug: 'north' })
    await world.subscribe({}, slug)
    const { quote } = await world.quoted(slug, { seats: 11 })
    for (const token of [partner, world.owner])
      for (const [path, body] of [
        ['/preview', { seats: 11 }],
        ['/change', { seats: 11, quote }],
      ] as const)
        expect(await world.ofTenant(slug, path, body, token)).toMatchObject({
          status: 409,
          body: {
            code: 'operator_managed',
            detail: expect.stringContaining('Contact the operator'),
          },
        })
  })

  it('end it, and cannot take that back: it would be charged again', async () => {
    const slug = await world.newTenant({ partnerSlug: 'north' })
    const { id } = await world.subscribe({}, slug)
    expect(await world.ofTenant(slug, '/cancel', {}, partner)).toMatchObject({ status: 200 })
    expect((await world.auditOf(id)).at(-1)).toMatchObject({
      actorType: 'partner',
      partnerSlug: 'north',
      metadata: { onBehalfOf: slug },
    })
    expect(await world.ofTenant(slug, '/keep', {}, partner)).toMatchObject({
      status: 409,
      body: { code: 'approval_required' },
    })
    expect(await world.ofTenant(slug, '/keep', {})).toMatchObject({ status: 200 })
  })

  it('reach the customers of no other partner', async () => {
    const { tenantSlug: foreign } = await world.subscribe()
    expect((await world.ofTenant(foreign, '/preview', { seats: 11 }, partner)).status).toBe(404)
    expect((await world.ofTenant(foreign, '', undefined, partner)).status).toBe(403)
  })
})

describe('the job', () => {
  it('begins the next period at the moment at which the last one ended, also after a standstill', async () => {
    const { id, currentPeriodEnd } = await world.subscribe()
    await world.settleAt(new Date(Date.parse(currentPeriodEnd) - 1))
    expect((await world.read(id)).currentPeriodEnd).toBe(currentPeriodEnd)
    await world.settleAt(new Date(Date.parse(currentPeriodEnd) + 70 * day))
    const later = await world.read(id)
    expect(Date.parse(later.currentPeriodEnd)).toBeGreaterThan(
      Date.parse(currentPeriodEnd) + 70 * day,
    )
    expect(later.history).toHaveLength(1)
  })

  it('carries out what waited, from the end of the period on, once', async () => {
    const { id, tenantSlug: slug, currentPeriodEnd } = await world.subscribe()
    const { quote } = await world.quoted(slug, { seats: 6, plan: 'starter' })
    await world.ofTenant(slug, '/change', { seats: 6, plan: 'starter', quote })
    await Promise.all([
      world.settleAt(new Date(Date.parse(currentPeriodEnd) + 1)),
      world.settleAt(new Date(Date.parse(currentPeriodEnd) + 1)),
    ])
    const { history, ...after } = await world.read(id)
    expect(after).toMatchObject({ plan: 'starter', seats: 6, pending: null, perSeatAmount: 400 })
    expect(history).toMatchObject([
      { plan: 'starter', seats: 6, validFrom: currentPeriodEnd },
      { plan: 'business', seats: 10, validTo: currentPeriodEnd },
    ])
    expect(await world.tenant(slug)).toEqual({ plan: 'starter', seats: 6 })
    expect((await world.auditOf(id)).at(-1)).toMatchObject({
      action: 'subscription.plan_changed',
      actorType: 'system',
    })
  })

  it('never leaves fewer seats than members got meanwhile', async () => {
    const { id, tenantSlug: slug, currentPeriodEnd } = await world.subscribe()
    const { quote } = await world.quoted(slug, { seats: 2 })
    await world.ofTenant(slug, '/change', { seats: 2, quote })
    await world.mailboxes(slug, 4)
    await world.settleAt(new Date(Date.parse(currentPeriodEnd) + 1))
    expect(await world.read(id)).toMatchObject({ seats: 5, pending: null })
  })

  it('lets nobody take the seats that end within the hour', async () => {
    const { id, tenantSlug: slug } = await world.subscribe()
    const { quote } = await world.quoted(slug, { seats: 2 })
    await world.ofTenant(slug, '/change', { seats: 2, quote })
    const invite = (name: string) =>
      testApp.request('POST', `/tenants/${slug}/users`, {
        token: world.owner,
        body: { email: `${name}@${slug}.tenants.local` },
      })
    expect((await invite('first')).status).toBe(201)
    await testApp.database.db
      .updateTable('subscriptions')
      .set({
        pending: JSON.stringify({
          seats: 2,
          requestedBy: null,
          effectiveAt: new Date(world.started.getTime() + 1_800_000).toISOString(),
        }),
      })
      .where('id', '=', id)
      .execute()
    expect(await invite('second')).toMatchObject({
      status: 409,
      body: { code: 'seats_exhausted' },
    })
  })

  it('drops what is no longer possible, and says why', async () => {
    const { id, tenantSlug: slug, currentPeriodEnd } = await world.subscribe()
    const { quote } = await world.quoted(slug, { plan: 'starter' })
    await world.ofTenant(slug, '/change', { plan: 'starter', quote })
    const starter = testApp.database.db
      .updateTable('prices')
      .where('plan', '=', 'starter')
      .where('cycle', '=', 'month')
    await starter.set({ state: 'archived' }).execute()
    await world
      .settleAt(new Date(Date.parse(currentPeriodEnd) + 1))
      .finally(() => starter.set({ state: 'active' }).execute())
    expect(await world.read(id)).toMatchObject({
      plan: 'business',
      pending: null,
      pendingError: 'The plan starter is not on sale per month.',
    })
    expect((await world.auditOf(id)).at(-1)).toMatchObject({
      outcome: 'failure',
      metadata: { dropped: 'The plan starter is not on sale per month.' },
    })
  })

  it('ends trials: active from that moment, or over when it was canceled', async () => {
    const [stays, goes] = [
      await world.subscribe({ trialDays: 14 }),
      await world.subscribe({ trialDays: 14 }),
    ]
    expect(stays).toMatchObject({
      status: 'trialing',
      arrMinor: 0,
      trialEnd: stays.currentPeriodEnd,
    })
    expect(await world.tenant(stays.tenantSlug)).toEqual({ plan: 'business', seats: 10 })
    const inTrial = await world.quoted(stays.tenantSlug, { seats: 4 })
    expect(inTrial).toMatchObject({
      effect: 'now',
      totalMinor: 0,
      lines: [],
      nextAmountMinor: 3_200,
    })
    await world.ofTenant(stays.tenantSlug, '/change', { seats: 4, quote: inTrial.quote })
    await world.ofTenant(goes.tenantSlug, '/cancel', {})
    const trialEnd = new Date(stays.trialEnd)
    await world.settleAt(trialEnd)
    expect(await world.read(stays.id)).toMatchObject({
      status: 'active',
      seats: 4,
      arrMinor: 38_400,
      currentPeriodStart: stays.trialEnd,
      history: [
        { status: 'active', validFrom: stays.trialEnd },
        { status: 'trialing', seats: 4 },
        { status: 'trialing', seats: 10 },
      ],
    })
    expect(await world.read(goes.id)).toMatchObject({ status: 'canceled', endedAt: goes.trialEnd })
    expect((await world.auditOf(goes.id)).at(-1)).toMatchObject({
      action: 'subscription.canceled',
      actorType: 'system',
    })
  })

  it('ends what was canceled with its period', async () => {
    const { id, tenantSlug: slug, currentPeriodEnd } = await world.subscribe()
    await world.ofTenant(slug, '/cancel', {})
    await world.settleAt(new Date(Date.parse(currentPeriodEnd) + 3 * day))
    expect(await world.read(id)).toMatchObject({
      status: 'canceled',
      endedAt: currentPeriodEnd,
      cancelAtPeriodEnd: true,
      history: [
        { status: 'canceled', validFrom: currentPeriodEnd },
        { cancelAtPeriodEnd: true },
        { cancelAtPeriodEnd: false },
      ],
    })
  })
})
