import {
  type Bookkeeping,
  type BookkeepingBalance,
  type BookkeepingDifference,
  differenceKinds,
  type ReadBookkeeping,
} from '@atrium/core/billing/bookkeeping'
import { datevRowsPerBatch, hasDatevAmounts } from '@atrium/core/billing/datev'
import { toShownNumber } from '@atrium/core/billing/money'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { monthOf } from '@atrium/core/reports/report-figures'
import {
  type BalanceRow,
  type BookedMonth,
  countBookings,
  readBalances,
} from '@atrium/db/billing/bookkeeping'
import {
  listBookkeepingDifferences,
  listDocumentDifferences,
} from '@atrium/db/billing/bookkeeping-differences'
import { findBalanceReading } from '@atrium/db/billing/processor-balance'
import type { Trx } from '@atrium/db/platform/connect'
import type { Config } from '../../platform/config.ts'
import type { Services } from '../../rpc/services.ts'
import { bookkeepingRows } from './rows.ts'

const mostDifferences = 100

/** The bounds of a month. AppError `invalid_input` for one that is to come. */
export function bookedMonth({ clock }: Pick<Services, 'clock'>, month: string): BookedMonth {
  if (month > monthOf(clock.now()))
    throw new AppError('invalid_input', undefined, {
      issues: [{ path: 'month', message: errorText('monthToCome') }],
    })
  const [year = 0, number = 0] = month.split('-').map(Number)
  return { from: new Date(Date.UTC(year, number - 1)), until: new Date(Date.UTC(year, number)) }
}

/**
 * The processor's balance over the month, and everything by name in which the books, their
 * documents, the balance's movements, the payouts and the processor's own figure do not agree; all
 * of it from one moment.
 */
export function getBookkeeping(
  { clock, config, database: { db } }: Pick<Services, 'clock' | 'config' | 'database'>,
  { month }: ReadBookkeeping,
): Promise<Bookkeeping> {
  const bounds = bookedMonth({ clock }, month)
  const read = async (trx: Trx): Promise<Bookkeeping> => {
    const counts = await countBookings(trx, bounds)
    const balances = await readBalances(trx, bounds)
    const reading = await findBalanceReading(trx)
    return {
      month,
      currencies: counts.map(({ currency }) => currency),
      datevBatches: await datevBatches(trx, config, bounds, counts),
      balances: balances.map(toBalance),
      differences: await readDifferences(trx, bounds),
      readUntil: reading?.finishedAt ? reading.readUntil.toISOString() : null,
      readError: reading?.error ?? null,
    }
  }
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(read)
}

/** Reads the rows only where there may be more of a currency than one batch holds. */
async function datevBatches(
  trx: Trx,
  config: Config,
  month: BookedMonth,
  counts: readonly { currency: string; most: number }[],
): Promise<Bookkeeping['datevBatches']> {
  const lines = new Map<string, number>()
  if (counts.some(({ most }) => most > datevRowsPerBatch))
    for await (const rows of bookkeepingRows(trx, config, month, undefined))
      for (const { currency, grossMinor } of rows)
        if (grossMinor !== 0) lines.set(currency, (lines.get(currency) ?? 0) + 1)
  return counts
    .filter(({ currency }) => hasDatevAmounts(currency))
    .map(({ currency }) => ({
      currency,
      parts: Math.max(1, Math.ceil((lines.get(currency) ?? 0) / datevRowsPerBatch)),
    }))
}

async function readDifferences(trx: Trx, month: BookedMonth): Promise<BookkeepingDifference[]> {
  const found = await listBookkeepingDifferences(trx, month, mostDifferences)
  const ofDocuments = await listDocumentDifferences(trx, month, mostDifferences)
  const shown = (amount: string | null) => (amount === null ? null : toShownNumber(amount))
  return [
    ...found.map(({ books, processor, ...row }) => ({
      ...row,
      booksMinor: shown(books),
      processorMinor: shown(processor),
      document: null,
    })),
    ...ofDocuments.map(({ books, document, documentCurrency, ...row }) => ({
      ...row,
      booksMinor: shown(books),
      processorMinor: null,
      document: { currency: documentCurrency, amountMinor: toShownNumber(document) },
    })),
  ].toSorted((a, b) => differenceKinds.indexOf(a.kind) - differenceKinds.indexOf(b.kind))
}

export function toBalance(row: BalanceRow): BookkeepingBalance {
  const figures = {
    openingMinor: toShownNumber(row.opening),
    paymentsMinor: toShownNumber(row.payments),
    refundsMinor: toShownNumber(row.refunds),
    disputesMinor: toShownNumber(row.disputes),
    feesMinor: toShownNumber(row.fees),
    payoutsMinor: toShownNumber(row.payouts),
  }
  const closingMinor = toShownNumber(row.closing)
  const named = Object.values(figures).reduce((sum, minor) => sum + minor, 0)
  return { currency: row.currency, ...figures, otherMinor: closingMinor - named, closingMinor }
}
