import { randomBytes } from 'node:crypto'
import { replaceGrant } from '@atrium/db/billing/entitlements'
import * as keptPlans from '@atrium/db/migrations/0042-kept-plans'
import { insertTestTenant, partnerIdOf, userIdOf } from '@atrium/testing/records'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { followDueEntitlements, followEntitlements } from '../src/billing/entitlements/follow.ts'
import { recordGrant } from '../src/billing/entitlements/grant.ts'
import { readEntitlements } from '../src/billing/entitlements/read.ts'
import { runDunning } from '../src/billing/invoices/dunning.ts'
import { rejectLimited } from '../src/billing/invoices/limits.ts'
import { drainWebhooks } from '../src/billing/webhooks/process.ts'
import {
  openPaidSubscriptions,
  type PaidSubscriptionsTestApp,
} from './paid-subscriptions-test-app.ts'
import { day, terms } from './subscriptions-test-app.ts'

let world: PaidSubscriptionsTestApp
let testApp: PaidSubscriptionsTestApp['testApp']
let [operator, owner, partner, newcomer]: string[] = []

beforeAll(async () => {
  world = await openPaidSubscriptions({ env: { FREE_PLAN_SEATS: '3', BILLING_GRACE_DAYS: '14' } })
  ;({ testApp, operator, owner } = world)
  partner = await testApp.token('partner@north.test')
  newcomer = await testApp.token('newcomer@example.test')
}, 60_000)
afterAll(() => world[Symbol.asyncDispose]())

const later = (days: number) => new Date(world.started.getTime() + days * day)
const create = (body: object, token = newcomer) =>
  testApp.request('POST', '/tenants', { token, body: { respondAsync: true, ...body } })
const patch = (slug: string, body: object, token = owner) =>
  testApp.request('PATCH', `/tenants/${slug}`, { token, body })
const grants = (tenantId: string) =>
  testApp.database.db
    .selectFrom('plan_grants')
    .select(['plan', 'seats', 'given_by', 'ends_at', 'revoked_at'])
    .where('tenant_id', '=', tenantId)
    .orderBy('id')
    .execute()
const entitlements = (tenantId: string) =>
  readEntitlements(testApp.database.db, testApp.app.services, tenantId)
const addMember = (slug: string) =>
  testApp.request('POST', `/tenants/${slug}/users`, {
    token: owner,
    body: { email: `${randomBytes(6).toString('hex')}@${slug}.tenants.local` },
  })
async function deliver(): Promise<void> {
  for (let round = 0; round < 10 && testApp.webhooks.pending().length > 0; round++) {
    await testApp.webhooks.deliver()
    await drainWebhooks(testApp.app.services)
  }
}
/**
 * Everything that the clock does at that moment: the processor's renewals and events, dunning,
 * entitlements.
 */
const timePasses = (days: number, work: () => Promise<unknown> = async () => {}) =>
  world.at(later(days), async () => {
    // The sandbox makes up for the time that passed when it is asked for anything.
    await world.processor().findCustomer('cus_nobody')
    await deliver()
    await runDunning(testApp.app.services)
    await followDueEntitlements(testApp.app.services)
    return work()
  })

describe('a new tenant', () => {
  it('has the free plan, whoever makes it', async () => {
    const { status, body } = await create({ name: 'Small' })
    expect([status, body.plan, body.seats]).toEqual([201, 'free', 3])
    expect(await grants(body.id)).toEqual([])
    expect((await create({ name: 'Smaller', plan: 'free', seats: 2 })).body).toMatchObject({
      plan: 'free',
      seats: 2,
    })
  })

  it('has no more without a subscription', async () => {
    const before = await testApp.database.db.selectFrom('tenants').select('id').execute()
    for (const [fields, path] of [
      [{ plan: 'enterprise' }, 'plan'],
      [{ seats: 100_000 }, 'seats'],
      [{ plan: 'enterprise', seats: 100_000 }, 'plan'],
      [{ plan: 'free', seats: 4 }, 'seats'],
    ] as const) {
      const { status, body } = await create({ name: 'Greedy', ...fields })
      expect([status, body.code, body.issues[0].path]).toEqual([409, 'subscription_required', path])
    }
    expect(await testApp.database.db.selectFrom('tenants').select('id').execute()).toHaveLength(
      before.length,
    )
  })

  it('has what an operator or its partner grants, on record', async () => {
    const byOperator = (await create({ name: 'Large', plan: 'enterprise', seats: 500 }, operator))
      .body
    expect(byOperator).toMatchObject({ plan: 'enterprise', seats: 500 })
    expect(await grants(byOperator.id)).toMatchObject([
      { plan: 'enterprise', seats: 500, given_by: 'operator', revoked_at: null },
    ])
    const byPartner = (await create({ name: 'Customer', plan: 'starter', seats: 9 }, partner)).body
    expect(await grants(byPartner.id)).toMatchObject([
      { plan: 'starter', seats: 9, given_by: 'partner' },
    ])
    expect(await entitlements(byPartner.id)).toMatchObject({
      plan: 'starter',
      seats: 9,
      state: 'active',
      reason: 'grant',
    })
  })
})

