import type { ActivatePrice, PriceView } from '@atrium/core/billing/prices'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import {
  activatePrice as activate,
  findPrice,
  lockPrice,
  lockPriceVersions,
  type PriceRow,
} from '@atrium/db/billing/prices'
import type { Trx } from '@atrium/db/platform/connect'
import type { Caller } from '../../rpc/caller.ts'
import type { Context } from '../../rpc/context.ts'
import type { Services } from '../../rpc/services.ts'
import { archiveAtProcessor, createAtProcessor } from './at-processor.ts'
import { checkPrice, rejectDroppedCurrencies } from './check.ts'
import { noSuchPrice, readPrice } from './get.ts'
import { priceEntry } from './record.ts'
import { settingsOf, toPriceView } from './view.ts'

/**
 * Puts a price on sale in place of the previous version, or retries what failed at the payment
 * processor. Subscriptions at the previous version keep it. Throws AppError `not_found`,
 * `price_state` for an archived one, `currency_dropped`, and `invalid_input` for amounts that
 * cannot be charged.
 */
export async function activatePrice(
  ctx: Context,
  caller: Caller,
  { id, leaveOut }: ActivatePrice,
): Promise<PriceView> {
  const { services } = ctx
  const before = await readPrice(services, id)
  if (before.state === 'archived') throw archived()
  if (before.state === 'draft')
    await checkPrice(services.database.db, settingsOf(before), before.partnerSlugs)
  await putOnSale(services, id, leaveOut, (price, trx) => {
    const entry = priceEntry('price.activated', price, leaveOut ? { leaveOut } : {})
    return services.audit.record(ctx, caller, entry, trx)
  })
  return toPriceView(await readPrice(services, id))
}

/**
 * Records what became of a price: in the transaction that puts it on sale, without one where the
 * payment processor failed.
 */
type RecordPrice = (price: PriceRow, trx?: Trx) => Promise<void>

/**
 * First at the payment processor, then here: what is on sale can be paid. What is left undone
 * stands in the price. Throws AppError `currency_dropped`.
 */
export async function putOnSale(
  services: Services,
  id: string,
  leaveOut: readonly string[] | undefined,
  record: RecordPrice,
): Promise<void> {
  const price = await readPrice(services, id)
  if (price.state !== 'active') await rejectDroppedCurrencies(services.database.db, price, leaveOut)
  if (!(await createAtProcessor(services, price))) return record(await readPrice(services, id))
  const replaced = await services.database.db.transaction().execute(async (trx) => {
    await lockPriceVersions(trx, price.plan, price.cycle)
    const locked = await lockPrice(trx, id)
    if (!locked || locked.state === 'archived') throw archived()
    await rejectDroppedCurrencies(trx, price, leaveOut)
    const before = await activate(trx, price)
    const active = await findPrice(trx, id)
    if (!active) throw noSuchPrice()
    await record(active, trx)
    return before === undefined ? undefined : findPrice(trx, before)
  })
  if (replaced) await archiveAtProcessor(services, replaced)
}

const archived = () => new AppError('price_state', errorText('priceArchived'))
