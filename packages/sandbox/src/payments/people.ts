import type { TestCard } from './cards.ts'
import { endSubscription } from './collection.ts'
import { customerView, paymentMethodView, setupIntentView } from './customer-views.ts'
import { declined, invalid } from './faults.ts'
import type { Customer, PaymentMethod, SetupIntent } from './records.ts'
import { newId } from './store.ts'
import type { PaymentsWorld } from './world.ts'

export function tellCustomer(world: PaymentsWorld, type: string, customer: Customer): void {
  world.emit(type, customerView(world.store, customer, []))
}

export interface Expiry {
  readonly month: number
  readonly year: number
}

/**
 * Gives the customer a card that may be charged off-session. Throws 402 for one that its bank
 * declines.
 */
export function attachCard(
  world: PaymentsWorld,
  customer: Customer,
  card: TestCard,
  expiry?: Expiry,
): PaymentMethod {
  if (typeof card.setup === 'object') throw declined(card.setup.declined)
  const now = new Date(world.now() * 1000)
  const method = world.store.paymentMethods.add({
    id: newId('pm'),
    customer: customer.id,
    number: card.number,
    expMonth: expiry?.month ?? 12,
    expYear: expiry?.year ?? now.getUTCFullYear() + 3,
    created: world.now(),
  })
  world.emit('payment_method.attached', paymentMethodView(method))
  return method
}

export type SetupOutcome = 'succeeded' | 'requires_action' | { readonly declined: string }

/**
 * What the card form does: a card is entered for a setup intent. `confirmed`: its holder has
 * confirmed it with the bank.
 */
export function confirmSetup(
  world: PaymentsWorld,
  intent: SetupIntent,
  card: TestCard,
  expiry: Expiry | undefined,
  confirmed: boolean,
): SetupOutcome {
  if (intent.status === 'succeeded')
    throw invalid('This SetupIntent has already succeeded.', {
      code: 'setup_intent_unexpected_state',
    })
  if (intent.customer === null) throw invalid('The SetupIntent has no customer.')
  if (typeof card.setup === 'object') {
    Object.assign(intent, { status: 'requires_payment_method', failure: card.setup.declined })
    world.emit('setup_intent.setup_failed', setupIntentView(world.store, intent))
    return card.setup
  }
  if (card.setup === 'confirm' && !confirmed) {
    intent.status = 'requires_action'
    world.emit('setup_intent.requires_action', setupIntentView(world.store, intent))
    return 'requires_action'
  }
  const method = attachCard(
    world,
    world.store.customers.get(intent.customer, 'customer'),
    card,
    expiry,
  )
  Object.assign(intent, { status: 'succeeded', failure: null, paymentMethod: method.id })
  world.emit('setup_intent.succeeded', setupIntentView(world.store, intent))
  return 'succeeded'
}

/** Ends the customer's subscriptions too; invoices stay. */
export function removeCustomer(world: PaymentsWorld, customer: Customer): void {
  for (const subscription of world.store.subscriptions.all()) {
    const ended = subscription.status === 'canceled' || subscription.status === 'incomplete_expired'
    if (subscription.customer === customer.id && !ended)
      endSubscription(world, subscription, 'cancellation_requested')
  }
  // The event shows the customer as it last was; a read shows only that it is gone.
  tellCustomer(world, 'customer.deleted', customer)
  customer.deleted = true
}
