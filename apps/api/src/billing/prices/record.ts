import type { AuditAction } from '@atrium/core/audit/audit'
import type { PriceRow } from '@atrium/db/billing/prices'
import type { AuditEntry } from '../../rpc/audit-recorder.ts'

/**
 * The entry of an act on a price; it failed when the payment processor has not got every currency
 * of it.
 */
export function priceEntry(
  action: AuditAction,
  price: PriceRow,
  metadata: Record<string, unknown> = {},
): AuditEntry {
  const failed = price.amounts.filter(({ error }) => error !== null)
  return {
    action,
    outcome: failed.length > 0 ? 'failure' : 'success',
    resourceType: 'price',
    resourceId: price.id,
    resourceName: `${price.plan} per ${price.cycle}, version ${price.version}`,
    metadata: {
      plan: price.plan,
      cycle: price.cycle,
      version: price.version,
      state: price.state,
      ...metadata,
      ...(failed.length > 0
        ? { errors: Object.fromEntries(failed.map(({ currency, error }) => [currency, error])) }
        : {}),
    },
  }
}
