import { tenantExists, tenantOfStripeSubscription } from '@atrium/db/billing/billing'
import { findTenantOfCustomer } from '@atrium/db/billing/payment-customers'
import type { Db, Trx } from '@atrium/db/platform/connect'
import { z } from 'zod'

export interface Traces {
  customerId: string | null
  subscriptionId: string | null
  /** What we wrote on the object when it was made. */
  metadataTenantId: string | undefined
}

/**
 * The tenant that an object of the payment processor is about: by its customer, its subscription,
 * or our own note on it, in this order.
 */
export async function findTenantOf(
  db: Db | Trx,
  { customerId, subscriptionId, metadataTenantId }: Traces,
): Promise<string | undefined> {
  const byCustomer = customerId === null ? undefined : await findTenantOfCustomer(db, customerId)
  if (byCustomer !== undefined) return byCustomer
  const bySubscription =
    subscriptionId === null ? undefined : await tenantOfStripeSubscription(db, subscriptionId)
  if (bySubscription !== undefined) return bySubscription
  const named = z.uuid().safeParse(metadataTenantId)
  return named.success && (await tenantExists(db, named.data)) ? named.data : undefined
}
