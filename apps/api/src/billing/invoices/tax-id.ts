import { randomUUID } from 'node:crypto'
import { isRegisteredInVies } from '@atrium/core/billing/taxes'
import {
  findCustomerTenant,
  findPaymentCustomer,
  saveTaxId,
} from '@atrium/db/billing/payment-customers'
import { databaseNow } from '@atrium/db/platform/clock'
import { TaxLocationInvalid } from '@atrium/integrations/payments/declined'
import type { Payments } from '@atrium/integrations/payments/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import type { Services } from '../../rpc/services.ts'
import { addressOf, readTaxBuyer } from '../taxes/buyer.ts'
import { followTenantTax } from '../taxes/follow.ts'
import { paymentDeadline } from './failures.ts'
import { billingGate } from './gate.ts'

/**
 * Sends a tenant's billing data to the payment processor, where billing is open and it has a
 * customer. A failure is only logged: the data are saved here, and the nightly comparison sends
 * them again.
 */
export async function tellBillingInfo(services: Services, tenantId: string): Promise<void> {
  const { payments } = services.systems
  const { db } = services.database
  const [customer, tenant] = await Promise.all([
    findPaymentCustomer(db, tenantId),
    findCustomerTenant(db, tenantId),
  ])
  if (payments === null || !customer?.customerId || !tenant) return
  if (
    (await billingGate(services, {
      slug: tenant.slug,
      plan: tenant.plan,
      partnerSlug: tenant.partnerSlug,
    })) !== 'open'
  )
    return
  try {
    const { name, company, email, ownerEmail } = tenant
    const fields = {
      name: company ?? name,
      email: email ?? ownerEmail,
      address: addressOf(tenant),
    }
    const signal = paymentDeadline()
    await payments.updateCustomer(customer.customerId, fields, {
      idempotencyKey: `customer-update:${tenantId}:${randomUUID()}`,
      signal,
    })
    await syncTaxId(services, payments, tenantId, signal)
    await followTenantTax(services, payments, tenantId, signal)
  } catch (err) {
    if (!(err instanceof UpstreamError || err instanceof TaxLocationInvalid)) throw err
    services.log.warn({ err, tenantId }, 'the payment processor could not be told of billing data')
  }
}

/**
 * Sets the tenant's VAT number as the customer's tax number, once per number; the authority's
 * result comes by event. A number that the processor rejects stays as it was checked here. Rejects
 * with `UpstreamError` when the processor fails.
 */
export async function syncTaxId(
  services: Services,
  payments: Payments,
  tenantId: string,
  signal = paymentDeadline(),
): Promise<void> {
  const { db } = services.database
  const [customer, tenant] = await Promise.all([
    findPaymentCustomer(db, tenantId),
    findCustomerTenant(db, tenantId),
  ])
  if (!customer?.customerId || !tenant) return
  const vatNumber = await numberToTell(services, tenantId, tenant.vatNumber)
  if (customer.taxIdValue === vatNumber) return
  const { customerId, taxId } = customer
  if (taxId !== null)
    await payments.removeTaxId(customerId, taxId, {
      idempotencyKey: `tax-id-removal:${taxId}`,
      signal,
    })
  const readAt = await databaseNow(db)
  const added =
    vatNumber === null
      ? null
      : await addTaxId(services, payments, { customerId, value: vatNumber, signal })
  await saveTaxId(db, customerId, added, readAt)
}

/**
 * Stripe Tax reverses the charge for any number of the right form. It learns of a number of the
 * Union only while the register confirms it.
 */
async function numberToTell(
  { config, database }: Services,
  tenantId: string,
  vatNumber: string | null,
): Promise<string | null> {
  const trusted = vatNumber === null || !isRegisteredInVies(vatNumber)
  if (trusted || config.billing.tax.mode !== 'stripe_tax') return vatNumber
  return (await readTaxBuyer(database.db, tenantId)).validVatNumber
}

interface NewTaxId {
  customerId: string
  value: string
  signal: AbortSignal
}

async function addTaxId(
  services: Services,
  payments: Payments,
  { customerId, value, signal }: NewTaxId,
) {
  try {
    const idempotencyKey = `tax-id:${customerId}:${value}:${hourOf(services)}`
    const { id, status } = await payments.addTaxId(customerId, value, { idempotencyKey, signal })
    return { id, value, status }
  } catch (error) {
    if (error instanceof UpstreamError && error.kind === 'refused') return null
    throw error
  }
}

/** A number that was taken away and comes back needs another key than the first time. */
function hourOf(services: Services): string {
  return services.clock.now().toISOString().slice(0, 13)
}