describe('plan and seats without a subscription', () => {
  it('are granted by operators, who can take them back; admins choose within them', async () => {
    const { slug, id } = await world.newTenant()
    expect((await patch(slug, { seats: 1_000_000 })).body).toMatchObject({
      code: 'subscription_required',
      issues: [{ path: 'seats' }],
    })
    expect((await patch(slug, { seats: 2 })).body).toMatchObject({ plan: 'free', seats: 2 })
    expect((await patch(slug, { plan: 'business', seats: 20 }, operator)).body).toMatchObject({
      plan: 'business',
      seats: 20,
    })
    expect((await patch(slug, { seats: 21 })).body.code).toBe('subscription_required')
    expect((await patch(slug, { seats: 7 })).body).toMatchObject({ plan: 'business', seats: 7 })
    expect((await patch(slug, { plan: 'free', seats: 0 }, operator)).body).toMatchObject({
      plan: 'free',
      seats: 3,
    })
    expect(await grants(id)).toMatchObject([
      { plan: 'business', seats: 20, revoked_at: expect.any(Date) },
    ])
  })

  it('saving other fields in the days of grace grants nothing, naming the plan does', async () => {
    const { slug, id } = await world.subscribed()
    const [{ id: subscriptionId }] = await world.rows(slug)
    await testApp.request('DELETE', `/subscriptions/${subscriptionId}`, { token: operator })
    expect((await patch(slug, { name: 'Renamed', seats: 3 }, operator)).body).toMatchObject({
      plan: 'business',
      seats: 3,
    })
    expect(await grants(id)).toEqual([])
    expect((await patch(slug, { plan: 'business' }, operator)).body).toMatchObject({
      plan: 'business',
      seats: 3,
    })
    expect(await grants(id)).toMatchObject([{ plan: 'business', seats: 3 }])
    expect((await patch(slug, { plan: 'free', seats: 1 }, operator)).body).toMatchObject({
      plan: 'free',
      seats: 1,
    })
  })

  it('a member more than the free plan has is rejected, also where seats follow the members', async () => {
    const { slug } = await world.newTenant()
    await patch(slug, { seatMode: 'auto' })
    expect([(await addMember(slug)).status, (await addMember(slug)).status]).toEqual([201, 201])
    expect((await addMember(slug)).body).toMatchObject({
      code: 'seats_exhausted',
      detail: expect.stringContaining('3 seats'),
    })
  })
})

