import {
  type BookkeepingRow,
  documentRows,
  elsewhereRow,
  shareRow,
  transactionRows,
} from '@atrium/core/billing/bookkeeping'
import { toMinorNumber } from '@atrium/core/billing/money'
import {
  type BookedMonth,
  type BookkeepingCursor,
  listBookedDocuments,
  listBookedElsewhere,
  listBookedShares,
  listBookedTransactions,
  type PageOf,
} from '@atrium/db/billing/bookkeeping'
import type { Services } from '../../rpc/services.ts'

const pageSize = 1_000

interface Listed {
  at: Date
  cursorAt: string
  source: string
}

/**
 * Everything that is booked in the month, in pages, so that memory stays flat: documents, the
 * movements of the processor's balance, what happened outside of it, the partners' shares. Each by
 * time.
 */
export async function* bookkeepingRows(
  { database: { db }, config }: Services,
  month: BookedMonth,
  currency: string | undefined,
): AsyncGenerator<BookkeepingRow[]> {
  const { accounts } = config.bookkeeping
  const home = config.seller.party?.address.country ?? null
  const page = (after: BookkeepingCursor | null): PageOf => ({ after, limit: pageSize, currency })
  const only = (rows: BookkeepingRow[]) =>
    currency === undefined ? rows : rows.filter((row) => row.currency === currency)

  for await (const rows of pages((after) => listBookedDocuments(db, month, page(after))))
    yield rows.flatMap((row) =>
      documentRows(
        {
          kind: row.kind,
          date: dayOf(row.at),
          number: row.number,
          tenantSlug: row.tenantSlug,
          reference: row.source,
          currency: row.currency,
          // What a credit note gives back lowers what the customer owes.
          netMinor: signed(row.net, row.kind === 'credit_note'),
          grossMinor: signed(row.gross, row.kind === 'credit_note'),
          document:
            row.taxes === null
              ? null
              : {
                  credit: row.documentKind === 'credit_note',
                  taxes: row.taxes,
                  country: row.country,
                  vatNumber: row.vatNumber,
                },
        },
        accounts,
        home,
      ),
    )
  for await (const rows of pages((after) => listBookedTransactions(db, month, page(after))))
    yield only(
      rows.flatMap((row) =>
        transactionRows(
          {
            id: row.source,
            type: row.type,
            category: row.category,
            date: dayOf(row.at),
            currency: row.currency,
            amountMinor: toMinorNumber(row.amount),
            feeMinor: toMinorNumber(row.fee),
            exchangeRate: row.exchangeRate,
            sourceCurrency: row.sourceCurrency,
            sourceMinor: row.sourceAmount === null ? null : toMinorNumber(row.sourceAmount),
            document: row.number,
            tenantSlug: row.tenantSlug,
            ours: row.ours,
          },
          accounts,
        ),
      ),
    )
  for await (const rows of pages((after) => listBookedElsewhere(db, month, page(after))))
    yield rows.map((row) =>
      elsewhereRow(
        {
          kind: row.kind,
          date: dayOf(row.at),
          document: row.number,
          tenantSlug: row.tenantSlug,
          currency: row.currency,
          grossMinor: toMinorNumber(row.gross),
          reference: row.source,
        },
        accounts,
      ),
    )
  for await (const rows of pages((after) => listBookedShares(db, month, page(after))))
    yield rows.map((row) =>
      shareRow(
        {
          date: dayOf(row.at),
          payout: row.payout,
          document: row.number,
          tenantSlug: row.tenantSlug,
          currency: row.currency,
          amountMinor: toMinorNumber(row.amount),
          reference: row.source,
        },
        accounts,
      ),
    )
}

const dayOf = (at: Date) => at.toISOString().slice(0, 10)

function signed(amount: string, negative: boolean): number {
  const minor = toMinorNumber(amount)
  return negative ? 0 - minor : minor
}

async function* pages<Row extends Listed>(
  read: (after: BookkeepingCursor | null) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  for (let after: BookkeepingCursor | null = null; ; ) {
    const rows: Row[] = await read(after)
    if (rows.length > 0) yield rows
    const last = rows.at(-1)
    if (rows.length < pageSize || last === undefined) return
    after = { at: last.cursorAt, source: last.source }
  }
}
