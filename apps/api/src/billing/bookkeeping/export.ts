import { csvLine } from '@atrium/core/audit/audit'
import { exportTrailer } from '@atrium/core/audit/export-trailer'
import {
  type BookkeepingBalance,
  bookkeepingCells,
  bookkeepingColumns,
  type ExportBookkeeping,
} from '@atrium/core/billing/bookkeeping'
import {
  datevHead,
  datevLine,
  datevRowsPerBatch,
  hasDatevAmounts,
} from '@atrium/core/billing/datev'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { type BookedMonth, readBalances } from '@atrium/db/billing/bookkeeping'
import type { Trx } from '@atrium/db/platform/connect'
import { readSnapshot } from '@atrium/db/platform/snapshot'
import type { Config } from '../../platform/config.ts'
import type { AuditEntry } from '../../rpc/audit-recorder.ts'
import type { Caller } from '../../rpc/caller.ts'
import type { Context } from '../../rpc/context.ts'
import type { Services } from '../../rpc/services.ts'
import { bookedMonth, toBalance } from './read.ts'
import { bookkeepingRows } from './rows.ts'

/**
 * The month as CSV with the balance of each currency at its end, or as a DATEV batch of one
 * currency; in pieces, all from one moment, recorded before the first one. AppError `invalid_input`
 * for a month to come and for a currency that DATEV cannot write, `not_found` for a part that has
 * no rows, `rate_limited`.
 */
export async function* exportBookkeeping(
  ctx: Context,
  caller: Caller,
  input: ExportBookkeeping,
): AsyncGenerator<string> {
  const text = bookkeepingText(ctx.services, input, ctx.request.signal)
  await ctx.services.limits.take(ctx.request, [
    { limit: 'bookkeeping_exports_hour', of: caller.subject },
  ])
  await ctx.services.audit.record(ctx, caller, bookkeepingExported(input))
  yield* text
}

/** The entry of an export. */
export const bookkeepingExported = (input: ExportBookkeeping): AuditEntry => ({
  action: 'billing.exported',
  resourceType: 'platform',
  metadata: {
    month: input.month,
    format: input.format,
    currency: currencyOf(input) ?? null,
  },
})

const currencyOf = ({ format, currency }: ExportBookkeeping) =>
  format === 'datev' ? (currency ?? 'eur') : currency

/**
 * The text of an export. AppError `invalid_input` for a month to come and for a currency that DATEV
 * cannot write, before anything is read; `not_found` for a part that has no rows.
 */
export function bookkeepingText(
  services: Pick<Services, 'clock' | 'config' | 'database'>,
  input: ExportBookkeeping,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { clock, config, database } = services
  const month = bookedMonth(services, input.month)
  const currency = currencyOf(input)
  if (input.format === 'datev' && currency !== undefined && !hasDatevAmounts(currency))
    throw new AppError('invalid_input', undefined, {
      issues: [{ path: 'currency', message: errorText('datevDecimals') }],
    })
  return readSnapshot(database.db, signal, (trx) =>
    input.format === 'datev' && currency !== undefined
      ? datev(trx, config, month, { ...input, currency, createdAt: clock.now() })
      : csv(trx, config, month, currency),
  )
}

async function* csv(
  trx: Trx,
  config: Config,
  month: BookedMonth,
  currency: string | undefined,
): AsyncGenerator<string> {
  let count = 0
  // Goes out with the first rows, so that a query that fails is still a rejection.
  let head = csvLine(bookkeepingColumns)
  for await (const rows of bookkeepingRows(trx, config, month, currency)) {
    count += rows.length
    yield head + rows.map((row) => csvLine(bookkeepingCells(row))).join('')
    head = ''
  }
  const balances = (await readBalances(trx, month)).map(toBalance)
  yield head +
    balances
      .filter((one) => currency === undefined || one.currency === currency)
      .flatMap(totals)
      .join('')
  yield exportTrailer('csv', count, bookkeepingColumns.length)
}

/** Lines that begin with `# total`: the processor's balance from the first to the last day. */
function totals({ currency, ...figures }: BookkeepingBalance): string[] {
  return Object.entries(figures).map(([name, minor]) => {
    const cells = { date: '# total', kind: name.replace(/Minor$/, ''), currency, grossMinor: minor }
    return csvLine(bookkeepingColumns.map((column) => Reflect.get(cells, column) ?? ''))
  })
}

async function* datev(
  trx: Trx,
  config: Config,
  month: BookedMonth,
  batch: { month: string; currency: string; part: number; createdAt: Date },
): AsyncGenerator<string> {
  const { month: name, currency, part, createdAt } = batch
  const { accounts, chart, consultant, client, firstMonth } = config.bookkeeping
  const head = datevHead({
    createdAt,
    consultant,
    client,
    firstMonth,
    month: name,
    currency,
    chart: chart === 'skr03' ? '03' : '04',
    accountLength: accounts.clearing.number.length,
    label: `Atrium ${name} ${currency.toUpperCase()} ${part}`,
  })
  const first = (part - 1) * datevRowsPerBatch
  let seen = 0
  let hasHead = false
  for await (const rows of bookkeepingRows(trx, config, month, currency)) {
    const lines = rows.map(datevLine).filter((line) => line !== '')
    const taken = lines.slice(Math.max(0, first - seen), first + datevRowsPerBatch - seen)
    seen += lines.length
    if (taken.length > 0) {
      yield (hasHead ? '' : head) + taken.join('')
      hasHead = true
    }
    if (seen >= first + datevRowsPerBatch) return
  }
  if (hasHead) return
  if (part > 1) throw new AppError('not_found', errorText('datevPart'))
  yield head
}
