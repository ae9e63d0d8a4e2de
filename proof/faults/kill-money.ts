import { drainWebhooks } from '../../apps/api/src/webhooks/process.ts'
import { payout } from '../../apps/api/test/matrix/payouts.ts'
import type { MembersHouse } from '../../apps/api/test/members-house.ts'
import { newName, newTenant, ok, payingTenant, subscriptionSettled, subscriptionState } from './kill-states.ts'
import type { Send, Write } from './kills.ts'

/** Subscriptions and cards at the payment processor, and what partners are paid. */
export function moneyWrites(house: MembersHouse): readonly Write<never>[] {
  return [
    subscriptionAct(house, 'plan change', { seats: 3, call: (send, slug) => change(house, send, slug, { plan: 'enterprise' }) }),
    subscriptionAct(house, 'fewer seats at the end of the period', {
      seats: 5,
      call: (send, slug) => change(house, send, slug, { seats: 3 }),
    }),
    subscriptionAct(house, 'subscription cancel', { seats: 3, call: (send, slug) => act(house, send, slug, '/cancel') }),
    subscriptionAct(house, 'subscription keep', { seats: 3, before: '/cancel', call: (send, slug) => act(house, send, slug, '/keep') }),
    cardEntry(house),
    cardSet(house),
    cardRemove(house),
    invoicePay(house),
    payoutMove(house, 'payout approve', 'draft', ['/approve', {}]),
    payoutMove(house, 'payout pay', 'approved', ['/pay', { reference: 'SEPA 1' }]),
    payoutMove(house, 'payout void', 'draft', ['/void', { reason: 'Not wanted.' }]),
  ] as unknown as readonly Write<never>[]
}

interface Payer {
  slug: string
  customer: string
}

const ofTenant = (slug: string) => `/tenants/${slug}/subscription`
const act = (house: MembersHouse, send: Send, slug: string, path: string) => send('POST', `${ofTenant(slug)}${path}`, house.as.stranger, {})

async function change(house: MembersHouse, send: Send, slug: string, wanted: object) {
  const preview = await house.request('POST', `${ofTenant(slug)}/preview`, { token: house.as.stranger, body: wanted })
  if (preview.status !== 200) return preview
  return send('POST', `${ofTenant(slug)}/change`, house.as.stranger, { ...wanted, quote: preview.body.quote })
}

function subscriptionAct(
  house: MembersHouse,
  name: string,
  { seats, before, call }: { seats: number; before?: string; call: (send: Send, slug: string) => ReturnType<Send> },
): Write<Payer> {
  return {
    name,
    async prepare() {
      const payer = await payingTenant(house)
      const terms = { plan: 'business', cycle: 'month', currency: 'eur', seats }
      const ask = (path: string, body: object) =>
        ok(house.request('POST', `${ofTenant(payer.slug)}${path}`, { token: house.as.stranger, body }))
      await ask('', terms)
      if (before) await ask(before, {})
      return payer
    },
    call: (send, { slug }) => call(send, slug),
    async state(payer) {
      const rows = await house.database.db
        .selectFrom('subscriptions as s')
        .innerJoin('tenants as t', 't.id', 's.tenant_id')
        .select(['s.cancel_at_period_end as ends', 's.pending'])
        .where('t.slug', '=', payer.slug)
        .execute()
      const waiting = rows.map(({ ends, pending }) => ({ ends, pending: pending !== null }))
      return { subscription: await subscriptionState(house, payer), waiting }
    },
    settled: async (payer) => (await subscriptionSettled(house, payer)) && (await termsAgree(house, payer)),
  }
}

/** The processor has what stands here: the price, and whether it ends with its period. */
async function termsAgree(house: MembersHouse, { slug, customer }: Payer): Promise<boolean> {
  const rows = await house.database.db
    .selectFrom('subscriptions as s')
    .innerJoin('tenants as t', 't.id', 's.tenant_id')
    .select(['s.cancel_at_period_end as ends', 's.stripe_price_id as price'])
    .where('t.slug', '=', slug)
    .execute()
  const there = (await house.app.house.systems.payments?.listSubscriptions(customer)) ?? []
  const ours = rows.map(({ ends, price }) => `${price} ${ends}`)
  return ours.join() === there.map(({ priceId, cancelAtPeriodEnd }) => `${priceId} ${cancelAtPeriodEnd}`).join()
}

/** The card here and the one at the processor. */
async function cardState(house: MembersHouse, { slug, customer }: Payer) {
  const row = await house.database.db.selectFrom('payment_customers').select('card').where('customer_id', '=', customer).executeTakeFirst()
  const there = await house.app.house.systems.payments?.findCustomer(customer)
  const { card } = (row ?? {}) as { card?: { last4: string } | null }
  const { customers } = house.sandbox.state().payments.records as { customers: { metadata?: object }[] }
  return {
    here: card?.last4 ?? null,
    there: there?.defaultCard?.last4 ?? null,
    customers: customers.filter((one) => JSON.stringify(one.metadata ?? {}).includes(slug)).length,
  }
}

async function cardSettled(house: MembersHouse, payer: Payer): Promise<boolean> {
  await house.webhooks.deliver()
  const { here, there } = await cardState(house, payer)
  return here === there
}

const cardPath = (slug: string) => `/tenants/${slug}/billing/payment-method`

async function newCard(house: MembersHouse): Promise<Payer & { paymentMethodId: string }> {
  const payer = await payingTenant(house)
  const made = house.sandbox.payments.act({ action: 'attach_card', customer: payer.customer, card: 'pm_card_mastercard' })
  return { ...payer, paymentMethodId: String(Reflect.get(made, 'id')) }
}

