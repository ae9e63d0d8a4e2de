import type { CreatePrice, PriceView } from '@atrium/core/billing/prices'
import { findPrice, insertPrice, lockPriceVersions, type PriceRow } from '@atrium/db/billing/prices'
import type { Trx } from '@atrium/db/platform/connect'
import type { Caller } from '../../rpc/caller.ts'
import type { Context } from '../../rpc/context.ts'
import { putOnSale } from './activate.ts'
import { checkPrice, rejectDroppedCurrencies } from './check.ts'
import { noSuchPrice, readPrice } from './get.ts'
import { priceEntry } from './record.ts'
import { toPriceView } from './view.ts'

/**
 * Adds a price to the catalog as the next version of its plan and cycle. With state `active` it
 * goes on sale at once; when the payment processor fails it stays a draft that says why, by
 * currency. Throws AppError `invalid_input`, `currency_dropped`.
 */
export async function createPrice(
  ctx: Context,
  caller: Caller,
  input: CreatePrice,
): Promise<PriceView> {
  const { services } = ctx
  const fields = {
    scheme: input.scheme ?? 'per_seat',
    taxBehavior: input.taxBehavior ?? 'exclusive',
    minSeats: input.minSeats ?? 1,
    maxSeats: input.maxSeats ?? null,
    trialDays: input.trialDays ?? 0,
    visibleFrom: input.visibleFrom ?? null,
    visibleUntil: input.visibleUntil ?? null,
    note: input.note ?? null,
  }
  const record = (price: PriceRow, trx?: Trx) =>
    services.audit.record(ctx, caller, priceEntry('price.created', price), trx)
  const id = await services.database.db.transaction().execute(async (trx) => {
    const partnerIds = await checkPrice(
      trx,
      { ...fields, amounts: input.amounts },
      input.partnerSlugs ?? null,
    )
    await lockPriceVersions(trx, input.plan, input.cycle)
    if (input.state === 'active') await rejectDroppedCurrencies(trx, input, input.leaveOut)
    const inserted = await insertPrice(trx, {
      plan: input.plan,
      cycle: input.cycle,
      fields: { ...fields, partnerIds },
      amounts: input.amounts,
    })
    const draft = await findPrice(trx, inserted)
    if (!draft) throw noSuchPrice()
    if (input.state !== 'active') await record(draft, trx)
    return inserted
  })
  if (input.state === 'active') await putOnSale(services, id, input.leaveOut, record)
  return toPriceView(await readPrice(services, id))
}
