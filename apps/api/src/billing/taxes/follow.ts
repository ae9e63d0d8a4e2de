import { randomUUID } from 'node:crypto'
import type { Db, Trx } from '@atrium/db/platform/connect'
import type { Payments, SubscriptionTax } from '@atrium/integrations/payments/port'
import type { Config } from '../../platform/config.ts'
import { readTaxBuyer } from './buyer.ts'
import { type SaleTax, taxOfSale } from './sale-tax.ts'

interface Sale {
  tenantId: string
  customerId: string
  signal: AbortSignal
}

/**
 * Decides how a tenant's subscription is taxed, and makes the customer at the payment processor say
 * what that needs, before something is charged. Does nothing where the installation computes no
 * tax. Throws AppError `billing_address_incomplete`; rejects with `UpstreamError`.
 */
export async function prepareTaxedCustomer(
  config: Pick<Config, 'billing'>,
  db: Db | Trx,
  payments: Payments,
  { tenantId, customerId, signal }: Sale,
): Promise<SaleTax> {
  const buyer = await readTaxBuyer(db, tenantId)
  const sale = await taxOfSale(config, payments, buyer, 'exclusive', { signal })
  if (sale.tax.mode !== 'none')
    await payments.updateCustomer(
      customerId,
      { address: buyer.address, taxExempt: sale.taxExempt },
      { idempotencyKey: `customer-tax:${customerId}:${randomUUID()}`, signal },
    )
  return sale
}

/** Makes a subscription at the payment processor follow the decision. Rejects with `UpstreamError`. */
export async function followTax(
  payments: Payments,
  subscriptionId: string,
  tax: SubscriptionTax,
  signal: AbortSignal,
): Promise<void> {
  if (tax.mode === 'none') return
  const found = await payments.findSubscription(subscriptionId, { signal })
  if (!found || isSame(found.tax, tax)) return
  const idempotencyKey = `subscription-tax:${subscriptionId}:${randomUUID()}`
  await payments.setSubscriptionTax({ subscriptionId, tax }, { idempotencyKey, signal })
}

function isSame(
  now: { automatic: boolean; rateIds: readonly string[] },
  tax: SubscriptionTax,
): boolean {
  const rateIds = tax.mode === 'rates' ? tax.rateIds : []
  return (
    now.automatic === (tax.mode === 'automatic') &&
    now.rateIds.length === rateIds.length &&
    rateIds.every((id) => now.rateIds.includes(id))
  )
}
