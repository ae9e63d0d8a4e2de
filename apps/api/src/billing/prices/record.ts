import type { AuditAction } from '@atrium/core/audit/audit'
import type { PriceRow } from '@atrium/db/billing/prices'
import type { Caller } from '../../rpc/caller.ts'
import type { Context } from '../../rpc/context.ts'

/**
 * Records an act on a price; it failed when the payment processor has not got every currency of it.
 */
export async function auditPrice(
  { services, request }: Context,
  caller: Caller,
  action: AuditAction,
  price: PriceRow,
  metadata: Record<string, unknown> = {},
): Promise<void> {
  const failed = price.amounts.filter(({ error }) => error !== null)
  await services.audit.record({ request }, caller, {
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
  })
}
