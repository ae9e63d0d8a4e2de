import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  openPaidSubscriptions,
  type PaidSubscriptionsTestApp,
} from './paid-subscriptions-test-app.ts'

let world: PaidSubscriptionsTestApp
let testApp: PaidSubscriptionsTestApp['testApp']
let owner: string

beforeAll(async () => {
  world = await openPaidSubscriptions()
  ;({ testApp, owner } = world)
}, 60_000)
afterAll(() => world[Symbol.asyncDispose]())

/** Somebody on the tenant's own domain. */
const person = (slug: string) => ({
  email: `${randomBytes(6).toString('hex')}@${slug}.tenants.local`,
})
const add = (slug: string, fields: Record<string, unknown> = {}, token = owner) =>
  testApp.request('POST', `/tenants/${slug}/users`, { token, body: { ...person(slug), ...fields } })
const tenantOf = async (slug: string) =>
  (await testApp.request('GET', `/tenants/${slug}`, { token: owner })).body
const change = (slug: string, body: Record<string, unknown>, token = owner) =>
  testApp.request('PATCH', `/tenants/${slug}`, { token, body })

/** A tenant that pays for ten seats, all of them taken. */
async function paying(card?: string): Promise<{ slug: string; id: string; seats: number }> {
  const { slug, id, subscription } = await world.subscribed(card)
  const { db } = testApp.database
  const { memberCount } = await tenantOf(slug)
  for (let n = memberCount; n < subscription.seats; n++) {
    const email = `${randomBytes(6).toString('hex')}@example.com`
    const user = { idp_subject_id: randomBytes(32).toString('hex'), email, name: 'Member' }
    const made = await db.insertInto('users').values(user).returning('id').executeTakeFirstOrThrow()
    await db
      .insertInto('memberships')
      .values({ tenant_id: id, user_id: made.id, role: 'member', status: 'active' })
      .execute()
  }
  return { slug, id, seats: subscription.seats }
}
async function quoteFor(slug: string, seats: number) {
  const { status, body } = await world.call(slug, '/preview', { seats })
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

describe('the seat mode of a tenant', () => {
  it('is fixed at first, and changed and recorded like its other settings', async () => {
    const { slug } = await world.newTenant()
    expect(await tenantOf(slug)).toMatchObject({ seatMode: 'fixed', seats: 1 })
    expect((await change(slug, { seatMode: 'auto' })).body).toMatchObject({ seatMode: 'auto' })
    const { body } = await testApp.request('GET', `/tenants/${slug}/audit?action=tenant.updated`, {
      token: owner,
    })
    expect(body.items[0]).toMatchObject({ metadata: { changes: { seatMode: ['fixed', 'auto'] } } })
    expect((await change(slug, { seatMode: 'sometimes' })).body).toMatchObject({
      code: 'invalid_input',
      issues: [{ path: 'seatMode' }],
    })
    const outsider = await testApp.token('owner@globex.test')
    expect((await change(slug, { seatMode: 'fixed' }, outsider)).status).toBe(404)
  })

  it('may change while a subscription runs, which seats themselves may not', async () => {
    const { slug } = await world.subscribed()
    expect((await change(slug, { seatMode: 'auto' })).body).toMatchObject({ seatMode: 'auto' })
    expect((await change(slug, { seats: 99 })).body).toMatchObject({ code: 'subscription_exists' })
  })
})

describe('without a subscription', () => {
  it('fixed seats reject a member more, automatic ones follow the members', async () => {
    const { slug } = await world.newTenant()
    expect((await add(slug)).body).toMatchObject({
      code: 'seats_exhausted',
      detail: 'All 1 seats of the tenant are taken.',
    })
    await change(slug, { seatMode: 'auto' })
    expect((await add(slug)).status).toBe(201)
    expect(await tenantOf(slug)).toMatchObject({ seats: 2, memberCount: 2 })
    const { body } = await testApp.request('GET', `/tenants/${slug}/audit?action=member.created`, {
      token: owner,
    })
    expect(body.items[0]).toMatchObject({ metadata: { seats: [1, 2] } })
  })

  it('several at once get a seat each', async () => {
    const { slug } = await world.newTenant()
    await change(slug, { seatMode: 'auto' })
    const responses = await Promise.all(Array.from({ length: 5 }, () => add(slug)))
    expect(responses.map(({ status }) => status)).toEqual(Array(5).fill(201))
    expect(await tenantOf(slug)).toMatchObject({ seats: 6, memberCount: 6 })
  })

  it('0 seats are all that the tenant is entitled to', async () => {
    const { slug } = await world.newTenant()
    expect((await change(slug, { seats: 0 })).body).toMatchObject({
      seats: testApp.config.billing.freeSeats,
    })
    expect((await change(slug, { seats: 0 }, world.operator)).body).toMatchObject({
      seats: testApp.config.billing.freeSeats,
    })
    expect((await change(slug, { plan: 'starter', seats: 0 }, world.operator)).body).toMatchObject({
      seats: 0,
    })
    await change(slug, { seatMode: 'auto' })
    expect((await add(slug)).status).toBe(201)
    expect(await tenantOf(slug)).toMatchObject({ seats: 0, memberCount: 2 })
  })

  it('an import counts with them too', async () => {
    const { slug } = await world.newTenant()
    const csv = 'email\nfirst@example.com\nsecond@example.com\n'
    const judged = async () =>
      (
        await testApp.request('POST', `/tenants/${slug}/user-imports`, {
          token: owner,
          body: { csv, dryRun: true },
        })
      ).body.rows
    expect((await judged()).map(({ code }: { code: string | null }) => code)).toEqual([
      'seats_exhausted',
      'seats_exhausted',
    ])
    await change(slug, { seatMode: 'auto' })
    expect((await judged()).map(({ code }: { code: string | null }) => code)).toEqual([null, null])
  })
})

describe('with a subscription', () => {
  it('a member more is rejected until its price is confirmed, then the seat is bought and the member made', async () => {
    const { slug, seats } = await paying()
    await change(slug, { seatMode: 'auto' })
    expect((await add(slug)).body).toMatchObject({
      code: 'seats_exhausted',
      detail: expect.stringContaining('requires consent to its price'),
    })
    const { quote, totalMinor, after } = await quoteFor(slug, seats + 1)
    expect({ after, charged: totalMinor > 0 }).toMatchObject({
      after: { seats: seats + 1 },
      charged: true,
    })
    const response = await add(slug, { seatRaise: { seats: seats + 1, quote } })
    expect(response.status, JSON.stringify(response.body)).toBe(201)
    expect(await tenantOf(slug)).toMatchObject({ seats: seats + 1, memberCount: seats + 1 })
    expect(await world.rows(slug)).toMatchObject([{ seats: seats + 1, status: 'active' }])
    const { body } = await testApp.request('GET', `/tenants/${slug}/audit`, { token: owner })
    expect(body.items.map(({ action }: { action: string }) => action)).toEqual(
      expect.arrayContaining(['member.created', 'subscription.seats_changed']),
    )
  })

  it('nothing is bought for a member who is rejected for another reason, or when a seat is free', async () => {
    const { slug, id, seats } = await paying()
    await change(slug, { seatMode: 'auto' })
    const seatRaise = { seats: seats + 1, quote: (await quoteFor(slug, seats + 1)).quote }
    expect((await add(slug, { email: 'owner@acme.test', seatRaise })).body).toMatchObject({
      code: 'email_taken',
    })
    expect((await add(slug, { email: 'not an address', seatRaise })).body).toMatchObject({
      code: 'invalid_input',
    })
    expect(await world.rows(slug)).toMatchObject([{ seats }])
    const { db } = testApp.database
    const leaving = await db
      .selectFrom('memberships')
      .select('user_id')
      .where('tenant_id', '=', id)
      .where('role', '=', 'member')
      .executeTakeFirstOrThrow()
    await db
      .deleteFrom('memberships')
      .where('tenant_id', '=', id)
      .where('user_id', '=', leaving.user_id)
      .execute()
    expect((await add(slug, { seatRaise })).status).toBe(201)
    expect(await world.rows(slug)).toMatchObject([{ seats }])
  })

  it('fixed seats are not bought by the way', async () => {
    const { slug, seats } = await paying()
    const { quote } = await quoteFor(slug, seats + 1)
    expect((await add(slug, { seatRaise: { seats: seats + 1, quote } })).body).toMatchObject({
      code: 'seats_exhausted',
    })
    expect(await world.rows(slug)).toMatchObject([{ seats }])
  })

  it('a quote for too few seats, an old one and a forged one buy nothing', async () => {
    const { slug, seats } = await paying()
    await change(slug, { seatMode: 'auto' })
    const { quote } = await quoteFor(slug, seats + 1)
    expect((await add(slug, { seatRaise: { seats, quote } })).body).toMatchObject({
      code: 'seats_exhausted',
      issues: [{ path: 'seatRaise.seats' }],
    })
    for (const wrong of [
      { ...quote, version: quote.version + 1 },
      {
        ...quote,
        prorationDate: new Date(Date.parse(quote.prorationDate) - 3_600_000).toISOString(),
      },
      { ...quote, priceId: '00000000-0000-7000-8000-000000000000' },
    ]) {
      expect(
        (await add(slug, { seatRaise: { seats: seats + 1, quote: wrong } })).body,
      ).toMatchObject({ code: 'quote_expired' })
    }
    for (const wrong of [1.5, -1, 0, '11']) {
      expect((await add(slug, { seatRaise: { seats: wrong, quote } })).body).toMatchObject({
        code: 'invalid_input',
      })
    }
    expect(await world.rows(slug)).toMatchObject([{ seats }])
    expect(await tenantOf(slug)).toMatchObject({ seats, memberCount: seats })
  })

  it('two who confirm the same price buy one seat, and one member is made', async () => {
    const { slug, seats } = await paying()
    await change(slug, { seatMode: 'auto' })
    const { quote } = await quoteFor(slug, seats + 1)
    const responses = await Promise.all(
      [1, 2].map(() => add(slug, { seatRaise: { seats: seats + 1, quote } })),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409])
    expect(responses.map(({ body }) => body.code).filter(Boolean)).toEqual([
      expect.toBeOneOf(['quote_expired', 'seats_exhausted']),
    ])
    expect(await tenantOf(slug)).toMatchObject({ seats: seats + 1, memberCount: seats + 1 })
  })

  it('no seat and no member while the payment waits, is declined or the processor is silent', async () => {
    const { slug, id, seats } = await paying()
    await change(slug, { seatMode: 'auto' })
    const seatRaise = { seats: seats + 1, quote: (await quoteFor(slug, seats + 1)).quote }
    world.fault({ match: 'POST /v1/subscriptions', mode: 'error', status: 503, times: 2 })
    expect((await add(slug, { seatRaise })).body).toMatchObject({ code: 'upstream_failed' })
    testApp.sandbox.clearFaults()
    const { customer_id: customer } = await testApp.database.db
      .selectFrom('payment_customers')
      .select('customer_id')
      .where('tenant_id', '=', id)
      .executeTakeFirstOrThrow()
    testApp.sandbox.payments.act({
      action: 'attach_card',
      customer: customer ?? '',
      card: 'pm_card_chargeCustomerFail',
    })
    const again = { seats: seats + 1, quote: (await quoteFor(slug, seats + 1)).quote }
    expect((await add(slug, { seatRaise: again })).body).toMatchObject({
      code: expect.toBeOneOf(['payment_failed', 'seats_exhausted']),
    })
    expect(await tenantOf(slug)).toMatchObject({ seats, memberCount: seats })
  })
})

it('tRPC takes the same', async () => {
  const { slug } = await world.newTenant()
  const client = testApp.trpc(owner)
  expect(await client.tenants.update.mutate({ slug, seatMode: 'auto' })).toMatchObject({
    seatMode: 'auto',
  })
  await client.members.create.mutate({ slug, ...person(slug), role: 'member' })
  expect(await client.tenants.get.query({ slug })).toMatchObject({ seats: 2, seatMode: 'auto' })
})
