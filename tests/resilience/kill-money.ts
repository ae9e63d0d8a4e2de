import { randomUUID } from 'node:crypto'
import { drainWebhooks } from '@atrium/api/billing/webhooks/process'
import { payout } from '@atrium/testing/matrix/payouts'
import type { MembersTestApp } from '@atrium/testing/members-test-app'
import {
  newName,
  newTenant,
  ok,
  payingTenant,
  subscriptionSettled,
  subscriptionState,
} from './kill-states.ts'
import type { Send, Write } from './kills.ts'

/** Subscriptions and cards at the payment processor, and what partners are paid. */
export function moneyWrites(testApp: MembersTestApp): readonly Write<never>[] {
  return [
    subscriptionAct(testApp, 'plan change', {
      seats: 3,
      call: (send, slug) => change(testApp, send, slug, { plan: 'enterprise' }),
    }),
    subscriptionAct(testApp, 'fewer seats at the end of the period', {
      seats: 5,
      call: (send, slug) => change(testApp, send, slug, { seats: 3 }),
    }),
    subscriptionAct(testApp, 'subscription cancel', {
      seats: 3,
      call: (send, slug) => act(testApp, send, slug, '/cancel'),
    }),
    subscriptionAct(testApp, 'subscription keep', {
      seats: 3,
      before: '/cancel',
      call: (send, slug) => act(testApp, send, slug, '/keep'),
    }),
    cardEntry(testApp),
    cardSet(testApp),
    cardRemove(testApp),
    invoicePay(testApp),
    invoiceRefund(testApp),
    payoutMove(testApp, 'payout approve', 'draft', ['/approve', {}]),
    payoutMove(testApp, 'payout pay', 'approved', ['/pay', { reference: 'SEPA 1' }]),
    payoutMove(testApp, 'payout void', 'draft', ['/void', { reason: 'Not wanted.' }]),
  ] as unknown as readonly Write<never>[]
}

interface Payer {
  slug: string
  customer: string
}

const ofTenant = (slug: string) => `/tenants/${slug}/subscription`
const act = (testApp: MembersTestApp, send: Send, slug: string, path: string) =>
  send('POST', `${ofTenant(slug)}${path}`, testApp.as.outsider, {})

async function change(testApp: MembersTestApp, send: Send, slug: string, requested: object) {
  const preview = await testApp.request('POST', `${ofTenant(slug)}/preview`, {
    token: testApp.as.outsider,
    body: requested,
  })
  if (preview.status !== 200) return preview
  return send('POST', `${ofTenant(slug)}/change`, testApp.as.outsider, {
    ...requested,
    quote: preview.body.quote,
  })
}

function subscriptionAct(
  testApp: MembersTestApp,
  name: string,
  {
    seats,
    before,
    call,
  }: { seats: number; before?: string; call: (send: Send, slug: string) => ReturnType<Send> },
): Write<Payer> {
  return {
    name,
    async prepare() {
      const payer = await payingTenant(testApp)
      const terms = { plan: 'business', cycle: 'month', currency: 'eur', seats }
      const ask = (path: string, body: object) =>
        ok(
          testApp.request('POST', `${ofTenant(payer.slug)}${path}`, {
            token: testApp.as.outsider,
            body,
          }),
        )
      await ask('', terms)
      if (before) await ask(before, {})
      return payer
    },
    call: (send, { slug }) => call(send, slug),
    async state(payer) {
      const rows = await testApp.database.db
        .selectFrom('subscriptions as s')
        .innerJoin('tenants as t', 't.id', 's.tenant_id')
        .select(['s.cancel_at_period_end as ends', 's.pending'])
        .where('t.slug', '=', payer.slug)
        .execute()
      const waiting = rows.map(({ ends, pending }) => ({ ends, pending: pending !== null }))
      return { subscription: await subscriptionState(testApp, payer), waiting }
    },
    settled: async (payer) =>
      (await subscriptionSettled(testApp, payer)) && (await termsAgree(testApp, payer)),
  }
}

/** The processor has our state: the price, and whether it ends with its period. */
async function termsAgree(testApp: MembersTestApp, { slug, customer }: Payer): Promise<boolean> {
  const rows = await testApp.database.db
    .selectFrom('subscriptions as s')
    .innerJoin('tenants as t', 't.id', 's.tenant_id')
    .select(['s.cancel_at_period_end as ends', 's.stripe_price_id as price'])
    .where('t.slug', '=', slug)
    .execute()
  const there = (await testApp.app.services.systems.payments?.listSubscriptions(customer)) ?? []
  const ours = rows.map(({ ends, price }) => `${price} ${ends}`)
  return (
    ours.join() ===
    there.map(({ priceId, cancelAtPeriodEnd }) => `${priceId} ${cancelAtPeriodEnd}`).join()
  )
}

