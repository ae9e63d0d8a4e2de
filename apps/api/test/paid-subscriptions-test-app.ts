import { randomBytes } from 'node:crypto'
import { connectIntegrations } from '@atrium/integrations/connect'
import type { ProcessorSubscription } from '@atrium/integrations/payments/port'
import type { FaultInput } from '@atrium/sandbox/faults'
import { insertTestTenant, userIdOf } from '@atrium/testing/records'
import { startTestApp } from '@atrium/testing/test-app'
import { expect } from 'vitest'
import { ensureCustomer } from '../src/billing/invoices/customer.ts'
import { applyDueSubscriptions } from '../src/billing/subscriptions/due.ts'
import { terms } from './subscriptions-test-app.ts'

export type PaidSubscriptionsTestApp = Awaited<ReturnType<typeof openPaidSubscriptions>>

/**
 * A test app with payments, with a clock of its own, and what tests of subscriptions at the payment
 * processor do there.
 */
export async function openPaidSubscriptions({
  env = {},
  poolSize,
}: {
  env?: Record<string, string>
  /** Ordinary connections to the database. */
  poolSize?: number
} = {}) {
  const started = new Date(Math.floor(Date.now() / 1000) * 1000)
  let now = started
  const testApp = await startTestApp({
    provisioned: false,
    env,
    ...(poolSize !== undefined && { poolSize }),
    clock: { now: () => now },
    // Fails as often as a test lets it, without being given up on.
    integrations: async (connected, { payments, vies }) => {
      const own = await connectIntegrations({
        identity: null,
        mail: null,
        files: null,
        smtp: null,
        payments,
        vies,
        policy: {
          deadlineMs: 1_000,
          retries: 1,
          backoffMs: { initial: 5, max: 10 },
          circuit: { failures: 10_000, openMs: 1 },
        },
      })
      return { ...connected, payments: own.payments, vatRegistry: own.vatRegistry }
    },
  })
  const [operator, owner] = [
    await testApp.token('operator@atrium.test'),
    await testApp.token('owner@acme.test'),
  ]

  /** Does something as if it were then; requests need a token, so not for longer than one lives. */
  const at = <Result>(then: Date, work: () => Promise<Result>) => {
    now = then
    return work().finally(() => {
      now = started
    })
  }
  const fault = (input: Omit<FaultInput, 'system'>) =>
    testApp.sandbox.fault({ system: 'payments', ...input })
  const processor = () => {
    const { payments } = testApp.app.services.systems
    if (!payments) throw new Error('this test app has a payment processor')
    return payments
  }

  /**
   * A tenant whose owner is acme's, with a customer at the payment processor and, if wanted, a card
   * there.
   */
  async function newTenant(
    card?: string,
  ): Promise<{ slug: string; id: string; customerId: string }> {
    const slug = `t-${randomBytes(6).toString('hex')}`
    const { db } = testApp.database
    const ownerId = await userIdOf(db, 'owner@acme.test')
    const made = await db.transaction().execute((trx) => insertTestTenant(trx, { slug, ownerId }))
    const customerId = await ensureCustomer(testApp.app.services, processor(), made.id)
    if (card) testApp.sandbox.payments.act({ action: 'attach_card', customer: customerId, card })
    return { slug, id: made.id, customerId }
  }

  const call = (slug: string, path = '', body?: Record<string, unknown>) =>
    testApp.request(body ? 'POST' : 'GET', `/tenants/${slug}/subscription${path}`, {
      token: owner,
      ...(body ? { body } : {}),
    })
  async function subscribed(card = 'pm_card_visa') {
    const tenant = await newTenant(card)
    const { status, body } = await call(tenant.slug, '', terms)
    expect(status, JSON.stringify(body)).toBe(201)
    return { ...tenant, subscription: body.subscription, stripeId: await stripeIdOf(tenant.slug) }
  }
  const stripeIdOf = async (slug: string): Promise<string> => {
    const { body } = await testApp.request('GET', `/subscriptions?tenantSlug=${slug}`, {
      token: operator,
    })
    return body.items[0].stripeSubscriptionId
  }
  const rows = async (slug: string) =>
    (await testApp.request('GET', `/subscriptions?tenantSlug=${slug}`, { token: operator })).body
      .items
  const atProcessor = (customerId: string) => processor().listSubscriptions(customerId)
  const tenantRow = (slug: string) =>
    testApp.database.db
      .selectFrom('tenants')
      .select(['plan', 'seats'])
      .where('slug', '=', slug)
      .executeTakeFirstOrThrow()
  async function change(slug: string, fields: Record<string, unknown>) {
    const preview = await call(slug, '/preview', fields)
    expect(preview.status, JSON.stringify(preview.body)).toBe(200)
    const answer = await call(slug, '/change', { ...fields, quote: preview.body.quote })
    return { preview: preview.body, answer }
  }
  const settleAt = (then: Date) => at(then, () => applyDueSubscriptions(testApp.app.services))
  const read = (id: string): Promise<ProcessorSubscription> =>
    processor()
      .findSubscription(id)
      .then((found) => {
        if (!found) throw new Error(`${id} is gone`)
        return found
      })

  return {
    testApp,
    started,
    operator,
    owner,
    at,
    fault,
    processor,
    newTenant,
    call,
    subscribed,
    rows,
    atProcessor,
    tenantRow,
    change,
    settleAt,
    read,
    [Symbol.asyncDispose]: () => testApp[Symbol.asyncDispose](),
  }
}
