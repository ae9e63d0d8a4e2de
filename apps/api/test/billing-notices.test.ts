import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sendBillingNotices } from '../src/billing/invoices/notices.ts'
import { drainWebhooks } from '../src/billing/webhooks/process.ts'
import {
  openPaidSubscriptions,
  type PaidSubscriptionsTestApp,
} from './paid-subscriptions-test-app.ts'

const day = 86_400_000
const yearly = { plan: 'business', cycle: 'year', currency: 'eur', seats: 2 } as const
let world: PaidSubscriptionsTestApp
beforeAll(async () => {
  world = await openPaidSubscriptions({ env: { PORTAL_URL: 'https://portal.test' } })
})
afterAll(() => world[Symbol.asyncDispose]())

const mailsOf = (tenantId: string, template: string) =>
  world.testApp.database.db
    .selectFrom('outbox')
    .select(['recipient', 'values', 'key'])
    .where('tenant_id', '=', tenantId)
    .where('template', '=', template as never)
    .orderBy('id')
    .execute()

const runAt = (then: number) =>
  world.at(new Date(then), () => sendBillingNotices(world.testApp.app.services))

async function subscribed(terms: Record<string, unknown>, email?: string) {
  const tenant = await world.newTenant('pm_card_visa')
  const { db } = world.testApp.database
  await db
    .updateTable('tenants')
    .set({ billing_email: email ?? null })
    .where('id', '=', tenant.id)
    .execute()
  const { status, body } = await world.call(tenant.slug, '', terms)
  expect(status, JSON.stringify(body)).toBe(201)
  return { ...tenant, end: Date.parse(body.subscription.currentPeriodEnd) }
}

/** Lets the card on file expire with this month. */
async function expiring(tenantId: string, at: Date): Promise<void> {
  const { db } = world.testApp.database
  const { card } = await db
    .selectFrom('payment_customers')
    .select('card')
    .where('tenant_id', '=', tenantId)
    .executeTakeFirstOrThrow()
  const changed = {
    ...(card as object),
    expMonth: at.getUTCMonth() + 1,
    expYear: at.getUTCFullYear(),
  }
  await db
    .updateTable('payment_customers')
    .set({ card: JSON.stringify(changed) })
    .where('tenant_id', '=', tenantId)
    .execute()
}

describe('the renewal of a yearly subscription', () => {
  it('is announced 30 days before, once to owner and billing contact, however often jobs run', async () => {
    const { id, slug, end } = await subscribed(yearly, 'bills@acme.test')
    await runAt(end - 31 * day)
    expect(await mailsOf(id, 'subscription.renewal')).toEqual([])
    await Promise.all([runAt(end - 30 * day), runAt(end - 30 * day)])
    await runAt(end - 3 * day)
    const mails = await mailsOf(id, 'subscription.renewal')
    expect(mails.map(({ recipient }) => recipient).sort()).toEqual([
      'bills@acme.test',
      'owner@acme.test',
    ])
    const next = (
      await world.testApp.request('GET', `/tenants/${slug}/billing/next-invoice`, {
        token: world.owner,
      })
    ).body
    expect(mails[0]?.values).toMatchObject({
      'subscription.plan': 'Business',
      'invoice.amount': expect.stringContaining(
        (next.totalMinor / 100).toLocaleString('en', { minimumFractionDigits: 2 }),
      ),
      'link.billing': `https://portal.test/t/${slug}/billing`,
    })
  })

  it('is announced late when no job ran in time, and not after it', async () => {
    const { id, end } = await subscribed(yearly)
    await runAt(end + day)
    expect(await mailsOf(id, 'subscription.renewal')).toEqual([])
    await runAt(end - day / 2)
    expect(await mailsOf(id, 'subscription.renewal')).toHaveLength(1)
  })

  it('is not announced for a subscription that ends, nor for a monthly one', async () => {
    const ending = await subscribed(yearly)
    await world.call(ending.slug, '/cancel', {})
    const monthly = await subscribed({ ...yearly, cycle: 'month' })
    await runAt(ending.end - 20 * day)
    await runAt(monthly.end - 2 * day)
    expect(await mailsOf(ending.id, 'subscription.renewal')).toEqual([])
    expect(await mailsOf(monthly.id, 'subscription.renewal')).toEqual([])
  })

  it('is still announced, without tax, while the payment processor is away', async () => {
    const { id, end } = await subscribed(yearly)
    world.fault({ mode: 'error', status: 500, match: '/v1/invoices/create_preview', times: 100 })
    await runAt(end - 10 * day)
    world.testApp.sandbox.clearFaults()
    expect(await mailsOf(id, 'subscription.renewal')).toMatchObject([
      { values: { 'invoice.amount': expect.stringContaining('plus tax') } },
    ])
  })
})

