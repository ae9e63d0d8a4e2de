import { randomUUID } from 'node:crypto'
import { AppError } from '@atrium/core/platform/errors'
import { findPaymentCustomer } from '@atrium/db/billing/payment-customers'
import { findLiveSubscription } from '@atrium/db/billing/subscriptions'
import type { Db, Trx } from '@atrium/db/platform/connect'
import { TaxLocationInvalid } from '@atrium/integrations/payments/declined'
import type { Payments, SubscriptionTax } from '@atrium/integrations/payments/port'
import type { Config } from '../../platform/config.ts'
import type { Services } from '../../rpc/services.ts'
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

/**
 * Taxes what a tenant is charged from now on by what is known of it now: for changed billing data,
 * answers of the VAT register, and the nightly comparison. A tenant without a country stays as it
 * is. Rejects with `UpstreamError`.
 */
export async function followTenantTax(
  services: Services,
  payments: Payments,
  tenantId: string,
  signal: AbortSignal,
): Promise<void> {
  const { config } = services
  const { db } = services.database
  if (config.billing.tax.mode === 'none') return
  const customerId = (await findPaymentCustomer(db, tenantId))?.customerId
  if (!customerId) return
  try {
    const { tax } = await prepareTaxedCustomer(config, db, payments, {
      tenantId,
      customerId,
      signal,
    })
    const subscriptionId = (await findLiveSubscription(db, tenantId))?.stripeSubscriptionId
    if (subscriptionId) await followTax(payments, subscriptionId, tax, signal)
  } catch (err) {
    const incomplete =
      err instanceof TaxLocationInvalid ||
      (err instanceof AppError && err.code === 'billing_address_incomplete')
    if (!incomplete) throw err
    services.log.warn({ tenantId }, 'a tenant cannot be taxed without its billing address')
  }
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
