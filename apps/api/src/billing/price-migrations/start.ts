import { toShownNumber } from '@atrium/core/billing/money'
import {
  earliestMove,
  type PriceMigrationPreview,
  type PriceMigrationView,
  type StartPriceMigration,
  type StopPriceMigration,
} from '@atrium/core/billing/price-migrations'
import { totalOf } from '@atrium/core/billing/prices'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import {
  countStaying,
  findPriceMigration,
  insertPriceMigration,
  listMovableGroups,
  type MoveTarget,
  type PriceMigrationRow,
  stopPriceMigration,
} from '@atrium/db/billing/price-migrations'
import {
  findPrice,
  findPriceOnSale,
  lockPriceVersions,
  type PriceRow,
} from '@atrium/db/billing/prices'
import type { Db, Trx } from '@atrium/db/platform/connect'
import type { AuditEntry } from '../../rpc/audit-recorder.ts'
import type { Caller } from '../../rpc/caller.ts'
import type { Context } from '../../rpc/context.ts'
import type { Services, TransactionContext } from '../../rpc/services.ts'
import { noSuchPrice } from '../prices/get.ts'
import { toMigrationView } from './view.ts'

/** Who would move to the version on sale, and what that changes. AppError `not_found`. */
export async function previewPriceMigration(
  { database: { db }, clock }: Services,
  id: string,
): Promise<PriceMigrationPreview> {
  const from = await findPrice(db, id)
  if (!from) throw noSuchPrice()
  const to = await newerVersion(db, from)
  const target = to ? targetOf(to) : { priceId: '', currencies: [], minSeats: 0, maxSeats: null }
  const groups = to ? await listMovableGroups(db, id, target) : []
  const sums = new Map<string, { subscriptions: number; before: bigint; after: bigint }>()
  for (const { currency, seats, total, subscriptions } of groups) {
    const sum = sums.get(currency) ?? { subscriptions: 0, before: 0n, after: 0n }
    const count = BigInt(subscriptions)
    sum.subscriptions += subscriptions
    sum.before += total * count
    sum.after += (to ? periodTotalAt(to, currency, seats) : 0n) * count
    sums.set(currency, sum)
  }
  return {
    fromPriceId: id,
    toPriceId: to?.id ?? null,
    toVersion: to?.version ?? null,
    earliest: dayOf(earliestDay(clock.now())),
    currencies: [...sums].sort().map(([currency, { subscriptions, before, after }]) => ({
      currency,
      subscriptions,
      oldMinor: toShownNumber(before),
      newMinor: toShownNumber(after),
    })),
    staying: await countStaying(db, id, target),
  }
}

/** What a whole period costs at a price. */
export function periodTotalAt(price: PriceRow, currency: string, seats: number): bigint {
  const amount = price.amounts.find((one) => one.currency === currency)
  if (!amount) throw new Error(`the price ${price.id} has no amount in ${currency}`)
  const { unitAmount, tiers } = amount
  return totalOf({ scheme: price.scheme, unitAmount, tiers }, seats)
}

/** The version on sale of the same plan and cycle; undefined when that is the price itself. */
async function newerVersion(db: Db | Trx, from: PriceRow): Promise<PriceRow | undefined> {
  const onSale = await findPriceOnSale(db, from.plan, from.cycle)
  return onSale && onSale.version > from.version ? onSale : undefined
}

function targetOf({ id, amounts, minSeats, maxSeats }: PriceRow): MoveTarget {
  const there = amounts.filter(({ stripePriceId }) => stripePriceId !== null)
  return { priceId: id, currencies: there.map(({ currency }) => currency), minSeats, maxSeats }
}

/** Whole days: the one after the notice period is over. */
function earliestDay(now: Date): Date {
  const at = earliestMove(now)
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate() + 1))
}
const dayOf = (date: Date) => date.toISOString().slice(0, 10)

/**
 * Moves the subscribers of a price to the version on sale, each at the first renewal on or after a
 * day. A job tells them and schedules the change. Throws AppError `not_found`, `price_state`,
 * `invalid_input`.
 */
export async function startPriceMigration(
  ctx: Context,
  caller: Caller,
  input: StartPriceMigration,
): Promise<PriceMigrationView> {
  const { services } = ctx
  const now = services.clock.now()
  const { db } = services.database
  const from = await findPrice(db, input.id)
  if (!from) throw noSuchPrice()
  const earliest = earliestDay(now)
  if (input.from < dayOf(earliest)) {
    const message = errorText('migrationTooSoon', { earliest })
    throw new AppError('invalid_input', undefined, { issues: [{ path: 'from', message }] })
  }
  const row = await db.transaction().execute(async (trx) => {
    await lockPriceVersions(trx, from.plan, from.cycle)
    const to = await newerVersion(trx, from)
    if (!to) throw new AppError('price_state', errorText('noNewerPrice'))
    // The notice compares the two amounts, so both contain tax or neither does.
    if (to.taxBehavior !== from.taxBehavior)
      throw new AppError('price_state', errorText('migrationTaxBehavior'))
    const { mayKeep, reason } = input
    const id = await insertPriceMigration(trx, {
      fromPriceId: from.id,
      target: targetOf(to),
      from: input.from,
      mayKeep,
      reason,
      requestedBy: caller.id ?? caller.subject,
      now,
    })
    const made = await readMigration(trx, id)
    if (made.subscribers.waiting === undefined)
      throw new AppError('price_state', errorText('nobodyToMove'))
    await record(ctx, trx, caller, 'price.migration_started', made)
    return made
  })
  return toMigrationView(row)
}

/**
 * Stops a migration: subscriptions that have not moved keep their price. The job withdraws the
 * changes that are scheduled. Throws AppError `not_found`, `price_state` for one that is over.
 */
export async function stopMigration(
  ctx: Context,
  caller: Caller,
  { id, reason }: StopPriceMigration,
): Promise<PriceMigrationView> {
  const { services } = ctx
  const row = await services.database.db.transaction().execute(async (trx) => {
    await readMigration(trx, id)
    if (!(await stopPriceMigration(trx, id, services.clock.now())))
      throw new AppError('price_state', errorText('migrationOver'))
    const stopped = await readMigration(trx, id)
    await record(ctx, trx, caller, 'price.migration_stopped', stopped, { stopReason: reason })
    return stopped
  })
  return toMigrationView(row)
}

/** Throws AppError `not_found`. */
export async function readMigration(db: Db | Trx, id: string): Promise<PriceMigrationRow> {
  const row = await findPriceMigration(db, id)
  if (!row) throw new AppError('not_found', errorText('unknownMigration'))
  return row
}

async function record(
  ctx: TransactionContext,
  trx: Trx,
  caller: Caller,
  action: 'price.migration_started' | 'price.migration_stopped',
  row: PriceMigrationRow,
  more: Record<string, unknown> = {},
): Promise<void> {
  const entry: AuditEntry = {
    action,
    resourceType: 'price',
    resourceId: row.fromPriceId,
    resourceName: `${row.plan} per ${row.cycle}, version ${row.fromVersion}`,
    metadata: {
      migrationId: row.id,
      toVersion: row.toVersion,
      from: row.from,
      mayKeep: row.mayKeep,
      reason: row.reason,
      subscribers: row.subscribers,
      ...more,
    },
  }
  await ctx.services.audit.record(ctx, caller, entry, trx)
}
