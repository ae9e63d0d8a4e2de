import { AppError } from '@atrium/core/platform/errors'
import { deletePrice, lockPrice } from '@atrium/db/billing/prices'
import type { Caller } from '../../rpc/caller.ts'
import type { Context } from '../../rpc/context.ts'
import { archiveAtProcessor } from './at-processor.ts'
import { noSuchPrice, readPrice } from './get.ts'
import { priceEntry } from './record.ts'

/**
 * Deletes a draft that nobody ever subscribed at. AppError `price_in_use` for every other price.
 */
export async function removePrice(ctx: Context, caller: Caller, id: string): Promise<void> {
  const { services } = ctx
  const price = await readPrice(services, id)
  await services.database.db.transaction().execute(async (trx) => {
    const locked = await lockPrice(trx, id)
    if (!locked) throw noSuchPrice()
    if (locked.state !== 'draft' || !(await deletePrice(trx, id)))
      throw new AppError('price_in_use')
    await services.audit.record(ctx, caller, priceEntry('price.deleted', price), trx)
  })
  await archiveAtProcessor(services, price)
}
