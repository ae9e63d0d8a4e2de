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
  selectBookedDocuments,
  selectBookedElsewhere,
  selectBookedShares,
  selectBookedTransactions,
} from '@atrium/db/billing/bookkeeping'
import type { Trx } from '@atrium/db/platform/connect'
import { pagesOf } from '@atrium/db/platform/snapshot'
import type { Config } from '../../platform/config.ts'

/**
 * Everything that is booked in the month, in pages, so that memory stays flat: documents, the
 * movements of the processor's balance, what happened outside of it, the partners' shares. Each by
 * time.
 */
export async function* bookkeepingRows(
  trx: Trx,
  { bookkeeping: { accounts }, seller }: Pick<Config, 'bookkeeping' | 'seller'>,
  month: BookedMonth,
  currency: string | undefined,
): AsyncGenerator<BookkeepingRow[]> {
  const home = seller.party?.address.country ?? null
  const only = (rows: BookkeepingRow[]) =>
    currency === undefined ? rows : rows.filter((row) => row.currency === currency)

  for await (const rows of pagesOf(trx, selectBookedDocuments(month, currency)))
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
                  currency: row.documentCurrency ?? row.currency,
                  taxes: row.taxes,
                  country: row.country,
                  vatNumber: row.vatNumber,
                },
        },
        accounts,
        home,
      ),
    )
  for await (const rows of pagesOf(trx, selectBookedTransactions(month, currency)))
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
  for await (const rows of pagesOf(trx, selectBookedElsewhere(month, currency)))
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
  for await (const rows of pagesOf(trx, selectBookedShares(month, currency)))
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
