import { divideRounded, percentOf } from './money.ts'
import type { LedgerEntryType } from './payouts.ts'

/**
 * Amounts of an invoice in minor units of its currency. `amountPaid` is what was paid in money,
 * without the customer's balance.
 */
export interface PaidInvoice {
  amountPaid: bigint
  total: bigint
  totalExcludingTax: bigint
}

/**
 * What a partner earns a share of: the part of the payment that is no tax
 * (docs/reference/contract.md, ledger and payouts). 0 where nothing was to be paid.
 */
export function earningBase({ amountPaid, total, totalExcludingTax }: PaidInvoice): bigint {
  if (total <= 0n || amountPaid <= 0n || totalExcludingTax <= 0n) return 0n
  return divideRounded(amountPaid * totalExcludingTax, total)
}

/**
 * The partner's share of a base, rounded half away from zero once. `marginPct` has at most two
 * decimals.
 */
export function accrualOf(base: bigint, marginPct: number): bigint {
  return percentOf(base, marginPct)
}

/** Money that went back, or is held back, of a paid invoice. */
export interface Reversal {
  id: string
  kind: 'refund' | 'credit_note' | 'dispute'
  amount: bigint
  /** Null where the payment processor does not split it. */
  amountExcludingTax: bigint | null
  effective: boolean
  createdAt: Date
}

export interface Accrual {
  amount: bigint
  base: bigint
}

/**
 * How much of an accrual is lost by reversals of these kinds together, in minor units. Cumulative:
 * the sum is rounded, not its parts, so that giving everything back takes exactly the whole
 * accrual, in however many parts, and never more.
 */
export function lostShare(
  invoice: PaidInvoice,
  accrual: Accrual,
  reversals: readonly Reversal[],
): bigint {
  if (accrual.base <= 0n) return 0n
  const effective = reversals.filter((reversal) => reversal.effective)
  const whole = effective.reduce((sum, reversal) => sum + reversal.amount, 0n) >= invoice.amountPaid
  const known = effective.reduce(
    (sum, { amountExcludingTax }) => sum + (amountExcludingTax ?? 0n),
    0n,
  )
  const unsplit = effective.reduce(
    (sum, { amount, amountExcludingTax }) => (amountExcludingTax === null ? sum + amount : sum),
    0n,
  )
  const base =
    known +
    (invoice.total > 0n
      ? divideRounded(unsplit * invoice.totalExcludingTax, invoice.total)
      : unsplit)
  const lost = whole || base > accrual.base ? accrual.base : base
  return divideRounded(accrual.amount * lost, accrual.base)
}

/** An entry that the ledger already holds about the invoice. */
export interface StandingEntry {
  type: LedgerEntryType
  amount: bigint
  /** The reversal that caused it. */
  reversalId: string
}

/** An entry to be added. `amount` is signed. */
export interface LedgerStep {
  type: LedgerEntryType
  amount: bigint
  reversal: Reversal
}

const clawbacks = ['clawback', 'clawback_reversal'] as const
const holds = ['dispute_hold', 'dispute_release'] as const

/**
 * The entries that bring the ledger from its current state to what the reversals of a paid invoice
 * require: refunds and credit notes are clawed back, and what a dispute holds back beyond them is
 * held. Empty when they match already. Each entry is named after its reversal, which represents the
 * difference that it makes in chronological order; so the sums depend only on the reversals, not on
 * the order in which they became known.
 */
export function ledgerSteps(
  invoice: PaidInvoice,
  accrual: Accrual,
  reversals: readonly Reversal[],
  entries: readonly StandingEntry[],
): LedgerStep[] {
  const inTime = reversals.toSorted(
    (a, b) => a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1),
  )
  const refunds = inTime.filter(({ kind }) => kind !== 'dispute')
  const counted: Reversal[] = []
  let lost = 0n
  return [...refunds, ...inTime.filter(({ kind }) => kind === 'dispute')].flatMap((reversal) => {
    counted.push(reversal)
    const before = lost
    lost = lostShare(invoice, accrual, counted)
    const sides = reversal.kind === 'dispute' ? holds : clawbacks
    const own = entries.filter(({ reversalId }) => reversalId === reversal.id)
    const amount = before - lost - own.reduce((sum, entry) => sum + entry.amount, 0n)
    return amount === 0n ? [] : [{ type: amount < 0n ? sides[0] : sides[1], amount, reversal }]
  })
}

/** Sums of a partner's ledger in one currency, in minor units. */
export interface LedgerSums {
  /** Of all entries. */
  balance: bigint
  /** Entries that are available now. */
  available: bigint
  /** In payouts that are neither paid nor canceled. */
  reserved: bigint
}

/**
 * What could be paid out now: never below zero (docs/reference/contract.md, ledger and payouts).
 */
export function payableOf({ available, reserved }: LedgerSums): bigint {
  const payable = available - reserved
  return payable > 0n ? payable : 0n
}
