import type { Books, LoggedObject } from './books.ts'
import {
  day,
  disputedOf,
  type Equal,
  finalized,
  finalizedAt,
  iso,
  type Log,
  paidAt,
  refundedOf,
  rounded,
  Sums,
  taxOf,
} from './log.ts'

/** Accounts of the processor that must hold whatever we make of them. */
export function checkProcessor(log: Log, equal: Equal): void {
  const numbers: number[] = []
  for (const invoice of finalized(log)) {
    const name = `invoice ${invoice.number}`
    const lines = invoice.lines.has_more
      ? BigInt(invoice.subtotal)
      : invoice.lines.data.reduce(
          (sum: bigint, line: { amount: number }) => sum + BigInt(line.amount),
          0n,
        )
    equal(`${name}, lines`, invoice.subtotal, lines)
    equal(`${name}, total`, invoice.total, lines + taxOf(invoice))
    equal(`${name}, net`, invoice.total_excluding_tax, lines)
    const used = BigInt(invoice.ending_balance) - BigInt(invoice.starting_balance)
    equal(
      `${name}, due`,
      invoice.amount_due,
      BigInt(invoice.total) - used - BigInt(invoice.pre_payment_credit_notes_amount),
    )
    if (invoice.status === 'paid') equal(`${name}, paid`, invoice.amount_paid, invoice.amount_due)
    numbers.push(Number(String(invoice.number).split('-').at(-1)))
  }
  numbers.sort((a, b) => a - b)
  for (const [index, number] of numbers.entries()) equal('invoice numbers', number, index + 1)
}

/**
 * Each line by the rate of the customer's country, rounded by itself; no tax for who owes it to the
 * customer's country instead of the seller.
 */
export function checkTaxes(books: Books, log: Log, equal: Equal): void {
  const countries = new Map(books.tenants.map(({ slug, country }) => [slug, country]))
  for (const invoice of finalized(log)) {
    let sum = 0n
    const tenant = log.tenantOf.get(invoice.customer) ?? ''
    const country = countries.get(tenant) ?? ''
    const reversed = owesTaxItself(books, { slug: tenant, country })
    for (const { amount, taxes } of invoice.lines.data) {
      const tax = taxOf({ total_taxes: taxes })
      sum += tax
      const percent = reversed ? 0 : (books.rules.taxPercents?.[country] ?? 0)
      if (books.rules.taxPercents !== null)
        equal(
          `invoice ${invoice.number}, tax of ${amount} in ${country}`,
          tax,
          rounded(BigInt(amount) * BigInt(percent * 100), 10_000n),
        )
    }
    if (!invoice.lines.has_more)
      equal(`invoice ${invoice.number}, tax of its lines`, taxOf(invoice), sum)
  }
}

/** A business of another country with a VAT number that the register confirmed. */
export function owesTaxItself(
  { rules, decisions }: Books,
  { slug, country }: { slug: string; country: string },
): boolean {
  return (
    rules.reverseCharged.includes(country) &&
    decisions.some((one) => one.what === 'VAT number' && one.tenant === slug && one.valid)
  )
}

/** Invoices as customers read them. */
export function checkInvoices(books: Books, log: Log, equal: Equal): void {
  for (const { slug, invoices, billing } of books.tenants) {
    const own = finalized(log).filter(({ customer }) => log.tenantOf.get(customer) === slug)
    const expected = own.map((invoice) => {
      const [refunded, disputed] = [
        refundedOf(books, log, invoice.id),
        disputedOf(books, log, invoice.id),
      ]
      return {
        number: invoice.number,
        status: statusOf(invoice, refunded, disputed),
        currency: invoice.currency,
        subtotalMinor: invoice.subtotal,
        taxMinor: taxOf(invoice),
        totalMinor: invoice.total,
        balanceAppliedMinor: BigInt(invoice.ending_balance) - BigInt(invoice.starting_balance),
        amountDueMinor: invoice.amount_due,
        amountPaidMinor: invoice.amount_paid,
        amountRemainingMinor: invoice.amount_remaining,
        creditedMinor:
          BigInt(invoice.pre_payment_credit_notes_amount) +
          BigInt(invoice.post_payment_credit_notes_amount),
        refundedMinor: refunded,
        disputedMinor: disputed,
        attemptCount: invoice.attempt_count,
        finalizedAt: iso(finalizedAt(invoice)),
        paidAt: iso(paidAt(invoice)),
      }
    })
    for (const wanted of expected) {
      const is = invoices.find(({ number }) => number === wanted.number)
      const same = is && Object.fromEntries(Object.keys(wanted).map((key) => [key, is[key]]))
      equal(`${slug}, invoice ${wanted.number}`, same, wanted)
    }
    equal(`${slug}, number of invoices`, invoices.length, expected.length)
    const due = new Sums()
    for (const { status, amount_remaining, currency } of own)
      if (status === 'open') due.add(currency, amount_remaining)
    for (const currency of new Set([...due.keys(), ...billing.due.map((one) => one.currency)]))
      equal(
        `${slug}, due in ${currency}`,
        billing.due.find((one) => one.currency === currency)?.amountMinor ?? 0,
        due.of(currency),
      )
  }
}

function statusOf(invoice: LoggedObject, refunded: bigint, disputed: bigint): string {
  if (invoice.status === 'void') return 'void'
  const paid = BigInt(invoice.amount_paid)
  if (paid > 0n && refunded >= paid) return 'refunded'
  if (refunded > 0n) return 'partially_refunded'
  if (disputed > 0n) return 'disputed'
  if (invoice.status !== 'open') return invoice.status
  return invoice.attempt_count > 0 ? 'overdue' : 'open'
}

/** Whether a debt is overdue: a charge of it was tried, and it is no mere offer to begin. */
export function isOverdue(log: Log, invoice: LoggedObject): boolean {
  if (invoice.status !== 'open' && invoice.status !== 'uncollectible') return false
  if (invoice.amount_remaining === 0 || invoice.attempt_count === 0) return false
  if (invoice.billing_reason === 'subscription_create') return false
  const subscription = log.subscriptions
    .get(invoice.parent?.subscription_details?.subscription)
    ?.at(-1)?.object
  return !(subscription?.status === 'paused' && subscription.latest_invoice === invoice.id)
}

export function checkOverview(books: Books, log: Log, equal: Equal): void {
  const sums = new Sums()
  for (const invoice of finalized(log)) {
    const { currency, status, attempt_count: tries } = invoice
    const left = BigInt(invoice.amount_remaining)
    if (status === 'open' && left > 0n) {
      sums.add(`${currency} open`, left)
      sums.add(`${currency} opens`, 1)
      if (tries > 0) sums.add(`${currency} overdue`, left)
    }
    if ((paidAt(invoice) ?? 0) > log.end - 30 * day)
      sums.add(`${currency} paid`, invoice.amount_paid)
  }
  for (const row of books.overview.currencies) {
    const { currency } = row
    equal(
      `overview in ${currency}`,
      [row.openMinor, row.openInvoices, row.overdueMinor, row.paidLast30DaysMinor],
      ['open', 'opens', 'overdue', 'paid'].map((what) => sums.of(`${currency} ${what}`)),
    )
  }
}
