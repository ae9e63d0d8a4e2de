import type { Books, DocumentBook, LoggedObject } from './books.ts'
import { owesTaxItself } from './invoices.ts'
import { type Equal, finalized, type Log, taxOf } from './log.ts'

interface Amounts {
  net: bigint
  tax: bigint
  gross: bigint
}

interface Expected extends Amounts {
  kind: 'invoice' | 'credit_note'
  cancels: boolean
  number: string
}

/**
 * Each invoice, each credit note, and what was voided of them has one document with the number and
 * the amounts of the processor. What lacks something that the law asks for waits.
 */
export function checkDocuments(books: Books, log: Log, equal: Equal): void {
  for (const { slug, country, documents } of books.tenants) {
    const reversed = owesTaxItself(books, { slug, country })
    const expected = new Map<string, Expected>()
    const waiting = new Set<string>()
    for (const invoice of finalized(log)) {
      if (log.tenantOf.get(invoice.customer) !== slug) continue
      expectDocuments(log, invoice, expected, waiting)
    }
    const names = new Set([...expected.keys(), ...documents.map(({ source }) => source)])
    for (const source of names) {
      const own = documents.filter((one) => one.source === source)
      equal(`${slug}, documents of ${source}`, own.length, 1)
      const [document] = own
      const wanted = expected.get(source)
      if (document?.totals === null)
        equal(`${slug}, document ${document.number} waits`, true, waiting.has(source))
      else if (document) {
        equal(`${slug}, document ${document.number}`, shown(document), wanted)
        equal(
          `${slug}, document ${document.number} is about a reverse charge`,
          document.taxCategories?.map((category) => category === 'AE'),
          document.taxCategories?.map(() => reversed),
        )
      }
    }
  }
  checkStatements(books, equal)
}

function expectDocuments(
  log: Log,
  invoice: LoggedObject,
  expected: Map<string, Expected>,
  waiting: Set<string>,
): void {
  const own = amountsOf(invoice)
  const negative = own.gross < 0n
  const sign = negative ? -1n : 1n
  const left = { net: own.net * sign, tax: own.tax * sign, gross: own.gross * sign }
  const kind = negative ? 'credit_note' : 'invoice'
  expected.set(invoice.id, { kind, cancels: false, number: invoice.number, ...left })
  if (hasUntaxedLine(invoice)) waiting.add(invoice.id)
  for (const note of log.notes.values()) {
    if (note.invoice !== invoice.id) continue
    const amounts = amountsOf(note)
    expected.set(note.id, { kind: 'credit_note', cancels: false, number: note.number, ...amounts })
    if (waiting.has(invoice.id) || hasUntaxedLine(note)) waiting.add(note.id)
    if (note.status === 'void') {
      const back = { kind: 'invoice', cancels: true, number: `${note.number}-VOID` } as const
      expected.set(`void:${note.id}`, { ...back, ...amounts })
      if (waiting.has(note.id)) waiting.add(`void:${note.id}`)
      continue
    }
    left.net -= amounts.net
    left.tax -= amounts.tax
    left.gross -= amounts.gross
  }
  if (invoice.status !== 'void') return
  if (waiting.has(invoice.id)) waiting.add(`void:${invoice.id}`)
  else if (left.net === 0n && left.tax === 0n) return
  expected.set(`void:${invoice.id}`, {
    kind: negative ? 'invoice' : 'credit_note',
    cancels: true,
    number: `${invoice.number}-VOID`,
    ...left,
  })
}

/** Nothing tells the tax of such a line: none was charged and nobody is exempt. */
const hasUntaxedLine = (object: LoggedObject): boolean =>
  object.lines.data.some(({ taxes }: { taxes?: unknown[] | null }) => !taxes?.length)

const amountsOf = (object: LoggedObject): Amounts => ({
  net: BigInt(object.total_excluding_tax),
  tax: taxOf(object),
  gross: BigInt(object.total),
})

function shown({ kind, cancels, number, totals }: DocumentBook) {
  return {
    kind,
    cancels,
    number,
    net: totals?.netMinor,
    tax: totals?.taxMinor,
    gross: totals?.grossMinor,
  }
}

/** A self-billed document is about exactly what is paid; what cancels it, about the same. */
function checkStatements(books: Books, equal: Equal): void {
  for (const { id, amountMinor, statementNumber, cancellationNumber, documents } of books.payouts) {
    const expected = [statementNumber, cancellationNumber].filter((number) => number !== null)
    equal(
      `payout ${id}, numbers of its documents`,
      documents.map(({ number }) => number),
      expected,
    )
    for (const { number, cancels, totals } of documents) {
      equal(`${number} cancels`, cancels, number === cancellationNumber)
      equal(`${number} is issued`, totals !== null, true)
      if (totals) {
        equal(`${number}, amount`, totals.grossMinor, amountMinor)
        equal(`${number}, sum`, totals.netMinor + totals.taxMinor, totals.grossMinor)
      }
    }
  }
}