describe('a card that expires before the next payment', () => {
  it('is told once for each payment, and not when it lasts', async () => {
    const lasting = await subscribed({ ...yearly, cycle: 'month' })
    const { id, slug, end } = await subscribed({ ...yearly, cycle: 'month' })
    await world.testApp.request('GET', `/tenants/${slug}/billing`, { token: world.owner })
    await world.testApp.request('GET', `/tenants/${lasting.slug}/billing`, { token: world.owner })
    await expiring(id, new Date(end - 31 * day))
    await Promise.all([runAt(end - 5 * day), runAt(end - 5 * day)])
    await runAt(end - 2 * day)
    expect(await mailsOf(id, 'card.expiring')).toMatchObject([
      {
        recipient: 'owner@acme.test',
        values: {
          'card.name': 'Visa •••• 4242',
          'card.expires': expect.stringMatching(/^\d\d\/\d{4}$/),
        },
      },
    ])
    expect(await mailsOf(lasting.id, 'card.expiring')).toEqual([])
  })
})

describe('a cancellation', () => {
  it('is confirmed with the moment of receipt and of the end, once, in the language of each reader', async () => {
    const { id, slug, end } = await subscribed(yearly, 'bills@acme.test')
    const { db } = world.testApp.database
    await db.updateTable('tenants').set({ language: 'de' }).where('id', '=', id).execute()
    for (const _ of [1, 2]) {
      expect(await world.call(slug, '/cancel', {})).toMatchObject({
        status: 200,
        body: { cancelAtPeriodEnd: true, canceledAt: expect.any(String) },
      })
    }
    await world.testApp.webhooks.deliver()
    await drainWebhooks(world.testApp.app.services)
    const mails = await mailsOf(id, 'subscription.canceled')
    expect(mails).toHaveLength(2)
    const german = mails.find(({ recipient }) => recipient === 'bills@acme.test')
    const ends = new Date(end).toLocaleDateString('de', {
      dateStyle: 'long',
      timeZone: 'UTC',
    })
    expect(german?.values).toMatchObject({
      language: 'de',
      'cancellation.receivedAt': expect.stringMatching(/\d\d:\d\d UTC$/),
      'cancellation.endsAt': expect.stringContaining(ends),
    })
  })

  it('is confirmed again when it was taken back before', async () => {
    const { id, slug } = await subscribed(yearly)
    await world.call(slug, '/cancel', {})
    await world.call(slug, '/keep', {})
    await world.at(new Date(world.started.getTime() + 2_000), () =>
      world.call(slug, '/cancel', { comment: 'We move on' }),
    )
    expect(await mailsOf(id, 'subscription.canceled')).toHaveLength(2)
  })

  it("on the payment processor's own pages is confirmed too", async () => {
    const { id, slug, customerId } = await subscribed(yearly)
    const [there] = await world.atProcessor(customerId)
    await world
      .processor()
      .setCancelAtPeriodEnd(there?.id ?? '', true, null, { idempotencyKey: `own ${slug}` })
    await world.testApp.webhooks.deliver()
    await drainWebhooks(world.testApp.app.services)
    expect(await mailsOf(id, 'subscription.canceled')).toHaveLength(1)
  })
})

describe('money that is given back', () => {
  it('is told with amount, invoice and link, once however often the event comes', async () => {
    const { id, customerId } = await subscribed(yearly)
    const [invoice] = await world.processor().listInvoices(customerId)
    const { sandbox } = world.testApp
    sandbox.payments.act({ action: 'refund', invoice: invoice?.id ?? '', amount: 500 })
    sandbox.payments.act({ action: 'credit_note', invoice: invoice?.id ?? '', amount: 300 })
    await world.testApp.webhooks.deliver()
    await drainWebhooks(world.testApp.app.services)
    for (const [template, amount] of [
      ['invoice.refunded', '€5.00'],
      ['invoice.credited', '€3.00'],
    ] as const) {
      expect(await mailsOf(id, template)).toMatchObject([
        {
          values: {
            'invoice.number': invoice?.number,
            'invoice.amount': amount,
            'link.invoice': expect.stringContaining(invoice?.id ?? '?'),
          },
        },
      ])
    }
  })
})
