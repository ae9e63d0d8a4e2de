import { startTestApp, type TestApp } from '@atrium/testing/test-app'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { attendDunning, runDunning } from '../src/billing/invoices/dunning.ts'
import { billingOf } from './billing-test-app.ts'

const day = 86_400_000
let now = new Date('2040-03-10T12:00:00Z')
let testApp: TestApp

beforeAll(async () => {
  testApp = await startTestApp({
    provisioned: false,
    clock: { now: () => now },
    env: { PORTAL_URL: 'http://portal.test', BILLING_GRACE_DAYS: '14' },
  })
}, 60_000)
afterAll(() => testApp[Symbol.asyncDispose]())

const after = (days: number, from: Date) => new Date(from.getTime() + days * day)

/** A tenant whose manual subscription is past due from now on. */
async function behind(of: TestApp, slug: string): Promise<string> {
  const { db } = of.database
  const tenantId = await billingOf(of).tenantId(slug)
  await db
    .updateTable('subscriptions')
    .set({ status: 'canceled' })
    .where('tenant_id', '=', tenantId)
    .execute()
  const { id } = await db
    .insertInto('subscriptions')
    .values({
      tenant_id: tenantId,
      source: 'manual',
      plan: 'business',
      cycle: 'month',
      currency: 'eur',
      per_seat_amount: 800,
      seats: 10,
      status: 'past_due',
      past_due_since: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db
    .insertInto('invoices')
    .values({
      tenant_id: tenantId,
      stripe_invoice_id: `in_${id}`,
      status: 'open',
      currency: 'eur',
      subtotal: 8_000,
      total: 8_000,
      total_excluding_tax: 8_000,
      amount_due: 8_000,
      amount_paid: 0,
      amount_remaining: 8_000,
      attempt_count: 1,
      finalized_at: now,
      created_at: now,
    })
    .execute()
  return id
}

const mails = async (of: TestApp) =>
  (
    await of.database.db
      .selectFrom('outbox')
      .select(['template', 'recipient'])
      .orderBy('created_at')
      .orderBy('template')
      .execute()
  ).map(({ template, recipient }) => `${template} ${recipient}`)
const actions = async (of: TestApp) =>
  (await of.auditActions()).filter((action) =>
    /^(subscription|tenant)\.(past|pay|rec|lim|sus|res)/.test(action),
  )
const pay = (of: TestApp, id: string, status: 'active' | 'canceled' = 'active') =>
  of.database.db
    .updateTable('subscriptions')
    .set({ status, past_due_since: null })
    .where('id', '=', id)
    .execute()

describe('a missed payment', () => {
  it('is told on day 0, 3, 7 and 12, limits on day 14, and lifts in one step when it is paid', async () => {
    const id = await behind(testApp, 'acme')
    const since = now
    const told: string[][] = []
    for (const passed of [0, 0.5, 2.9, 3, 6, 7, 12, 13.9, 14, 15, 30]) {
      now = after(passed, since)
      const before = (await actions(testApp)).length
      await Promise.all([runDunning(testApp.app.services), runDunning(testApp.app.services)])
      told.push((await actions(testApp)).slice(before))
    }
    expect(told).toEqual([
      ['subscription.past_due'],
      [],
      [],
      ['subscription.payment_reminded'],
      [],
      ['subscription.payment_reminded'],
      ['subscription.payment_reminded'],
      [],
      ['tenant.limited'],
      [],
      [],
    ])
    expect(await mails(testApp)).toEqual([
      'subscription.past_due owner@acme.test',
      ...Array(3).fill('subscription.reminder owner@acme.test'),
    ])
    const [first] = await testApp.database.db
      .selectFrom('outbox')
      .select('values')
      .where('template', '=', 'subscription.past_due')
      .execute()
    expect(first?.values).toEqual({
      language: 'en',
      'subscription.plan': 'Business',
      'invoice.amount': '€80.00',
      'subscription.limitedOn': '24 March 2040',
      'link.billing': 'http://portal.test/t/acme/billing',
    })
    await pay(testApp, id)
    await runDunning(testApp.app.services)
    expect((await actions(testApp)).at(-1)).toBe('subscription.recovered')
    await runDunning(testApp.app.services)
    expect(
      (await actions(testApp)).filter((action) => action === 'subscription.recovered'),
    ).toHaveLength(1)
    now = since
  })

  it('that nobody looked at for days is told once, by the newest reminder', async () => {
    await using own = await startTestApp({
      provisioned: false,
      clock: { now: () => now },
      env: { PORTAL_URL: 'http://portal.test' },
    })
    const since = now
    await behind(own, 'globex')
    await own.database.db
      .updateTable('tenants')
      .set({ billing_email: 'money@globex.test' })
      .where('slug', '=', 'globex')
      .execute()
    now = after(8, since)
    await runDunning(own.app.services)
    expect((await mails(own)).sort()).toEqual([
      'subscription.reminder money@globex.test',
      'subscription.reminder owner@globex.test',
    ])
    expect(await actions(own)).toEqual(['subscription.past_due'])
    now = since
  })

  it('that comes again after a recovery begins again', async () => {
    await using own = await startTestApp({ provisioned: false, clock: { now: () => now } })
    const since = now
    const id = await behind(own, 'globex')
    await attendDunning(own.app.services, id)
    now = after(4, since)
    await own.database.db
      .updateTable('subscriptions')
      .set({ past_due_since: now })
      .where('id', '=', id)
      .execute()
    await attendDunning(own.app.services, id)
    expect(await actions(own)).toEqual([
      'subscription.past_due',
      'subscription.recovered',
      'subscription.past_due',
    ])
    await pay(own, id, 'canceled')
    await attendDunning(own.app.services, id)
    expect(await actions(own)).toHaveLength(3)
    expect(
      await own.database.db.selectFrom('dunning_cases').select('outcome').orderBy('id').execute(),
    ).toEqual([{ outcome: 'recovered' }, { outcome: 'ended' }])
    now = since
  })

  it('suspends after 28 days only where the installation says so, and its payment ends that suspension and no other', async () => {
    await using own = await startTestApp({
      provisioned: false,
      clock: { now: () => now },
      env: { BILLING_AUTO_SUSPEND: 'true' },
    })
    const { db } = own.database
    const since = now
    const status = async (slug: string) =>
      (
        await db
          .selectFrom('tenants')
          .select('status')
          .where('slug', '=', slug)
          .executeTakeFirstOrThrow()
      ).status
    const [acme, globex] = [await behind(own, 'acme'), await behind(own, 'globex')]
    now = after(27.9, since)
    await runDunning(own.app.services)
    expect(await status('acme')).toBe('pending')
    now = after(28, since)
    await runDunning(own.app.services)
    expect([await status('acme'), await status('globex')]).toEqual(['suspended', 'suspended'])
    await db
      .updateTable('tenants')
      .set({ suspended_reason: 'Abuse.' })
      .where('slug', '=', 'globex')
      .execute()
    await pay(own, acme)
    await pay(own, globex)
    await runDunning(own.app.services)
    expect([await status('acme'), await status('globex')]).toEqual(['pending', 'suspended'])
    expect((await actions(own)).filter((action) => action.startsWith('tenant.'))).toEqual([
      ...[
        'tenant.limited',
        'tenant.limited',
        'tenant.suspended',
        'tenant.suspended',
        'tenant.resumed',
      ],
    ])
    now = since
  })
})

describe('a tenant whose payment is overdue for longer than the days of grace', () => {
  it('gets no new members, domains and applications, keeps what it has, and gets all of it back with the payment', async () => {
    await using own = await startTestApp({ provisioned: false, env: { BILLING_GRACE_DAYS: '14' } })
    const { db } = own.database
    const { as, tenantId } = billingOf(own)
    const owner = as('owner@acme.test')
    const add = () =>
      Promise.all([
        owner.send('POST', '/tenants/acme/users', {
          email: `new${Math.random()}@example.org`,
          firstName: 'N',
          lastName: 'N',
          role: 'member',
        }),
        owner.send('POST', '/tenants/acme/domains', {
          domain: `d${Math.floor(Math.random() * 1e9)}.com`,
        }),
        owner.send('POST', '/tenants/acme/sso-apps', {
          name: `App ${Math.random()}`,
          redirectUris: ['https://app.example/cb'],
        }),
      ])
    await db
      .updateTable('subscriptions')
      .set({ status: 'canceled' })
      .where('tenant_id', '=', await tenantId('acme'))
      .execute()
    await db
      .insertInto('subscriptions')
      .values({
        tenant_id: await tenantId('acme'),
        source: 'manual',
        plan: 'business',
        cycle: 'month',
        currency: 'eur',
        per_seat_amount: 800,
        seats: 10,
        status: 'past_due',
        past_due_since: new Date(Date.now() - 15 * day),
      })
      .execute()
    for (const { status, body } of await add())
      expect([status, body.code], JSON.stringify(body)).toEqual([409, 'billing_limited'])
    expect((await owner.get('/tenants/acme/billing')).body).toMatchObject({
      state: 'limited',
      limitedFrom: expect.any(String),
    })
    expect((await owner.get('/tenants/acme/users')).status).toBe(200)
    expect((await owner.send('PATCH', '/tenants/acme', { industry: 'Other' })).status).toBe(200)
    await db
      .updateTable('subscriptions')
      .set({ status: 'active', past_due_since: null })
      .where('status', '=', 'past_due')
      .execute()
    for (const { body } of await add()) expect(body.code).not.toBe('billing_limited')
  })
})