/** The card here and the one at the processor. */
async function cardState(testApp: MembersTestApp, { slug, customer }: Payer) {
  const row = await testApp.database.db
    .selectFrom('payment_customers')
    .select('card')
    .where('customer_id', '=', customer)
    .executeTakeFirst()
  const there = await testApp.app.services.systems.payments?.findCustomer(customer)
  const { card } = (row ?? {}) as { card?: { last4: string } | null }
  const { customers } = testApp.sandbox.state().payments.records as {
    customers: { metadata?: object }[]
  }
  return {
    here: card?.last4 ?? null,
    there: there?.defaultCard?.last4 ?? null,
    customers: customers.filter((one) => JSON.stringify(one.metadata ?? {}).includes(slug)).length,
  }
}

async function cardSettled(testApp: MembersTestApp, payer: Payer): Promise<boolean> {
  await testApp.webhooks.deliver()
  const { here, there } = await cardState(testApp, payer)
  return here === there
}

const cardPath = (slug: string) => `/tenants/${slug}/billing/payment-method`

async function newCard(testApp: MembersTestApp): Promise<Payer & { paymentMethodId: string }> {
  const payer = await payingTenant(testApp)
  const made = testApp.sandbox.payments.act({
    action: 'attach_card',
    customer: payer.customer,
    card: 'pm_card_mastercard',
  })
  return { ...payer, paymentMethodId: String(Reflect.get(made, 'id')) }
}

function cardSet(testApp: MembersTestApp): Write<Payer & { paymentMethodId: string }> {
  return {
    name: 'card set',
    prepare: () => newCard(testApp),
    call: (send, { slug, paymentMethodId }) =>
      send('PUT', cardPath(slug), testApp.as.outsider, { paymentMethodId }),
    state: (payer) => cardState(testApp, payer),
    // A card that was entered is the processor's default before it is set here, and an event may
    // tell of that as well.
    async settled() {
      await testApp.webhooks.deliver()
      return true
    },
  }
}

/**
 * The tenant had no customer at the processor before; an unknown one would never be charged or
 * found.
 */
function cardEntry(testApp: MembersTestApp): Write<string> {
  return {
    name: 'card entry begun',
    prepare: () => newTenant(testApp),
    call: (send, slug) =>
      send('POST', `/tenants/${slug}/billing/setup-intent`, testApp.as.outsider, {}),
    async state(slug) {
      const rows = await testApp.database.db
        .selectFrom('payment_customers as c')
        .innerJoin('tenants as t', 't.id', 'c.tenant_id')
        .select('c.customer_id as id')
        .where('t.slug', '=', slug)
        .execute()
      const { customers } = testApp.sandbox.state().payments.records as {
        customers: { id: string; metadata?: object }[]
      }
      const there = customers.filter(({ metadata }) =>
        JSON.stringify(metadata ?? {}).includes(slug),
      )
      return {
        here: rows.length,
        there: there.length,
        ours: there.filter(({ id }) => rows.some((row) => row.id === id)).length,
      }
    },
    // Created there with a lost response: the same key returns the same one.
    mayRest: (state) => (state as { here: number }).here === 0,
    settled: async () => true,
  }
}

/** An invoice whose charge was declined, and a card by now that is not. */
function invoicePay(testApp: MembersTestApp): Write<Payer & { invoice: string }> {
  const invoices = ({ slug }: Payer) =>
    testApp.database.db
      .selectFrom('invoices as i')
      .innerJoin('tenants as t', 't.id', 'i.tenant_id')
      .select(['i.id', 'i.stripe_invoice_id as there', 'i.status', 'i.amount_paid as paid'])
      .where('t.slug', '=', slug)
      .execute()
  return {
    name: 'invoice pay',
    async prepare() {
      const payer = await payingTenant(testApp)
      const attach = (card: string) =>
        testApp.sandbox.payments.act({ action: 'attach_card', customer: payer.customer, card })
      attach('pm_card_chargeCustomerFail')
      const terms = { plan: 'business', cycle: 'month', currency: 'eur', seats: 3 }
      await testApp.request('POST', ofTenant(payer.slug), {
        token: testApp.as.outsider,
        body: terms,
      })
      for (
        let keyedLimiter = 0;
        keyedLimiter < 5 && testApp.webhooks.pending().length > 0;
        keyedLimiter++
      ) {
        await testApp.webhooks.deliver()
        await drainWebhooks(testApp.app.services)
      }
      attach('pm_card_visa')
      const [open] = await invoices(payer)
      if (open?.status !== 'open')
        throw new Error(`${payer.slug} has no open invoice: ${JSON.stringify(open)}`)
      return { ...payer, invoice: open.id }
    },
    call: (send, { slug, invoice }) =>
      send('POST', `/tenants/${slug}/invoices/${invoice}/pay`, testApp.as.outsider, {}),
    async state(payer) {
      const rows = await invoices(payer)
      const there = []
      for (const row of rows)
        there.push((await testApp.app.services.systems.payments?.findInvoice(row.there))?.status)
      return {
        rows: rows.map(({ status, paid }) => ({ status, paid })),
        there,
        subscription: await subscriptionState(testApp, payer),
      }
    },
    async settled(payer) {
      await testApp.webhooks.deliver()
      const rows = await invoices(payer)
      const there = []
      for (const row of rows)
        there.push((await testApp.app.services.systems.payments?.findInvoice(row.there))?.status)
      const { rows: ours, there: theirs } = (await subscriptionState(testApp, payer)) as Record<
        'rows' | 'there',
        { status: string }[]
      >
      const same =
        ours.map(({ status }) => status).join() === theirs.map(({ status }) => status).join()
      return same && rows.map(({ status }) => status).join() === there.join()
    },
  }
}

