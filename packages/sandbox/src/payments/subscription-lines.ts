import type { ItemChange } from './collection.ts'
import type { Seconds } from './periods.ts'
import { afterAnchor } from './periods.ts'
import { priceOf } from './pricing.ts'
import { prorate } from './proration.ts'
import type { Line, Price, Subscription } from './records.ts'
import { newId } from './store.ts'
import type { PaymentsWorld } from './world.ts'

/** The line of a whole period. */
export function periodLine(
  world: PaymentsWorld,
  price: Price,
  quantity: number,
  start: Seconds,
  end: Seconds,
): Line {
  return line(
    `${quantity} × ${nameOf(world, price)}`,
    priceOf(price, quantity),
    quantity,
    price,
    false,
    start,
    end,
  )
}

/** The line of a trial, which costs nothing. */
export function trialLine(
  world: PaymentsWorld,
  price: Price,
  quantity: number,
  start: Seconds,
  end: Seconds,
): Line {
  return line(`Trial period for ${nameOf(world, price)}`, 0, quantity, price, false, start, end)
}

/**
 * What a change at a moment costs: the unused rest of the old period back and the rest of the new
 * one charged, or a whole new period when one begins. Nothing while a trial runs or it is paused.
 */
export function changeLines(
  world: PaymentsWorld,
  subscription: Subscription,
  change: ItemChange,
  at: Seconds,
  prorated: boolean,
): Line[] {
  if (subscription.status === 'trialing' || subscription.status === 'paused') return []
  const before = world.store.prices.get(subscription.price, 'price')
  const after = world.store.prices.get(change.price, 'price')
  const same = before.id === after.id && subscription.quantity === change.quantity
  if (same && !change.anchorNow) return []
  const { periodStart, periodEnd } = subscription
  const { credit, charge } = prorate({
    before: priceOf(before, subscription.quantity),
    after: priceOf(after, change.quantity),
    periodStart,
    periodEnd,
    at,
  })
  const day = new Date(at * 1000).toISOString().slice(0, 10)
  const unused = line(
    `Unused time on ${subscription.quantity} × ${nameOf(world, before)} after ${day}`,
    credit,
    subscription.quantity,
    before,
    true,
    at,
    periodEnd,
  )
  const back = prorated ? [unused] : []
  if (change.anchorNow)
    return [
      ...back,
      periodLine(world, after, change.quantity, at, afterAnchor(at, after.interval, 1)),
    ]
  const rest = line(
    `Remaining time on ${change.quantity} × ${nameOf(world, after)} after ${day}`,
    charge,
    change.quantity,
    after,
    true,
    at,
    periodEnd,
  )
  return prorated ? [...back, rest] : []
}

/**
 * The unused rest of the period back, for a subscription that ends now. Nothing while a trial runs
 * or it is paused.
 */
export function unusedLines(world: PaymentsWorld, subscription: Subscription): Line[] {
  const { status, quantity, periodStart, periodEnd } = subscription
  if (status === 'trialing' || status === 'paused' || status === 'incomplete') return []
  const at = world.now()
  const price = world.store.prices.get(subscription.price, 'price')
  const { credit } = prorate({
    before: priceOf(price, quantity),
    after: 0,
    periodStart,
    periodEnd,
    at,
  })
  const day = new Date(at * 1000).toISOString().slice(0, 10)
  return [
    line(
      `Unused time on ${quantity} × ${nameOf(world, price)} after ${day}`,
      credit,
      quantity,
      price,
      true,
      at,
      periodEnd,
    ),
  ]
}

function line(
  description: string,
  amount: number,
  quantity: number,
  price: Price,
  proration: boolean,
  start: Seconds,
  end: Seconds,
): Line {
  return {
    id: newId('il'),
    description,
    amount,
    quantity,
    price: price.id,
    proration,
    start,
    end,
    taxes: [],
  }
}

function nameOf(world: PaymentsWorld, price: Price): string {
  return world.store.products.find(price.product)?.name ?? price.id
}
