import { drainWebhooks } from '../src/webhooks/process.ts'
import type { Answer, TestHouse } from './house.ts'

export interface Billing {
  as(email: string): { get(path: string): Promise<Answer>; send(method: string, path: string, body?: unknown): Promise<Answer> }
  tenantId(slug: string): Promise<string>
  /** The tenant's customer at the payment processor; undefined while there is none. */
  customerId(slug: string): Promise<string | undefined>
  /** Enters a test card on the processor's form, as a person does with the client secret of a setup intent. Answers its id. */
  enterCard(slug: string, card: string): Promise<string>
  /** Makes it the default card through our API. */
  setCard(slug: string, card: string): Promise<Answer>
  /** Delivers what waits at the processor and acts on it, until nothing waits. */
  settle(): Promise<void>
  subscribe(slug: string, fields?: { plan?: string; seats?: number; currency?: string }): Promise<Answer>
}

export function billingOf(house: TestHouse): Billing {
  const owner = (slug: string) => `owner@${slug}.test`
  const as: Billing['as'] = (email) => ({
    get: async (path) => house.request('GET', path, { token: await house.token(email) }),
    send: async (method, path, body) => house.request(method, path, { token: await house.token(email), body }),
  })
  const tenantId = async (slug: string) =>
    (await house.database.db.selectFrom('tenants').select('id').where('slug', '=', slug).executeTakeFirstOrThrow()).id
  const customerId = async (slug: string) => {
    const id = await tenantId(slug)
    const row = await house.database.db.selectFrom('payment_customers').select('customer_id').where('tenant_id', '=', id).executeTakeFirst()
    return row?.customer_id ?? undefined
  }
  async function enterCard(slug: string, card: string): Promise<string> {
    const { status, body } = await as(owner(slug)).send('POST', `/tenants/${slug}/billing/setup-intent`)
    if (status !== 200) throw new Error(`no setup intent: ${status} ${JSON.stringify(body)}`)
    const [setupIntent = ''] = String(body.clientSecret).split('_secret_')
    const intent = house.sandbox.payments.act({ action: 'confirm_setup', setupIntent, card })
    return String(Reflect.get(intent, 'payment_method'))
  }
  return {
    as,
    tenantId,
    customerId,
    enterCard,
    async setCard(slug, card) {
      const paymentMethodId = await enterCard(slug, card)
      return as(owner(slug)).send('PUT', `/tenants/${slug}/billing/payment-method`, { paymentMethodId })
    },
    async settle() {
      for (let rounds = 0; rounds < 20 && house.webhooks.pending().length > 0; rounds++) {
        await house.webhooks.deliver()
        await drainWebhooks(house.app.house)
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