/** A part of a paid invoice that goes back to the card, with its credit note. */
function invoiceRefund(testApp: MembersTestApp): Write<Payer & { invoice: string; there: string }> {
  const corrections = (invoice: string) =>
    testApp.database.db
      .selectFrom('invoice_corrections')
      .select(['id', 'state', 'amount'])
      .where('invoice_id', '=', invoice)
      .execute()
  return {
    name: 'invoice refund',
    lapses: true,
    async prepare() {
      const payer = await payingTenant(testApp)
      const terms = { plan: 'business', cycle: 'month', currency: 'eur', seats: 3 }
      await ok(
        testApp.request('POST', ofTenant(payer.slug), { token: testApp.as.outsider, body: terms }),
      )
      for (let rounds = 0; rounds < 5 && testApp.webhooks.pending().length > 0; rounds++) {
        await testApp.webhooks.deliver()
        await drainWebhooks(testApp.app.services)
      }
      const { id, there } = await testApp.database.db
        .selectFrom('invoices as i')
        .innerJoin('tenants as t', 't.id', 'i.tenant_id')
        .select(['i.id', 'i.stripe_invoice_id as there'])
        .where('t.slug', '=', payer.slug)
        .executeTakeFirstOrThrow()
      return { ...payer, invoice: id, there }
    },
    call: (send, { invoice }) =>
      send('POST', `/billing/invoices/${invoice}/corrections`, testApp.as.operator, {
        requestId: randomUUID(),
        kind: 'credit',
        destination: 'card',
        amountMinor: 500,
        reason: 'Agreed with the customer.',
      }),
    async state({ invoice, there }) {
      const notes = await testApp.app.services.systems.payments?.listCreditNotes(there)
      return {
        corrections: (await corrections(invoice)).map(({ state, amount }) => ({ state, amount })),
        there: notes?.map(({ total, refundIds }) => ({ total, refunds: refundIds.length })),
      }
    },
    // The job goes on with it, once the lease of the process that died is over.
    mayRest: (state) =>
      (state as { corrections: { state: string }[] }).corrections.some(
        (one) => one.state === 'approved',
      ),
    settled: async ({ invoice }) =>
      (await corrections(invoice)).every(({ state }) => state !== 'approved'),
    passLeases: async () => {
      await testApp.database.db
        .updateTable('invoice_corrections')
        .set({ lease_until: null, next_at: new Date(0) })
        .where('state', '=', 'approved')
        .execute()
    },
  }
}

function cardRemove(testApp: MembersTestApp): Write<Payer> {
  return {
    name: 'card remove',
    async prepare() {
      const { paymentMethodId, ...payer } = await newCard(testApp)
      await ok(
        testApp.request('PUT', cardPath(payer.slug), {
          token: testApp.as.outsider,
          body: { paymentMethodId },
        }),
      )
      return payer
    },
    call: (send, { slug }) => send('DELETE', cardPath(slug), testApp.as.outsider),
    state: (payer) => cardState(testApp, payer),
    settled: (payer) => cardSettled(testApp, payer),
  }
}

interface Payout {
  partnerId: string
  id: string
}

function payoutMove(
  testApp: MembersTestApp,
  name: string,
  from: 'draft' | 'approved',
  [path, body]: [string, object],
): Write<Payout> {
  return {
    name,
    async prepare() {
      const slug = newName('paid')
      const fields = { slug, name: slug, contact_email: `${slug}@example.test` }
      const made = testApp.database.db
        .insertInto('partners')
        .values(fields)
        .returning('id')
        .executeTakeFirstOrThrow()
      const { id: partnerId } = await made
      return { partnerId, id: (await payout({ testApp, partnerId }, from)).id }
    },
    call: (send, { id }) =>
      send('POST', `/billing/payouts/${id}${path}`, testApp.as.operator, body),
    async state({ partnerId, id }) {
      const { db } = testApp.database
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
      const held = await db
        .selectFrom('payout_entries')
        .select('payout_id')
        .where('payout_id', '=', id)
        .execute()
      const mails = await db
        .selectFrom('outbox')
        .select('id')
        .where('key', 'like', `payout.paid:${id}:%`)
        .execute()
      return {
        ...row,
        statement: row.statement !== null,
        entries,
        held: held.length,
        mails: mails.length,
      }
    },
    settled: async () => true,
  }
}