describe('after the end of a subscription', () => {
  it('the plan stays for the days of grace, then the free plan holds, and nothing is deleted', async () => {
    const { slug, id } = await world.subscribed()
    await world.call(slug, '/cancel', {})
    await timePasses(32, async () => {
      expect(await entitlements(id)).toMatchObject({
        plan: 'business',
        seats: 3,
        state: 'grace',
        reason: 'ended',
      })
      expect(await world.tenantRow(slug)).toEqual({ plan: 'business', seats: 3 })
    })
    const files = testApp.database.db
      .selectFrom('provisioning_steps')
      .select('state')
      .where('tenant_id', '=', id)
      .where('step', '=', 'files')
    await testApp.database.db
      .updateTable('provisioning_steps')
      .set({ state: 'ok' })
      .where('tenant_id', '=', id)
      .execute()
    const members = await testApp.database.db
      .selectFrom('memberships')
      .selectAll()
      .where('tenant_id', '=', id)
      .execute()
    await timePasses(46, async () => {
      expect(await entitlements(id)).toMatchObject({
        plan: 'free',
        seats: 3,
        state: 'free',
        reason: 'ended',
      })
      expect(await world.tenantRow(slug)).toEqual({ plan: 'free', seats: 3 })
    })
    expect(await files.executeTakeFirst()).toEqual({ state: 'pending' })
    expect(
      await testApp.database.db
        .selectFrom('memberships')
        .selectAll()
        .where('tenant_id', '=', id)
        .execute(),
    ).toEqual(members)
    const { body } = await testApp.request(
      'GET',
      `/audit?action=tenant.updated&tenantSlug=${slug}`,
      { token: operator },
    )
    expect(body.items[0]).toMatchObject({
      actorType: 'system',
      metadata: { changes: { plan: ['business', 'free'] }, reason: 'ended' },
    })
  })

  it('debts stay debts: canceling lifts no limit, reminders go on, and only the payment or an operator lets a new one begin', async () => {
    const { slug, id, customerId } = await world.subscribed()
    testApp.sandbox.payments.act({
      action: 'attach_card',
      customer: customerId,
      card: 'pm_card_chargeCustomerFail',
    })
    await timePasses(31.5)
    const [row] = await world.rows(slug)
    expect(row.status).toBe('past_due')
    await world.call(slug, '/cancel', {})
    // At the end of the unpaid period.
    await timePasses(62, async () => {
      expect(await entitlements(id)).toMatchObject({
        plan: 'business',
        state: 'limited',
        reason: 'payment_missing',
      })
      await expect(
        rejectLimited(testApp.database.db, testApp.app.services, id),
      ).rejects.toMatchObject({
        code: 'billing_limited',
        message: expect.stringMatching(
          /^Limited since .+, because invoice SANDBOX-\d+ over €.+ is open\./,
        ),
      })
    })
    expect(await world.rows(slug)).toMatchObject([{ status: 'canceled' }])
    const cases = await testApp.database.db
      .selectFrom('dunning_cases')
      .selectAll()
      .where('tenant_id', '=', id)
      .execute()
    expect(cases).toMatchObject([{ closed_at: null, reminded_days: [0, 3, 7, 12] }])
    await timePasses(100, async () =>
      expect(await entitlements(id)).toMatchObject({ plan: 'free', state: 'limited' }),
    )
    expect((await world.call(slug, '', terms)).body).toMatchObject({
      code: 'billing_limited',
      detail: expect.stringContaining('is open'),
    })
    const { body: summary } = await testApp.request('GET', `/tenants/${slug}/billing`, {
      token: owner,
    })
    expect(summary.entitlements).toMatchObject({
      overdue: { amountMinor: expect.any(Number), number: expect.any(String) },
    })
    // Another card pays what is owed, and all of it ends at once.
    testApp.sandbox.payments.act({
      action: 'attach_card',
      customer: customerId,
      card: 'pm_card_visa',
    })
    const { body: invoices } = await testApp.request('GET', `/tenants/${slug}/invoices`, {
      token: owner,
    })
    for (const { id: invoiceId, status } of invoices.items)
      if (status === 'overdue')
        await testApp.request('POST', `/tenants/${slug}/invoices/${invoiceId}/pay`, {
          token: owner,
          body: {},
        })
    await timePasses(101, async () =>
      expect(await entitlements(id)).toMatchObject({ plan: 'free', state: 'free' }),
    )
    expect(
      await testApp.database.db
        .selectFrom('dunning_cases')
        .select('outcome')
        .where('tenant_id', '=', id)
        .execute(),
    ).toEqual([{ outcome: 'recovered' }])
    expect((await world.call(slug, '', terms)).status).toBe(201)
  })

  it('the free plan that an operator gives ends the days of grace, also while a debt limits', async () => {
    const { slug, id, customerId } = await world.subscribed()
    testApp.sandbox.payments.act({
      action: 'attach_card',
      customer: customerId,
      card: 'pm_card_chargeCustomerFail',
    })
    await timePasses(31.5)
    await world.call(slug, '/cancel', {})
    await timePasses(62, async () => {
      expect(await entitlements(id)).toMatchObject({ plan: 'business', state: 'limited' })
      // Not by a request: the tokens of this file have expired by then.
      const caller = { operator: true, id: undefined }
      const free = { plan: 'free', seats: 2 } as const
      await testApp.database.db
        .transaction()
        .execute((trx) => recordGrant(trx, testApp.app.services, caller, id, free))
      expect(await entitlements(id)).toMatchObject({ ...free, state: 'limited' })
    })
  })

  it("with an operator's word a new one begins while the invoice is open", async () => {
    const { slug, id, customerId } = await world.subscribed()
    testApp.sandbox.payments.act({
      action: 'attach_card',
      customer: customerId,
      card: 'pm_card_chargeCustomerFail',
    })
    await timePasses(31.5)
    const [row] = await world.rows(slug)
    await testApp.request('DELETE', `/subscriptions/${row.id}`, { token: operator })
    expect((await world.call(slug, '', terms)).body.code).toBe('billing_limited')
    testApp.sandbox.payments.act({
      action: 'attach_card',
      customer: customerId,
      card: 'pm_card_visa',
    })
    const body = { tenantSlug: slug, source: 'stripe', ...terms }
    expect(
      (await testApp.request('POST', '/subscriptions', { token: operator, body })).body,
    ).toMatchObject({ status: 'active' })
    expect(await entitlements(id)).toMatchObject({ plan: 'business', seats: 10, state: 'active' })
  })

  it('a manual one that was not paid for is limited until an operator grants a plan', async () => {
    const { slug, id } = await world.newTenant()
    const made = await testApp.request('POST', '/subscriptions', {
      token: operator,
      body: { tenantSlug: slug, ...terms },
    })
    await testApp.request('PATCH', `/subscriptions/${made.body.id}`, {
      token: operator,
      body: { status: 'past_due' },
    })
    await world.call(slug, '/cancel', {})
    await world.settleAt(later(32))
    await timePasses(33, async () =>
      expect(await entitlements(id)).toMatchObject({ state: 'limited', overdue: { amount: null } }),
    )
    await world.at(later(34), () =>
      testApp.database.db.transaction().execute(async (trx) => {
        await replaceGrant(
          trx,
          id,
          { plan: 'starter', seats: 5, grantedBy: 'operator', grantedByUser: null },
          later(34),
        )
        await followEntitlements(trx, testApp.app.services, id)
      }),
    )
    await timePasses(36, async () =>
      expect(await entitlements(id)).toMatchObject({ plan: 'starter', state: 'active' }),
    )
  })
})

