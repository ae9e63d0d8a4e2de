import { randomUUID } from 'node:crypto'
import type { TaxBehavior } from '@atrium/core/billing/taxes'
import { AppError } from '@atrium/core/platform/errors'
import { findPaymentCustomer } from '@atrium/db/billing/payment-customers'
import { findPriceByStripeId } from '@atrium/db/billing/prices'
import { findLiveSubscription } from '@atrium/db/billing/subscriptions'
import type { Db, Trx } from '@atrium/db/platform/connect'
import { TaxLocationInvalid } from '@atrium/integrations/payments/declined'
import type {
  Payments,
  ProcessorSubscription,
  SubscriptionTax,
} from '@atrium/integrations/payments/port'
import type { Config } from '../../platform/config.ts'
import type { Services } from '../../rpc/services.ts'
import { readTaxBuyer } from './buyer.ts'
import { type SaleTax, type TaxBuyer, taxOfSale } from './sale-tax.ts'

interface Sale {
  tenantId: string
  customerId: string
  /** Of the price that is charged. */
  behavior: TaxBehavior
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
  { tenantId, customerId, behavior, signal }: Sale,
): Promise<SaleTax> {
  const buyer = await readTaxBuyer(db, tenantId)
  return taxCustomerAs(config, payments, buyer, { customerId, behavior, signal })
}

async function taxCustomerAs(
  config: Pick<Config, 'billing'>,
  payments: Payments,
  buyer: TaxBuyer,
  { customerId, behavior, signal }: Omit<Sale, 'tenantId'>,
): Promise<SaleTax> {
  const sale = await taxOfSale(config, payments, buyer, behavior, { signal })
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
    await taxCustomer(config, db, payments, { tenantId, customerId, signal })
  } catch (err) {
    const incomplete =
      err instanceof TaxLocationInvalid ||
      (err instanceof AppError && err.code === 'billing_address_incomplete')
    if (!incomplete) throw err
    services.log.warn({ tenantId }, 'a tenant cannot be taxed without its billing address')
  }
}

async function taxCustomer(
  config: Pick<Config, 'billing'>,
  db: Db,
  payments: Payments,
  { tenantId, customerId, signal }: Omit<Sale, 'behavior'>,
): Promise<void> {
  const id = (await findLiveSubscription(db, tenantId))?.stripeSubscriptionId
  const found = id ? await payments.findSubscription(id, { signal }) : undefined
  const behavior = found?.taxBehavior ?? 'exclusive'
  const buyer = await readTaxBuyer(db, tenantId)
  const sale = { customerId, behavior, signal }
  const { tax } = await taxCustomerAs(config, payments, buyer, sale)
  if (!found) return
  const scheduled = found.scheduled && (await findPriceByStripeId(db, found.scheduled.priceId))
  const next = scheduled?.taxBehavior ?? behavior
  const nextSale =
    next === behavior ? { tax } : await taxOfSale(config, payments, buyer, next, { signal })
  await followTax(payments, found, { tax, nextTax: nextSale.tax }, signal)
}

/**
 * Applies the tax decision at the payment processor; `nextTax` is for a scheduled price. Rejects
 * with `UpstreamError`.
 */
export async function followTax(
  payments: Payments,
  found: ProcessorSubscription,
  { tax, nextTax }: { tax: SubscriptionTax; nextTax: SubscriptionTax },
  signal: AbortSignal,
): Promise<void> {
  if (tax.mode === 'none' || isSame(found.tax, tax)) return
  const { id: subscriptionId } = found
  const idempotencyKey = `subscription-tax:${subscriptionId}:${randomUUID()}`
  await payments.setSubscriptionTax({ subscriptionId, tax, nextTax }, { idempotencyKey, signal })
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
