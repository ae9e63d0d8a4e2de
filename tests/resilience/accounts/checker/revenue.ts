import type { Books, LoggedObject } from './books.ts'
import { earnerOf } from './ledger.ts'
import {
  type Equal,
  finalized,
  type Log,
  monthOf,
  movedBy,
  paidAt,
  rounded,
  Sums,
  seconds,
} from './log.ts'

/**
 * Revenue of invoices by month, without tax: what was billed, credited, collected, refunded,
 * disputed and recognized, by docs/explanation/reports.md.
 */
export function checkInvoicedRevenue(books: Books, log: Log, equal: Equal): void {
  for (const { partner, invoiced } of books.scopes) {
    const sums = new Sums()
    for (const invoice of finalized(log)) {
      if (partner !== null && earnerOf(log, invoice)?.partner !== partner) continue
      addFacts(sums, books, log, invoice)
      addRecognized(sums, log, invoice)
    }
    const is = new Map(invoiced.map((row) => [`${row.month} ${row.currency}`, row]))
    const months = new Set([...is.keys(), ...sums.keys().map((key) => key.slice(0, 11))])
    for (const key of months) {
      const row = is.get(key)
      equal(
        `invoiced revenue of ${partner ?? 'all'} in ${key}`,
        {
          invoices: row?.invoices ?? 0,
          billed: row?.billedMinor ?? 0,
          credited: row?.creditedMinor ?? 0,
          collected: row?.collectedMinor ?? 0,
          refunded: row?.refundedMinor ?? 0,
          disputed: row?.disputedMinor ?? 0,
          recognized: row?.recognizedMinor ?? 0,
        },
        Object.fromEntries(
          ['invoices', 'billed', 'credited', 'collected', 'refunded', 'disputed', 'recognized'].map(
            (what) => [what, sums.of(`${key} ${what}`)],
          ),
        ),
      )
    }
  }
}

function addFacts(sums: Sums, books: Books, log: Log, invoice: LoggedObject): void {
  const { currency, status } = invoice
  const { finalized_at: issued, voided_at: voided } = invoice.status_transitions
  const [total, net] = [BigInt(invoice.total), BigInt(invoice.total_excluding_tax)]
  /** The invoice's own share of tax taken out of an amount. */
  const withoutTax = (gross: number) => (total === 0n ? 0n : rounded(BigInt(gross) * net, total))
  const add = (at: number, what: string, amount: bigint) => {
    if (at < log.end) sums.add(`${monthOf(at)} ${currency} ${what}`, amount)
  }
  add(issued, 'invoices', 1n)
  add(issued, 'billed', net)
  if (status === 'void' && voided !== null) {
    const credited = creditedNet(log, invoice.id)
    add(voided, 'billed', credited - net)
    add(voided, 'recognized', credited)
  }
  const paid = paidAt(invoice)
  if (status === 'paid' && paid !== null) add(paid, 'collected', withoutTax(invoice.amount_paid))
  for (const note of log.notes.values())
    if (note.invoice === invoice.id && note.status === 'issued') {
      add(note.created, 'credited', BigInt(note.total_excluding_tax))
      add(note.created, 'recognized', -BigInt(note.total_excluding_tax))
    }
  for (const refund of log.refunds.values())
    if (books.invoiceOf[refund.id] === invoice.id && refund.status === 'succeeded')
      add(refund.created, 'refunded', withoutTax(refund.amount))
  for (const dispute of log.disputes.values())
    if (books.invoiceOf[dispute.id] === invoice.id && movedBy(dispute) < 0n)
      add(dispute.created, 'disputed', withoutTax(dispute.amount))
}

/** What the credit notes of an invoice gave back, without tax. */
function creditedNet(log: Log, invoice: string): bigint {
  return [...log.notes.values()]
    .filter((note) => note.invoice === invoice && note.status === 'issued')
    .reduce((sum, note) => sum + BigInt(note.total_excluding_tax), 0n)
}

/**
 * The amount without tax is divided among the lines, and each part spread over its period by the
 * second; nothing is earned before the invoice is issued, and nothing remains once it is void.
 */
function addRecognized(sums: Sums, log: Log, invoice: LoggedObject): void {
  const { finalized_at: issued, voided_at: voided } = invoice.status_transitions
  const voidAt: number | null = invoice.status === 'void' ? voided : null
  const net = BigInt(invoice.total_excluding_tax)
  const lines: LoggedObject[] = invoice.lines.data
  const whole = lines.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
  let before = 0n
  for (const { amount, period } of lines) {
    const upTo = before + BigInt(amount)
    const part =
      whole === 0n ? BigInt(amount) : rounded(net * upTo, whole) - rounded(net * before, whole)
    before = upTo
    const earnedUntil = (at: number): bigint => {
      if (at <= issued || at <= period.start || (voidAt !== null && at > voidAt)) return 0n
      if (at >= period.end) return part
      return rounded(part * BigInt(at - period.start), BigInt(period.end - period.start))
    }
    let earned = 0n
    for (let from = monthOf(issued); ; ) {
      const next = nextMonth(from)
      const until = Math.min(seconds(`${next}-01T00:00:00Z`), log.end)
      const now = earnedUntil(until)
      sums.add(`${from} ${invoice.currency} recognized`, now - earned)
      earned = now
      if (until >= log.end) break
      from = next
    }
  }
}

function nextMonth(month: string): string {
  const [year = 0, number = 0] = month.split('-').map(Number)
  return new Date(Date.UTC(year, number)).toISOString().slice(0, 7)
}
