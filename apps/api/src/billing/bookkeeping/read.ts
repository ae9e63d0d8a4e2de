import {
  type Bookkeeping,
  type BookkeepingBalance,
  differenceKinds,
  type ReadBookkeeping,
} from '@atrium/core/billing/bookkeeping'
import { toShownNumber } from '@atrium/core/billing/money'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { monthOf } from '@atrium/core/reports/report-figures'
import {
  type BalanceRow,
  type BookedMonth,
  listBookedCurrencies,
  listBookkeepingDifferences,
  readBalances,
} from '@atrium/db/billing/bookkeeping'
import { findBalanceReading } from '@atrium/db/billing/processor-balance'
import type { Services } from '../../rpc/services.ts'

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
 * The processor's balance over the month, and everything by name in which the books, the balance's
 * movements, the payouts and the processor's own figure do not agree.
 */
export async function getBookkeeping(
  services: Services,
  { month }: ReadBookkeeping,
): Promise<Bookkeeping> {
  const { db } = services.database
  const bounds = bookedMonth(services, month)
  const currencies = await listBookedCurrencies(db, bounds)
  const balances = await readBalances(db, bounds)
  const differences = await listBookkeepingDifferences(db, bounds, mostDifferences)
  const reading = await findBalanceReading(db)
  return {
    month,
    currencies,
    balances: balances.map(toBalance),
    differences: differences
      .map(({ books, processor, ...row }) => ({
        ...row,
        booksMinor: books === null ? null : toShownNumber(books),
        processorMinor: processor === null ? null : toShownNumber(processor),
      }))
      .toSorted((a, b) => differenceKinds.indexOf(a.kind) - differenceKinds.indexOf(b.kind)),
    readUntil: reading?.finishedAt ? reading.readUntil.toISOString() : null,
    readError: reading?.error ?? null,
  }
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
