import { isDeepStrictEqual } from 'node:util'
import { changedFields } from '@atrium/core/audit/audit'
import type { PriceAmount, PriceView, UpdatePrice } from '@atrium/core/billing/prices'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import {
  findPrice,
  insertPrice,
  lockPrice,
  lockPriceVersions,
  type PriceFields,
  type PriceRow,
  touchPrice,
  updatePrice as write,
} from '@atrium/db/billing/prices'
import type { Trx } from '@atrium/db/platform/connect'
import type { Caller } from '../../rpc/caller.ts'
import type { Context } from '../../rpc/context.ts'
import { requireVersion } from '../../rpc/edit-version.ts'
import { putOnSale } from './activate.ts'
import { archiveAtProcessor } from './at-processor.ts'
import { checkPrice, rejectDroppedCurrencies } from './check.ts'
import { noSuchPrice, readPrice } from './get.ts'
import { priceEntry } from './record.ts'
import { toPriceView } from './view.ts'

interface Requested {
  fields: Omit<PriceFields, 'partnerIds'> & {
    visibleFrom: string | null
    visibleUntil: string | null
  }
  partnerSlugs: string[] | null
  amounts: PriceAmount[]
}

/**
 * Changes a price. Other amounts or another tax behavior of a price on sale make a new version,
 * which takes its place; who subscribed before keeps the old one. Returns the price
 * with the requested terms. Throws AppError `invalid_input`, `not_found`, `currency_dropped`, and
 * `price_state` for an archived one.
 */
export async function updatePrice(
  ctx: Context,
  caller: Caller,
  input: UpdatePrice,
): Promise<PriceView> {
  const { services } = ctx
  const before = await readPrice(services, input.id)
  if (before.state === 'archived')
    throw new AppError('price_state', errorText('archivedPriceFixed'))
  const requested = merged(before, input)
  const repriced =
    before.scheme !== requested.fields.scheme ||
    before.taxBehavior !== requested.fields.taxBehavior ||
    !isDeepStrictEqual(plain(before.amounts), plain(requested.amounts))
  const versioned = repriced && before.state === 'active'
  const record = (price: PriceRow, trx?: Trx) => {
    const entry = priceEntry('price.updated', price, {
      changes: changesOf(before, price),
      ...(versioned ? { replaces: before.version } : {}),
    })
    return services.audit.record(ctx, caller, entry, trx)
  }
  const id = await services.database.db.transaction().execute(async (trx) => {
    const partnerIds = await checkPrice(
      trx,
      { ...requested.fields, amounts: requested.amounts },
      requested.partnerSlugs,
    )
    const fields = { ...requested.fields, partnerIds }
    await lockPriceVersions(trx, before.plan, before.cycle)
    const locked = await lockPrice(trx, before.id)
    const newest = await findPrice(trx, before.id)
    if (newest) requireVersion(input.expectedVersion, toPriceView(newest))
    if (locked?.state !== before.state) throw new AppError('version_conflict')
    if (versioned) {
      await rejectDroppedCurrencies(trx, { ...before, amounts: requested.amounts }, input.leaveOut)
      await touchPrice(trx, before.id)
      return insertPrice(trx, {
        plan: before.plan,
        cycle: before.cycle,
        fields,
        amounts: requested.amounts,
      })
    }
    await write(trx, before.id, fields, repriced ? requested.amounts : undefined)
    const written = await findPrice(trx, before.id)
    if (!written) throw noSuchPrice()
    if (!repriced) await record(written, trx)
    return before.id
  })
  if (versioned) await putOnSale(services, id, input.leaveOut, record)
  else if (repriced) {
    await archiveAtProcessor(services, before)
    // What the payment processor answered is part of the entry.
    await record(await readPrice(services, id))
  }
  return toPriceView(await readPrice(services, id))
}

function merged(before: PriceRow, input: UpdatePrice): Requested {
  const provided = <Value>(value: Value | undefined, otherwise: Value): Value =>
    value === undefined ? otherwise : value
  return {
    fields: {
      scheme: provided(input.scheme, before.scheme),
      taxBehavior: provided(input.taxBehavior, before.taxBehavior),
      minSeats: provided(input.minSeats, before.minSeats),
      maxSeats: provided(input.maxSeats, before.maxSeats),
      trialDays: provided(input.trialDays, before.trialDays),
      visibleFrom: provided(input.visibleFrom, before.visibleFrom?.toISOString() ?? null),
      visibleUntil: provided(input.visibleUntil, before.visibleUntil?.toISOString() ?? null),
      note: provided(input.note, before.note),
    },
    partnerSlugs: provided(input.partnerSlugs, before.partnerSlugs),
    amounts: provided(input.amounts, plain(before.amounts)),
  }
}

const plain = (
  amounts: readonly { currency: string; unitAmount: number; tiers?: PriceAmount['tiers'] }[],
): PriceAmount[] =>
  amounts
    .map(({ currency, unitAmount, tiers }) => ({ currency, unitAmount, tiers: tiers ?? null }))
    .sort((a, b) => (a.currency < b.currency ? -1 : 1))

function changesOf(before: PriceRow, after: PriceRow): Record<string, [unknown, unknown]> {
  const shown = (row: PriceRow) => ({
    ...toPriceView(row),
    amounts: plain(row.amounts).map((one) => JSON.stringify(one)),
  })
  const fields = [
    'scheme',
    'taxBehavior',
    'minSeats',
    'maxSeats',
    'trialDays',
    'visibleFrom',
    'visibleUntil',
    'partnerSlugs',
    'note',
    'amounts',
  ] as const
  return changedFields(shown(before), shown(after), [...fields])
}
