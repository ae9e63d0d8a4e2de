import { csvLine } from '@atrium/core/audit/audit'
import { exportTrailer } from '@atrium/core/audit/export-trailer'
import {
  type ExportOperatorInvoices,
  type ListOperatorInvoices,
  type OperatorInvoiceDetail,
  type OperatorInvoicePage,
  type OperatorInvoiceTotals,
  operatorInvoiceColumns,
  type SumOperatorInvoices,
} from '@atrium/core/billing/operator-invoices'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { cutPage } from '@atrium/core/platform/paging'
import { listCorrections } from '@atrium/db/billing/invoice-corrections'
import {
  findOperatorInvoice,
  listShareEntries,
  listStoredReversals,
  type OperatorInvoiceRow,
  listOperatorInvoices as queryInvoices,
  sumOperatorInvoices,
} from '@atrium/db/billing/operator-invoices'
import type { Db, Trx } from '@atrium/db/platform/connect'
import type { Services } from '../../rpc/services.ts'
import { readAllowedCorrections } from './allowed-corrections.ts'
import { toInvoiceTotals, toOperatorInvoice, toOperatorInvoiceDetail } from './view.ts'

const exportedAtOnce = 500
const mostCorrections = 100

/** Invoices of all tenants, newest first, without drafts, from our own records. */
export async function listOperatorInvoices(
  { database, clock }: Services,
  { cursor, limit, ...filter }: ListOperatorInvoices,
): Promise<OperatorInvoicePage> {
  const now = clock.now()
  const rows = await queryInvoices(database.db, filter, { now, before: cursor, limit })
  const { items, nextCursor } = cutPage(rows, limit)
  return { items: items.map((row) => toOperatorInvoice(row, now)), nextCursor }
}

/** What the filtered invoices add up to, per currency. */
export async function getInvoiceTotals(
  { database, clock }: Services,
  filter: SumOperatorInvoices,
): Promise<OperatorInvoiceTotals> {
  const rows = await sumOperatorInvoices(database.db, filter, clock.now())
  return { currencies: rows.map(toInvoiceTotals) }
}

/** The filtered invoices as CSV, in pieces, with `exportTrailer` at its end; whole minor units. */
export async function* exportOperatorInvoices(
  { database, clock }: Services,
  { format: _, ...filter }: ExportOperatorInvoices,
): AsyncGenerator<string> {
  const now = clock.now()
  let head = csvLine(operatorInvoiceColumns)
  let count = 0
  let before: string | undefined
  for (;;) {
    const rows = await queryInvoices(database.db, filter, { now, before, limit: exportedAtOnce })
    const { items, nextCursor } = cutPage(rows, exportedAtOnce)
    const lines = items.map((row) => {
      const view = toOperatorInvoice(row, now)
      return csvLine(operatorInvoiceColumns.map((column) => view[column]))
    })
    yield head + lines.join('')
    head = ''
    count += lines.length
    if (nextCursor === null) break
    before = nextCursor
  }
  yield exportTrailer('csv', count, operatorInvoiceColumns.length)
}

/** An invoice with everything that happened to it. Throws AppError `not_found`. */
export async function getOperatorInvoice(
  { database: { db }, clock }: Services,
  id: string,
): Promise<OperatorInvoiceDetail> {
  const row = await readOperatorInvoice(db, id)
  const [reversals, corrections, entries, allowed] = await Promise.all([
    listStoredReversals(db, id),
    listCorrections(db, { invoiceId: id, limit: mostCorrections }),
    listShareEntries(db, id),
    readAllowedCorrections(db, row),
  ])
  const parts = { reversals, corrections: corrections.slice(0, mostCorrections), entries, allowed }
  return toOperatorInvoiceDetail(row, parts, clock.now())
}

/** Throws AppError `not_found` for unknown invoices and drafts. */
export async function readOperatorInvoice(db: Db | Trx, id: string): Promise<OperatorInvoiceRow> {
  const row = await findOperatorInvoice(db, id)
  if (!row) throw new AppError('not_found', errorText('unknownInvoice'))
  return row
}
