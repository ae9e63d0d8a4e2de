import { isCatalogPrice } from '@atrium/db/billing/billing'
import { type EventWork, type Outcome, skipped } from './outcome.ts'

/**
 * A price that was changed at the processor by hand. Told to operators, never taken over: the
 * catalog here says what things cost.
 */
export async function priceChanged({ services, event }: EventWork): Promise<Outcome> {
  const known = await isCatalogPrice(services.database.db, event.objectId ?? '')
  if (!known) return skipped('notInCatalog')
  return skipped('catalogPriceChanged')
}