describe('a trial', () => {
  const price = () =>
    testApp.database.db
      .updateTable('prices')
      .where('plan', '=', 'enterprise')
      .where('cycle', '=', 'month')
  const start = (slug: string, fields: object = {}) =>
    world.call(slug, '', { ...terms, plan: 'enterprise', ...fields })
  beforeAll(async () => {
    await price().set({ trial_days: 14 }).execute()
  })
  /** A tenant of somebody who never had a trial. */
  async function ofNewOwner(card?: string) {
    const made = await world.newTenant(card)
    const subject = randomBytes(32).toString('hex')
    const { id: userId } = await testApp.database.db
      .insertInto('users')
      .values({
        idp_subject_id: subject,
        email: `${subject.slice(0, 12)}@example.org`,
        name: 'Owner',
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    await testApp.database.db.transaction().execute(async (trx) => {
      await trx
        .updateTable('memberships')
        .set({ role: 'admin' })
        .where('tenant_id', '=', made.id)
        .where('role', '=', 'owner')
        .execute()
      await trx
        .insertInto('memberships')
        .values({ tenant_id: made.id, user_id: userId, role: 'owner' })
        .execute()
    })
    return { ...made, userId }
  }

  it('gives no more than a trial may, whatever was subscribed to', async () => {
    const { slug, id } = await ofNewOwner()
    expect((await start(slug, { seats: 100_000 })).body.subscription).toMatchObject({
      status: 'trialing',
      seats: 100_000,
    })
    expect(await entitlements(id)).toMatchObject({ plan: 'business', seats: 20, reason: 'trial' })
    expect(await world.tenantRow(slug)).toEqual({ plan: 'business', seats: 20 })
  })

  it('is given once per person and once per proven domain', async () => {
    const first = await ofNewOwner('pm_card_visa')
    expect(
      (await testApp.request('GET', `/tenants/${first.slug}/prices`, { token: owner })).body.items,
    ).toContainEqual(expect.objectContaining({ plan: 'enterprise', cycle: 'month', trialDays: 14 }))
    expect((await start(first.slug)).body.subscription.status).toBe('trialing')
    const second = await world.newTenant('pm_card_visa')
    const { db } = testApp.database
    await db.transaction().execute(async (trx) => {
      await trx
        .updateTable('memberships')
        .set({ role: 'admin' })
        .where('tenant_id', '=', second.id)
        .execute()
      await trx
        .insertInto('memberships')
        .values({ tenant_id: second.id, user_id: first.userId, role: 'owner' })
        .execute()
    })
    const { body } = await testApp.request('GET', `/tenants/${second.slug}/prices`, {
      token: owner,
    })
    expect(body.items.map(({ trialDays }: { trialDays: number }) => trialDays)).toEqual(
      body.items.map(() => 0),
    )
    expect((await start(second.slug)).body.subscription).toMatchObject({
      status: 'active',
      trialEnd: null,
    })
    // The domain moves to another tenant, of another person.
    const third = await ofNewOwner('pm_card_visa')
    await db
      .insertInto('trial_uses')
      .values({ tenant_id: first.id, domain: 'shop.example' })
      .execute()
    await db
      .insertInto('domains')
      .values({
        tenant_id: third.id,
        name: 'shop.example',
        dmarc_rua: 'a@shop.example',
        verified_at: new Date(),
      })
      .execute()
    expect((await start(third.slug)).body.subscription.status).toBe('active')
  })

  it('staff of a partner, who own the tenants of their customers, use up none', async () => {
    const first = await ofNewOwner('pm_card_visa')
    const second = await world.newTenant('pm_card_visa')
    const { db } = testApp.database
    const north = await partnerIdOf(db, 'north')
    await db
      .updateTable('users')
      .set({ partner_id: north, partner_access: 'manager' })
      .where('id', '=', first.userId)
      .execute()
    await db
      .updateTable('tenants')
      .set({ partner_id: north })
      .where('id', 'in', [first.id, second.id])
      .execute()
    await db.transaction().execute(async (trx) => {
      await trx
        .updateTable('memberships')
        .set({ role: 'admin' })
        .where('tenant_id', '=', second.id)
        .execute()
      await trx
        .insertInto('memberships')
        .values({ tenant_id: second.id, user_id: first.userId, role: 'owner' })
        .execute()
    })
    for (const { slug } of [first, second])
      expect((await start(slug)).body.subscription.status).toBe('trialing')
  })

  it('two tenants of one person that start at once get one trial', async () => {
    const first = await ofNewOwner('pm_card_visa')
    const second = await world.newTenant('pm_card_visa')
    await testApp.database.db.transaction().execute(async (trx) => {
      await trx
        .updateTable('memberships')
        .set({ role: 'admin' })
        .where('tenant_id', '=', second.id)
        .execute()
      await trx
        .insertInto('memberships')
        .values({ tenant_id: second.id, user_id: first.userId, role: 'owner' })
        .execute()
    })
    const responses = await Promise.all([start(first.slug), start(second.slug)])
    expect(responses.map(({ body }) => body.subscription.status).sort()).toEqual([
      'active',
      'trialing',
    ])
  })

  describe('that ends without a card', () => {
    async function paused() {
      const made = await ofNewOwner()
      await start(made.slug)
      await timePasses(14.1, async () => {
        expect(await entitlements(made.id)).toMatchObject({
          plan: 'business',
          seats: 3,
          state: 'grace',
          reason: 'paused',
        })
      })
      expect(await world.rows(made.slug)).toMatchObject([{ status: 'paused' }])
      return made
    }
    const enterCard = async (slug: string, card: string) => {
      const { body } = await testApp.request('POST', `/tenants/${slug}/billing/setup-intent`, {
        token: owner,
        body: {},
      })
      const [setupIntent = ''] = String(body.clientSecret).split('_secret_')
      testApp.sandbox.payments.act({ action: 'confirm_setup', setupIntent, card })
      return testApp.request('PUT', `/tenants/${slug}/billing/payment-method`, {
        token: owner,
        body: { setupIntentId: setupIntent },
      })
    }

    it('pauses, lowers to the free plan after the days of grace, and a card resumes it', async () => {
      const { slug, id } = await paused()
      await timePasses(29, async () =>
        expect(await world.tenantRow(slug)).toEqual({ plan: 'free', seats: 3 }),
      )
      const { body } = await enterCard(slug, '4242424242424242')
      expect(body.payment).toMatchObject({ outcome: 'paid', number: expect.any(String) })
      expect(await world.rows(slug)).toMatchObject([{ status: 'active' }])
      expect(await world.tenantRow(slug)).toEqual({ plan: 'enterprise', seats: 10 })
      expect(await entitlements(id)).toMatchObject({ state: 'active', reason: 'subscription' })
      expect(await testApp.auditActions()).toContain('subscription.resumed')
    })

    it('stays paused while the card is declined, owes nothing for it, and another card resumes it', async () => {
      const { slug, id, customerId } = await paused()
      const declined = await enterCard(slug, '4000000000000341')
      expect([declined.status, declined.body.payment]).toMatchObject([
        200,
        { outcome: 'failed', message: expect.any(String) },
      ])
      expect(await world.rows(slug)).toMatchObject([{ status: 'paused' }])
      expect((await entitlements(id)).overdue).toBeNull()
      expect((await enterCard(slug, '4242424242424242')).body.payment).toMatchObject({
        outcome: 'paid',
      })
      expect(await world.rows(slug)).toMatchObject([{ status: 'active' }])
      const invoices = await world.processor().listInvoices(customerId)
      expect(invoices.filter(({ total }) => total > 0).map(({ status }) => status)).toEqual([
        'paid',
      ])
    })

    it('can be changed while it is paused, for nothing until it is resumed', async () => {
      const { slug, customerId } = await paused()
      const { preview, answer } = await world.change(slug, { plan: 'starter', seats: 4 })
      expect(preview).toMatchObject({
        effect: 'now',
        totalMinor: 0,
        lines: [],
        nextAmountMinor: 1_600,
      })
      expect(answer.body).toMatchObject({
        outcome: 'applied',
        subscription: { status: 'paused', plan: 'starter', seats: 4 },
      })
      await enterCard(slug, '4242424242424242')
      expect(await world.tenantRow(slug)).toEqual({ plan: 'starter', seats: 4 })
      const [invoice] = await world.processor().listInvoices(customerId)
      expect(invoice).toMatchObject({ status: 'paid', total: 1_600 })
    })

    it('another subscription takes its place, without another trial', async () => {
      const { slug, customerId } = await paused()
      testApp.sandbox.payments.act({
        action: 'attach_card',
        customer: customerId,
        card: 'pm_card_visa',
      })
      expect((await start(slug, { plan: 'business' })).body.subscription).toMatchObject({
        status: 'active',
        plan: 'business',
      })
      expect(
        (await world.rows(slug)).map(({ status }: { status: string }) => status).sort(),
      ).toEqual(['active', 'canceled'])
      expect((await world.atProcessor(customerId)).map(({ status }) => status).sort()).toEqual([
        'active',
        'canceled',
      ])
    })

    it('can be given up at once', async () => {
      const { slug } = await paused()
      expect((await world.call(slug, '/cancel', {})).body.status).toBe('canceled')
    })
  })
})

describe('the upgrade of a running installation', () => {
  it('keeps plan and seats of every tenant without a subscription as a grant', async () => {
    const { db } = testApp.database
    const ownerId = await userIdOf(db, 'owner@acme.test')
    const made = async (slug: string, plan: 'free' | 'enterprise', seats: number) => {
      const values = { slug, plan, seats, ownerId }
      return (await db.transaction().execute((trx) => insertTestTenant(trx, values))).id
    }
    const [granted, unlimited, ended] = [
      await made('kept-1', 'enterprise', 70),
      await made('kept-2', 'free', 0),
      await made('kept-3', 'enterprise', 9),
    ]
    const subscription = {
      cycle: 'month',
      currency: 'eur',
      per_seat_amount: 1,
      seats: 9,
      plan: 'enterprise',
    } as const
    await db
      .insertInto('subscriptions')
      .values({ tenant_id: ended, source: 'manual', status: 'canceled', ...subscription })
      .execute()
    const running = await world.subscribed()
    await db.transaction().execute(async (trx) => {
      await trx
        .updateTable('plan_grants')
        .set({ revoked_at: new Date() })
        .where('revoked_at', 'is', null)
        .execute()
      await keptPlans.up(trx as never)
    })
    expect(await grants(granted)).toMatchObject([
      { plan: 'enterprise', seats: 70, given_by: 'upgrade', ends_at: null },
    ])
    expect(await grants(unlimited)).toMatchObject([{ plan: 'free', seats: 0, given_by: 'upgrade' }])
    expect(await grants(ended)).toMatchObject([
      { plan: 'enterprise', seats: 9, ends_at: expect.any(Date) },
    ])
    expect(await grants(running.id)).toEqual([])
    expect(await entitlements(granted)).toMatchObject({
      plan: 'enterprise',
      seats: 70,
      state: 'active',
    })
    expect(await entitlements(ended)).toMatchObject({
      plan: 'enterprise',
      seats: 9,
      state: 'active',
    })
    await timePasses(31, async () =>
      expect(await entitlements(ended)).toMatchObject({ plan: 'free' }),
    )
    expect(
      await db.selectFrom('tenants').select('plan').where('id', '=', ended).executeTakeFirst(),
    ).toEqual({ plan: 'free' })
  })
})