function cardSet(house: MembersHouse): Write<Payer & { paymentMethodId: string }> {
  return {
    name: 'card set',
    prepare: () => newCard(house),
    call: (send, { slug, paymentMethodId }) => send('PUT', cardPath(slug), house.as.stranger, { paymentMethodId }),
    state: (payer) => cardState(house, payer),
    // A card that was entered is the processor's default before it is set here, and an event may tell of that as well.
    async settled() {
      await house.webhooks.deliver()
      return true
    },
  }
}

/** The tenant has no customer at the processor before; one that nobody knows of would be charged by nobody and found by nobody. */
function cardEntry(house: MembersHouse): Write<string> {
  return {
    name: 'card entry begun',
    prepare: () => newTenant(house),
    call: (send, slug) => send('POST', `/tenants/${slug}/billing/setup-intent`, house.as.stranger, {}),
    async state(slug) {
      const rows = await house.database.db
        .selectFrom('payment_customers as c')
        .innerJoin('tenants as t', 't.id', 'c.tenant_id')
        .select('c.customer_id as id')
        .where('t.slug', '=', slug)
        .execute()
      const { customers } = house.sandbox.state().payments.records as { customers: { id: string; metadata?: object }[] }
      const there = customers.filter(({ metadata }) => JSON.stringify(metadata ?? {}).includes(slug))
      return { here: rows.length, there: there.length, ours: there.filter(({ id }) => rows.some((row) => row.id === id)).length }
    },
    // Made there, and the answer lost: the same key makes the same one.
    mayRest: (state) => (state as { here: number }).here === 0,
    settled: async () => true,
  }
}

/** An invoice whose charge was declined, and a card by now that is not. */
function invoicePay(house: MembersHouse): Write<Payer & { invoice: string }> {
  const invoices = ({ slug }: Payer) =>
    house.database.db
      .selectFrom('invoices as i')
      .innerJoin('tenants as t', 't.id', 'i.tenant_id')
      .select(['i.id', 'i.stripe_invoice_id as there', 'i.status', 'i.amount_paid as paid'])
      .where('t.slug', '=', slug)
      .execute()
  return {
    name: 'invoice pay',
    async prepare() {
      const payer = await payingTenant(house)
      const attach = (card: string) => house.sandbox.payments.act({ action: 'attach_card', customer: payer.customer, card })
      attach('pm_card_chargeCustomerFail')
      const terms = { plan: 'business', cycle: 'month', currency: 'eur', seats: 3 }
      await house.request('POST', ofTenant(payer.slug), { token: house.as.stranger, body: terms })
      for (let turns = 0; turns < 5 && house.webhooks.pending().length > 0; turns++) {
        await house.webhooks.deliver()
        await drainWebhooks(house.app.house)
      }
      attach('pm_card_visa')
      const [open] = await invoices(payer)
      if (open?.status !== 'open') throw new Error(`${payer.slug} has no open invoice: ${JSON.stringify(open)}`)
      return { ...payer, invoice: open.id }
    },
    call: (send, { slug, invoice }) => send('POST', `/tenants/${slug}/invoices/${invoice}/pay`, house.as.stranger, {}),
    async state(payer) {
      const rows = await invoices(payer)
      const there = []
      for (const row of rows) there.push((await house.app.house.systems.payments?.findInvoice(row.there))?.status)
      return { rows: rows.map(({ status, paid }) => ({ status, paid })), there, subscription: await subscriptionState(house, payer) }
    },
    async settled(payer) {
      await house.webhooks.deliver()
      const rows = await invoices(payer)
      const there = []
      for (const row of rows) there.push((await house.app.house.systems.payments?.findInvoice(row.there))?.status)
      const { rows: ours, there: theirs } = (await subscriptionState(house, payer)) as Record<'rows' | 'there', { status: string }[]>
      const same = ours.map(({ status }) => status).join() === theirs.map(({ status }) => status).join()
      return same && rows.map(({ status }) => status).join() === there.join()
    },
  }
}

function cardRemove(house: MembersHouse): Write<Payer> {
  return {
    name: 'card remove',
    async prepare() {
      const { paymentMethodId, ...payer } = await newCard(house)
      await ok(house.request('PUT', cardPath(payer.slug), { token: house.as.stranger, body: { paymentMethodId } }))
      return payer
    },
    call: (send, { slug }) => send('DELETE', cardPath(slug), house.as.stranger),
    state: (payer) => cardState(house, payer),
    settled: (payer) => cardSettled(house, payer),
  }
}

interface Payout {
  partnerId: string
  id: string
}

function payoutMove(house: MembersHouse, name: string, from: 'draft' | 'approved', [path, body]: [string, object]): Write<Payout> {
  return {
    name,
    async prepare() {
      const slug = newName('paid')
      const fields = { slug, name: slug, contact_email: `${slug}@example.test` }
      const made = house.database.db.insertInto('partners').values(fields).returning('id').executeTakeFirstOrThrow()
      const { id: partnerId } = await made
      return { partnerId, id: (await payout({ house, partnerId }, from)).id }
    },
    call: (send, { id }) => send('POST', `/billing/payouts/${id}${path}`, house.as.operator, body),
    async state({ partnerId, id }) {
      const { db } = house.database
      const row = await db
        .selectFrom('payouts')
        .select(['status', 'amount', 'version', 'reference', 'statement'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      const entries = await db
        .selectFrom('partner_ledger')
        .select(['type', 'amount'])
        .where('partner_id', '=', partnerId)
        .orderBy('id')
        .execute()
      const held = await db.selectFrom('payout_entries').select('payout_id').where('payout_id', '=', id).execute()
      const mails = await db.selectFrom('outbox').select('id').where('key', 'like', `payout.paid:${id}:%`).execute()
      return { ...row, statement: row.statement !== null, entries, held: held.length, mails: mails.length }
    },
    settled: async () => true,
  }
}
