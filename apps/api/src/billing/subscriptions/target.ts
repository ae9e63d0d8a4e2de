import { mostPeriodTotal } from '@atrium/core/billing/charges'
import { type PriceTerms, snapshotOf } from '@atrium/core/billing/prices'
import type {
  BillingCycle,
  SubscriptionSource,
  SubscriptionTerms,
} from '@atrium/core/billing/subscriptions'
import { periodTotal } from '@atrium/core/billing/subscriptions'
import { type ErrorText, errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { Plan } from '@atrium/core/tenants/tenants'
import { findPrice, listOfferedPrices, type PriceRow } from '@atrium/db/billing/prices'
import { lockTenantOfSubscription, type SubscriptionRow } from '@atrium/db/billing/subscriptions'
import { countMembers } from '@atrium/db/members/members'
import type { Db, Trx } from '@atrium/db/platform/connect'

/** What a subscription is to become, with what it then costs per cycle. */
export interface Target extends SubscriptionTerms {
  priceId: string | null
  stripePriceId: string | null
  perSeatAmount: bigint
  periodAmount: bigint | null
}

export interface Requested {
  plan?: Plan | undefined
  cycle?: BillingCycle | undefined
  seats?: number | undefined
}

export interface Buyer {
  tenantId: string
  partnerId: string | null
  at: Date
}

/**
 * What the subscription becomes by a change. Who keeps plan and cycle keeps the price that was
 * agreed, on sale or not; another plan or cycle is what the catalog offers in the same currency.
 * Throws AppError `price_unavailable`, and `invalid_input` for a number of seats that the price or
 * the members do not allow.
 */
export async function targetOf(
  db: Db | Trx,
  row: SubscriptionRow,
  requested: Requested,
  buyer: Buyer,
): Promise<Target> {
  const [plan, cycle, seats] = [
    requested.plan ?? row.plan,
    requested.cycle ?? row.cycle,
    requested.seats ?? row.seats,
  ]
  if (requested.seats !== undefined && requested.seats < row.seats)
    await rejectBelowAssigned(db, row.tenantId, seats)
  if (plan === row.plan && cycle === row.cycle) return onOwnTerms(db, row, seats)
  const { source, currency } = row
  return offeredTarget(db, { plan, cycle, seats, source, currency }, buyer)
}

/** What the catalog offers for new terms. Throws as `targetOf` does. */
export async function offeredTarget(
  db: Db | Trx,
  {
    plan,
    cycle,
    seats,
    source,
    currency,
  }: {
    plan: Plan
    cycle: BillingCycle
    seats: number
    source: SubscriptionSource
    currency: string
  },
  { partnerId, at }: Buyer,
): Promise<Target & { trialDays: number }> {
  const offered = await listOfferedPrices(db, { partnerId, at })
  const price = offered.find((one) => one.plan === plan && one.cycle === cycle)
  if (!price) throw new AppError('price_unavailable', errorText('planNotOnSale', { plan, cycle }))
  const amount = price.amounts.find((one) => one.currency === currency)
  if (!amount) {
    const message = errorText('planWithoutPrice', { plan, currency })
    throw new AppError('price_unavailable', message, { issues: [{ path: 'currency', message }] })
  }
  if (source === 'stripe' && amount.stripePriceId === null) {
    throw new AppError('price_unavailable', errorText('planCurrency', { plan, currency }))
  }
  // Nobody computes what tax is in an amount that is billed by hand.
  if (source === 'manual' && price.taxBehavior === 'inclusive')
    throw new AppError('price_unavailable', errorText('inclusiveByHand', { plan, cycle }))
  rejectOutsidePrice(price, seats)
  return { ...priced(price, currency, { plan, cycle, seats }), trialDays: price.trialDays }
}

async function onOwnTerms(db: Db | Trx, row: SubscriptionRow, seats: number): Promise<Target> {
  const { plan, cycle } = row
  const price = row.priceId === null ? undefined : await findPrice(db, row.priceId)
  if (price?.amounts.some(({ currency }) => currency === row.currency)) {
    rejectOutsidePrice(price, seats)
    return {
      ...priced(price, row.currency, { plan, cycle, seats }),
      stripePriceId: row.stripePriceId,
    }
  }
  if (row.periodAmount !== null && seats !== row.seats) {
    throw new AppError('price_unavailable', errorText('agreedAmount'))
  }
  const { priceId, stripePriceId, perSeatAmount, periodAmount, taxBehavior } = row
  const total = periodTotal({ perSeatAmount, periodAmount, seats })
  rejectTooMuch(total)
  const prices = { priceId, stripePriceId, perSeatAmount, periodAmount, taxBehavior }
  return { plan, cycle, seats, ...prices, total }
}

function priced(
  price: PriceRow,
  currency: string,
  named: { plan: Plan; cycle: BillingCycle; seats: number },
): Target {
  const amount = price.amounts.find((one) => one.currency === currency)
  if (!amount) throw new Error(`the price ${price.id} has no amount in ${currency}`)
  const terms: PriceTerms = {
    scheme: price.scheme,
    unitAmount: amount.unitAmount,
    tiers: amount.tiers,
  }
  const snapshot = snapshotOf(terms, named.seats)
  const total = periodTotal({ ...snapshot, seats: named.seats })
  rejectTooMuch(total)
  const { id: priceId, taxBehavior } = price
  return { ...named, priceId, stripePriceId: amount.stripePriceId, ...snapshot, taxBehavior, total }
}

function rejectOutsidePrice({ minSeats, maxSeats }: PriceRow, seats: number): void {
  if (seats < minSeats) throw seatsRejected(errorText('priceMinSeats', { minSeats }))
  if (maxSeats !== null && seats > maxSeats)
    throw seatsRejected(errorText('priceMaxSeats', { maxSeats }))
}

/** Throws AppError `invalid_input` for a total of a period that nobody could be charged. */
export function rejectTooMuch(total: bigint): void {
  if (total > mostPeriodTotal)
    throw new AppError('invalid_input', undefined, {
      issues: [{ path: 'seats', message: errorText('periodTotalTooLarge') }],
    })
}

/** Throws AppError `invalid_input` when fewer seats are wanted than there are members. */
export async function rejectBelowAssigned(
  db: Db | Trx,
  tenantId: string,
  seats: number,
): Promise<void> {
  const assigned = await countMembers(db, tenantId)
  if (seats >= assigned) return
  throw seatsRejected(errorText('membersNeedSeats', { assigned }))
}

/** As `rejectBelowAssigned`; no member is added until the transaction ends. */
export async function holdSeats(trx: Trx, tenantId: string, seats: number): Promise<void> {
  await lockTenantOfSubscription(trx, tenantId)
  await rejectBelowAssigned(trx, tenantId, seats)
}

const seatsRejected = (message: ErrorText) =>
  new AppError('invalid_input', undefined, { issues: [{ path: 'seats', message }] })
