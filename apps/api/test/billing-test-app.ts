import { tenantIdOf } from '@atrium/testing/records'
import type { TestApp, TestResponse } from '@atrium/testing/test-app'
import { drainWebhooks } from '../src/billing/webhooks/process.ts'

export interface Billing {
  as(email: string): {
    get(path: string): Promise<TestResponse>
    send(method: string, path: string, body?: unknown): Promise<TestResponse>
  }
  tenantId(slug: string): Promise<string>
  /** The tenant's customer at the payment processor; undefined while there is none. */
  customerId(slug: string): Promise<string | undefined>
  /**
   * Enters a test card on the processor's form, as a person does with the client secret of a setup
   * intent. Returns its id.
   */
  enterCard(slug: string, card: string): Promise<string>
  /** Makes it the default card through our API. */
  setCard(slug: string, card: string): Promise<TestResponse>
  /** Delivers what waits at the processor and acts on it, until nothing waits. */
  settle(): Promise<void>
  subscribe(
    slug: string,
    fields?: { plan?: string; seats?: number; currency?: string },
  ): Promise<TestResponse>
}

export function billingOf(testApp: TestApp): Billing {
  const owner = (slug: string) => `owner@${slug}.test`
  const as: Billing['as'] = (email) => ({
    get: async (path) => testApp.request('GET', path, { token: await testApp.token(email) }),
    send: async (method, path, body) =>
      testApp.request(method, path, { token: await testApp.token(email), body }),
  })
  const tenantId = (slug: string) => tenantIdOf(testApp.database.db, slug)
  const customerId = async (slug: string) => {
    const id = await tenantId(slug)
    const row = await testApp.database.db
      .selectFrom('payment_customers')
      .select('customer_id')
      .where('tenant_id', '=', id)
      .executeTakeFirst()
    return row?.customer_id ?? undefined
  }
  async function enterCard(slug: string, card: string): Promise<string> {
    const { status, body } = await as(owner(slug)).send(
      'POST',
      `/tenants/${slug}/billing/setup-intent`,
    )
    if (status !== 200) throw new Error(`no setup intent: ${status} ${JSON.stringify(body)}`)
    const [setupIntent = ''] = String(body.clientSecret).split('_secret_')
    const intent = testApp.sandbox.payments.act({ action: 'confirm_setup', setupIntent, card })
    return String(Reflect.get(intent, 'payment_method'))
  }
  return {
    as,
    tenantId,
    customerId,
    enterCard,
    async setCard(slug, card) {
      const paymentMethodId = await enterCard(slug, card)
      return as(owner(slug)).send('PUT', `/tenants/${slug}/billing/payment-method`, {
        paymentMethodId,
      })
    },
    async settle() {
      for (let rounds = 0; rounds < 20 && testApp.webhooks.pending().length > 0; rounds++) {
        await testApp.webhooks.deliver()
        await drainWebhooks(testApp.app.services)
      }
    },
    subscribe: (slug, fields = {}) =>
      as(owner(slug)).send('POST', `/tenants/${slug}/subscription`, {
        plan: 'starter',
        cycle: 'month',
        currency: 'eur',
        seats: 5,
        ...fields,
      }),
  }
}
