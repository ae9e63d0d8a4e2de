import { isCatalogPrice } from '@atrium/db/billing/billing'
import { type EventWork, type Outcome, skipped } from './outcome.ts'

/**
 * A price that was changed at the processor by hand. Told to operators, never taken over: the
 * catalog here says what things cost.
 */
export async function priceChanged({ services, event }: EventWork): Promise<Outcome> {
  const known = await isCatalogPrice(services.database.db, event.objectId ?? '')
  if (!known) return skipped('It is no price of the catalog here.')
  return skipped(
    'A price of the catalog was changed at the payment processor. The catalog here stays as it is: compare the two.',
  )
}
