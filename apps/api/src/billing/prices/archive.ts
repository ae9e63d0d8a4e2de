import type { PriceView } from '@atrium/core/billing/prices'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { findPrice, lockPrice, archivePrice as write } from '@atrium/db/billing/prices'
import type { Caller } from '../../rpc/caller.ts'
import type { Context } from '../../rpc/context.ts'
import { archiveAtProcessor } from './at-processor.ts'
import { noSuchPrice } from './get.ts'
import { priceEntry } from './record.ts'
import { toPriceView } from './view.ts'

/**
 * Takes a price out of new sales; who subscribed at it keeps it. On an archived one it tries again
 * what the payment processor failed at. Throws AppError `not_found`, and `price_state` for a draft,
 * which is deleted instead.
 */
export async function archivePrice(ctx: Context, caller: Caller, id: string): Promise<PriceView> {
  const { services } = ctx
  const { row, prepared } = await services.database.db.transaction().execute(async (trx) => {
    const locked = await lockPrice(trx, id)
    if (!locked) throw noSuchPrice()
    if (locked.state === 'draft') throw new AppError('price_state', errorText('priceDraftArchive'))
    if (locked.state === 'active') await write(trx, id)
    const row = await findPrice(trx, id)
    if (!row) throw noSuchPrice()
    const entry = priceEntry('price.archived', row)
    return { row, prepared: await services.audit.prepare(ctx, caller, entry, trx) }
  })
  const price = await archiveAtProcessor(services, row)
  // What the payment processor answered is part of the entry.
  await services.audit.complete(prepared, priceEntry('price.archived', price))
  return toPriceView(price)
}
