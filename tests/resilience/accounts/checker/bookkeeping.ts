import type { BookedMonth, Books, Movement } from './books.ts'
import { type Equal, finalized, type Log, monthOf, Sums, taxOf } from './log.ts'

/**
 * The monthly export: the account at the processor moves by what the processor says, the bank gets
 * what it paid out, and the customers owe what invoices and credit notes say.
 */
export function checkBookkeeping(books: Books, log: Log, equal: Equal): void {
  const { accounts, months } = books.bookkeeping
  for (const booked of months) {
    checkBalances(booked, books.movements, equal)
    const sums = new Sums()
    for (const { debit, credit, currency, kind, ...row } of booked.rows) {
      if (debit === accounts.clearing) sums.add(`clearing ${currency}`, row.grossMinor)
      if (credit === accounts.clearing) sums.add(`clearing ${currency}`, -row.grossMinor)
      if (kind === 'payout' && debit === accounts.bank) sums.add(`bank ${currency}`, row.grossMinor)
      if (!['invoice', 'void', 'credit_note'].includes(kind)) continue
      equal(`${kind} ${row.document}, debited account`, debit, accounts.receivables)
      sums.add(`${kind} net ${currency}`, row.netMinor)
      sums.add(`${kind} tax ${currency}`, row.taxMinor)
      sums.add(`${kind} gross ${currency}`, row.grossMinor)
    }
    const expected = documentsOf(booked.month, log)
    for (const { type, currency, amount, fee, created } of books.movements) {
      if (monthOf(created) !== booked.month) continue
      expected.add(`clearing ${currency}`, amount - fee)
      if (type === 'payout') expected.add(`bank ${currency}`, -amount)
    }
    for (const key of new Set([...sums.keys(), ...expected.keys()]))
      equal(`bookkeeping of ${booked.month}, ${key}`, sums.of(key), expected.of(key))
    // A document waits where nothing tells the tax of a line.
    const known = books.rules.taxPercents === null ? ['document_missing'] : []
    equal(
      `bookkeeping of ${booked.month}, differences`,
      booked.differences
        .filter(({ kind }) => !known.includes(kind))
        .map(({ kind, reference }) => `${kind} ${reference}`)
        .sort(),
      uncreditedRefunds(booked.month, books, log).sort(),
    )
  }
}

/** Refunds that were made without a credit note: the only thing that the year gets wrong. */
function uncreditedRefunds(month: string, books: Books, log: Log): string[] {
  const credited = new Set<string>()
  for (const note of log.notes.values())
    if (note.status === 'issued') for (const { refund } of note.refunds) credited.add(refund)
  return [...log.refunds.values()]
    .filter(({ status, created }) => status === 'succeeded' && monthOf(created) === month)
    .filter(({ id }) => books.invoiceOf[id] !== undefined && !credited.has(id))
    .map(({ id }) => `refund_without_credit_note ${id}`)
}

/** The processor's account in each currency over the month. */
function checkBalances(
  { month, balances }: BookedMonth,
  movements: readonly Movement[],
  equal: Equal,
): void {
  const currencies = new Set(movements.map(({ currency }) => currency))
  for (const currency of currencies) {
    const sum = (counts: (one: Movement) => boolean, of: (one: Movement) => number) =>
      movements
        .filter((one) => one.currency === currency && counts(one))
        .reduce((total, one) => total + BigInt(of(one)), 0n)
    const during = (...categories: string[]) =>
      sum(
        ({ created, category }) => monthOf(created) === month && categories.includes(category),
        ({ amount }) => amount,
      )
    const net = ({ amount, fee }: Movement) => amount - fee
    const is = balances.find((one) => one.currency === currency)
    equal(
      `bookkeeping of ${month}, balance in ${currency}`,
      [
        is?.openingMinor ?? 0,
        is?.paymentsMinor ?? 0,
        is?.refundsMinor ?? 0,
        is?.disputesMinor ?? 0,
        is?.feesMinor ?? 0,
        is?.payoutsMinor ?? 0,
        is?.otherMinor ?? 0,
        is?.closingMinor ?? 0,
      ],
      [
        sum(({ created }) => monthOf(created) < month, net),
        during('charge'),
        during('refund', 'refund_failure'),
        during('dispute', 'dispute_reversal'),
        -sum(
          ({ created }) => monthOf(created) === month,
          ({ fee }) => fee,
        ),
        during('payout'),
        0,
        sum(({ created }) => monthOf(created) <= month, net),
      ],
    )
  }
}

/** What invoices, cancellations and credit notes of the month make the customers owe. */
function documentsOf(month: string, log: Log): Sums {
  const sums = new Sums()
  const add = (kind: string, currency: string, [net, tax]: [bigint, bigint]) => {
    sums.add(`${kind} net ${currency}`, net)
    sums.add(`${kind} tax ${currency}`, tax)
    sums.add(`${kind} gross ${currency}`, net + tax)
  }
  for (const invoice of finalized(log)) {
    const { currency, status, status_transitions: moments } = invoice
    const [net, tax] = [BigInt(invoice.total_excluding_tax), taxOf(invoice)]
    if (monthOf(moments.finalized_at) === month) add('invoice', currency, [net, tax])
    if (status === 'void' && moments.voided_at !== null && monthOf(moments.voided_at) === month) {
      add('void', currency, [-net, -tax])
      // Only what its credit notes had left is taken back.
      for (const note of log.notes.values())
        if (note.status === 'issued' && note.invoice === invoice.id)
          add('void', currency, [BigInt(note.total_excluding_tax), taxOf(note)])
    }
  }
  for (const note of log.notes.values())
    if (note.status === 'issued' && monthOf(note.created) === month)
      add('credit_note', note.currency, [-BigInt(note.total_excluding_tax), -taxOf(note)])
  return sums
}
