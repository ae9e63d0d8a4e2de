import type { DemoCompany, DemoHistory, DemoMove } from '@atrium/core/demo/demo-history'
import { seededNumbers } from '@atrium/core/demo/seeded-numbers'
import Stripe from 'stripe'
import { findCard } from './cards.ts'
import { tellSubscription } from './collection.ts'
import { missing } from './faults.ts'
import { attachCard, tellCustomer } from './people.ts'
import type {
  Customer,
  EventRecord,
  Invoice,
  PaymentMethod,
  Saved,
  Subscription,
} from './records.ts'
import { creditNote, refund } from './reversals.ts'
import { seedPayments } from './seed.ts'
import { createStore, newId, withSeededIds } from './store.ts'
import { changeItem, createSubscription } from './subscription-changes.ts'
import { noTax } from './taxes.ts'
import { catchUp } from './time.ts'
import { createWorld, defaultSettings, type PaymentsSettings, type PaymentsWorld } from './world.ts'

export interface PaymentsHistory {
  /** The records at the end, as `load` takes them. Every event counts as delivered. */
  readonly saved: Saved
  /** Every event, oldest first, also those that `saved` no longer keeps. */
  readonly events: readonly EventRecord[]
  /** Customers by the slug of their company. */
  readonly customers: ReadonlyMap<string, string>
  /** The cards that customers are charged to, by the slug of their company. */
  readonly cards: ReadonlyMap<string, PaymentMethod>
}

const seed = 4_711

/**
 * Lives through the history on a clock of its own: the same periods, prorations, tries and events
 * as if every customer had been here all along. The same history gives the same records, ids
 * included.
 */
export function livePaymentsHistory(
  history: DemoHistory,
  settings: PaymentsSettings = defaultSettings,
): PaymentsHistory {
  return withSeededIds(seededNumbers(seed), () => live(history, settings))
}

function live({ companies, until }: DemoHistory, settings: PaymentsSettings): PaymentsHistory {
  let now = Math.min(...companies.map(({ sale }) => sale.at.getTime()))
  const store = createStore()
  const parts = {
    store,
    settings,
    machineNow: () => now,
    changed: () => {},
    origin: () => '',
    announce: () => {},
  }
  const world = createWorld(parts, Stripe.API_VERSION)
  seedPayments(store, 'demo', now - 1_000)

  const customers = new Map<string, Customer>()
  const sales = new Map<string, Subscription>()
  const actions = companies.flatMap((company) => [
    { at: company.sale.at, run: () => start(world, company, customers, sales) },
    ...company.sale.moves.map((move) => ({
      at: move.at,
      run: () => carryOut(world, company, move, { customers, sales }),
    })),
  ])
  const upTo = (moment: Date) => {
    now = moment.getTime()
    catchUp(world)
  }
  for (const { at, run } of actions.sort((one, other) => one.at.getTime() - other.at.getTime())) {
    upTo(at)
    run()
  }
  upTo(until)

  const events = store.events.all()
  for (const event of events)
    event.deliveries = [{ at: new Date(event.created * 1000).toISOString(), status: 200 }]
  store.trim()
  const cards = [...customers].flatMap(([slug, { defaultPaymentMethod }]) =>
    defaultPaymentMethod === null
      ? []
      : [[slug, store.paymentMethods.get(defaultPaymentMethod)] as const],
  )
  return {
    saved: store.save(),
    events,
    customers: new Map([...customers].map(([slug, { id }]) => [slug, id])),
    cards: new Map(cards),
  }
}

