import type { PriceView } from '@atrium/core/billing/prices'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { lockPrice, archivePrice as write } from '@atrium/db/billing/prices'
import type { Caller } from '../../rpc/caller.ts'
import type { Context } from '../../rpc/context.ts'
import { archiveAtProcessor } from './at-processor.ts'
import { noSuchPrice, readPrice } from './get.ts'
import { priceEntry } from './record.ts'
import { toPriceView } from './view.ts'

/**
 * Takes a price out of new sales; who subscribed at it keeps it. On an archived one it tries again
 * what the payment processor failed at. Throws AppError `not_found`, and `price_state` for a draft,
 * which is deleted instead.
 */
export async function archivePrice(ctx: Context, caller: Caller, id: string): Promise<PriceView> {
  const { services } = ctx
  const before = await readPrice(services, id)
  const prepared = await services.database.db.transaction().execute(async (trx) => {
    const locked = await lockPrice(trx, id)
    if (!locked) throw noSuchPrice()
    if (locked.state === 'draft') throw new AppError('price_state', errorText('priceDraftArchive'))
    if (locked.state === 'active') await write(trx, id)
    const entry = priceEntry('price.archived', { ...before, state: 'archived' })
    return services.audit.prepare(ctx, caller, entry, trx)
  })
  await archiveAtProcessor(services, await readPrice(services, id))
  const price = await readPrice(services, id)
  // What the payment processor answered is part of the entry.
  await services.audit.complete(prepared, priceEntry('price.archived', price))
  return toPriceView(price)
}
