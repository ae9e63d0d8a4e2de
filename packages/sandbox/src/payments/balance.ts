import { minorUnitDigits } from '@atrium/core/billing/minor-units'
import type { Seconds } from './periods.ts'
import type { BalanceTransaction } from './records.ts'
import { newId } from './store.ts'
import type { PaymentsWorld } from './world.ts'

const day = 86_400
/** From a charge until its money can be paid out. */
const holdSeconds = 7 * day
const transferSeconds = day

/** The account has bank accounts in these; everything else is converted to the first of them. */
const settledIn = ['eur', 'usd', 'gbp', 'chf']
const home = 'eur'
/** What one unit of a currency is worth in euros. Made up, and always the same. */
const euros: Readonly<Record<string, number>> = { jpy: 0.0061, kwd: 2.98, sek: 0.0871, pln: 0.234 }
const otherEuros = 0.5

/** Per charge: 1.5 % and a quarter of a unit. Per dispute: 20 units, which are not given back. */
const chargePercent = 1.5
const chargeUnits = 0.25
const disputeUnits = 20

interface Settled {
  amount: number
  currency: string
  exchangeRate: number | null
}

/** An amount in the currency in which the account gets it. */
function settled(amount: number, currency: string): Settled {
  if (settledIn.includes(currency)) return { amount, currency, exchangeRate: null }
  const exchangeRate = euros[currency] ?? otherEuros
  const units = (amount / 10 ** minorUnitDigits(currency)) * exchangeRate
  return { amount: toMinor(units, home), currency: home, exchangeRate }
}

const toMinor = (units: number, currency: string) =>
  Math.round(units * 10 ** minorUnitDigits(currency)) + 0

type Movement = Pick<BalanceTransaction, 'type' | 'category' | 'source'> & {
  amount: number
  currency: string
}

function record(
  world: PaymentsWorld,
  { amount, currency, ...movement }: Movement,
  { fee, availableOn = world.now() }: { fee: number; availableOn?: Seconds },
): BalanceTransaction {
  return world.store.balanceTransactions.add({
    id: newId('txn'),
    ...movement,
    ...settled(amount, currency),
    fee,
    created: world.now(),
    availableOn,
    payout: null,
  })
}

/** A charge of a card that went through. */
export function recordCharge(
  world: PaymentsWorld,
  charge: string,
  amount: number,
  currency: string,
): void {
  const got = settled(amount, currency)
  const fee = Math.round((got.amount * chargePercent) / 100) + toMinor(chargeUnits, got.currency)
  const movement = { type: 'charge', category: 'charge', source: charge, amount, currency } as const
  record(world, movement, { fee, availableOn: world.now() + holdSeconds })
}

/** Money that goes back to the card, or comes back because the bank did not take it. */
export function recordRefund(
  world: PaymentsWorld,
  { id, amount, currency }: { id: string; amount: number; currency: string },
  failed: boolean,
): void {
  const type = failed ? 'refund_failure' : 'refund'
  const signed = failed ? amount : -amount
  record(world, { type, category: type, source: id, amount: signed, currency }, { fee: 0 })
}

/** What the bank takes for a dispute, or gives back when it is won. */
export function recordDispute(
  world: PaymentsWorld,
  { id, amount, currency }: { id: string; amount: number; currency: string },
  won: boolean,
): BalanceTransaction {
  const category = won ? 'dispute_reversal' : 'dispute'
  const signed = won ? amount : -amount
  const fee = won ? 0 : toMinor(disputeUnits, settled(amount, currency).currency)
  const movement = { type: 'adjustment', category, source: id, amount: signed, currency } as const
  return record(world, movement, { fee })
}

export const netOf = ({ amount, fee }: BalanceTransaction) => amount - fee

/**
 * The next automatic payout of each currency: at the first midnight (UTC) at which what is
 * available is more than nothing.
 */
export function nextPayouts(world: PaymentsWorld): { at: Seconds; currency: string }[] {
  const waiting = Map.groupBy(
    world.store.balanceTransactions.all().filter(({ payout }) => payout === null),
    ({ currency }) => currency,
  )
  return [...waiting].flatMap(([currency, transactions]) => {
    const inTime = transactions.toSorted((a, b) => a.availableOn - b.availableOn)
    let available = 0
    for (const [index, transaction] of inTime.entries()) {
      available += netOf(transaction)
      const at = midnightAfter(transaction.availableOn)
      const next = inTime[index + 1]
      const more = next !== undefined && next.availableOn <= at
      if (!more && available > 0) return [{ at, currency }]
    }
    return []
  })
}

const midnightAfter = (moment: Seconds) => (Math.floor(moment / day) + 1) * day

/** Sends everything that is available in a currency to the bank. */
export function payOut(world: PaymentsWorld, currency: string): void {
  const { balanceTransactions, payouts } = world.store
  const now = world.now()
  const paid = balanceTransactions
    .all()
    .filter((one) => one.payout === null && one.currency === currency && one.availableOn <= now)
  const amount = paid.reduce((sum, one) => sum + netOf(one), 0)
  const id = newId('po')
  const movement = { type: 'payout', category: 'payout', source: id } as const
  const own = record(world, { ...movement, amount: -amount, currency }, { fee: 0 })
  for (const one of [...paid, own]) one.payout = id
  payouts.add({
    id,
    amount,
    currency,
    transaction: own.id,
    created: now,
    arrives: now + transferSeconds,
  })
}

/** Sums of the balance by currency. */
export function balances(world: PaymentsWorld): {
  available: { amount: number; currency: string }[]
  pending: { amount: number; currency: string }[]
} {
  const now = world.now()
  const all = world.store.balanceTransactions.all()
  const sums = (counts: (one: BalanceTransaction) => boolean) =>
    settledIn.map((currency) => ({
      currency,
      amount: all
        .filter((one) => one.currency === currency && counts(one))
        .reduce((sum, one) => sum + netOf(one), 0),
    }))
  return {
    available: sums(({ availableOn }) => availableOn <= now),
    pending: sums(({ availableOn }) => availableOn > now),
  }
}