function start(
  world: PaymentsWorld,
  company: DemoCompany,
  customers: Map<string, Customer>,
  sales: Map<string, Subscription>,
): void {
  const { slug, name, country, sale } = company
  const customer = world.store.customers.add({
    id: newId('cus', 14),
    name,
    email: `billing@${slug}.test`,
    address: {
      line1: null,
      line2: null,
      postalCode: null,
      city: null,
      state: null,
      country,
    },
    metadata: { tenantSlug: slug },
    defaultPaymentMethod: null,
    balance: 0,
    currency: null,
    taxExempt: 'none' as const,
    created: world.now(),
    deleted: false,
  })
  customers.set(slug, customer)
  tellCustomer(world, 'customer.created', customer)
  if (sale.card !== null) useCard(world, customer, sale.card)
  const { plan, cycle, currency } = sale
  const subscription = createSubscription(world, {
    customer,
    price: world.store.prices.get(priceId(plan, cycle, currency), 'price'),
    quantity: sale.seats,
    metadata: { plan },
    trialEnd: sale.trialDays === 0 ? null : world.now() + sale.trialDays * 86_400,
    missingPaymentMethod: 'pause',
    behavior: 'allow_incomplete',
    defaultPaymentMethod: null,
    billingMode: 'flexible',
    tax: noTax,
  })
  sales.set(slug, subscription)
}

interface Parties {
  readonly customers: ReadonlyMap<string, Customer>
  readonly sales: ReadonlyMap<string, Subscription>
}

function carryOut(
  world: PaymentsWorld,
  company: DemoCompany,
  move: DemoMove,
  { customers, sales }: Parties,
): void {
  const [customer, subscription] = [customers.get(company.slug), sales.get(company.slug)]
  if (!customer || !subscription) throw missing('customer', company.slug, 'customer')
  switch (move.kind) {
    case 'seats':
      change(world, subscription, { quantity: move.seats })
      break
    case 'plan':
      change(world, subscription, {
        price: priceId(move.plan, company.sale.cycle, company.sale.currency),
        plan: move.plan,
      })
      break
    case 'card':
      useCard(world, customer, move.card)
      break
    case 'cancel':
      leave(world, subscription, move)
      break
    case 'refund':
      refund(world, lastPaid(world, subscription), undefined, 'succeeded')
      break
    case 'credit_note':
      creditNote(world, lastPaid(world, subscription), {
        amount: move.amount,
        refund: 0,
        balance: move.amount,
        outside: 0,
      })
      break
  }
}

/** At the end of the period, which is where the product's own page ends a subscription. */
function leave(
  world: PaymentsWorld,
  subscription: Subscription,
  { feedback, comment }: Extract<DemoMove, { kind: 'cancel' }>,
): void {
  Object.assign(subscription, {
    cancelAtPeriodEnd: true,
    cancelAt: subscription.periodEnd,
    canceledAt: world.now(),
    cancelReason: 'cancellation_requested',
    cancelFeedback: feedback,
    cancelComment: comment,
  })
  tellSubscription(world, 'customer.subscription.updated', subscription)
}

function change(
  world: PaymentsWorld,
  subscription: Subscription,
  to: { price?: string; quantity?: number; plan?: string },
): void {
  changeItem(world, subscription, {
    change: {
      price: to.price ?? subscription.price,
      quantity: to.quantity ?? subscription.quantity,
      anchorNow: false,
    },
    metadata: to.plan === undefined ? {} : { plan: to.plan },
    proration: 'always_invoice',
    prorationDate: world.now(),
    behavior: 'allow_incomplete',
  })
}

function useCard(world: PaymentsWorld, customer: Customer, number: string): void {
  const card = findCard(number)
  if (!card) throw missing('test card', number, 'card')
  customer.defaultPaymentMethod = attachCard(world, customer, card).id
  tellCustomer(world, 'customer.updated', customer)
}

function lastPaid(world: PaymentsWorld, subscription: Subscription): Invoice {
  const found = world.store.invoices
    .all()
    .findLast(
      (one) =>
        one.subscription === subscription.id &&
        one.billingReason === 'subscription_cycle' &&
        one.status === 'paid',
    )
  if (!found) throw missing('invoice', subscription.id, 'invoice')
  return found
}

function priceId(plan: string, cycle: string, currency: string): string {
  return `price_demo_${plan}_${cycle}_${currency}`
}
