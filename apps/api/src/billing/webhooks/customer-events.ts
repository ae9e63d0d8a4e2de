import {
  findCustomerTenant,
  findPaymentCustomer,
  findTenantOfCustomer,
  saveTaxId,
} from '@atrium/db/billing/payment-customers'
import { readCard } from '../invoices/card.ts'
import { deleteProcessorCustomer } from '../invoices/customer.ts'
import {
  applied,
  type EventWork,
  needsKeys,
  type Outcome,
  skipped,
  textOf,
  unknownTenant,
} from './outcome.ts'

/** Reads the customer again; one that is gone is forgotten. */
export async function customerChanged({ services, event, payments }: EventWork): Promise<Outcome> {
  const customerId = event.objectId ?? ''
  if ((await findTenantOfCustomer(services.database.db, customerId)) === undefined)
    return skipped('tenantOfCustomerUnknown')
  if (!payments) return needsKeys
  await readCard(services, payments, customerId, event.claimedAt)
  return applied
}

export async function customerDeleted({ services, event }: EventWork): Promise<Outcome> {
  const customerId = event.objectId ?? ''
  if ((await findTenantOfCustomer(services.database.db, customerId)) === undefined)
    return skipped('tenantOfCustomerUnknown')
  await deleteProcessorCustomer(services, customerId)
  return applied
}

/** What the authority says of a VAT number. Only the number that the tenant has now counts. */
export async function taxIdChanged({
  services,
  event,
  payments,
  object,
}: EventWork): Promise<Outcome> {
  const { db } = services.database
  const customerId = textOf(object, 'customer') ?? ''
  const tenantId = await findTenantOfCustomer(db, customerId)
  if (tenantId === undefined) return unknownTenant
  if (!payments) return needsKeys
  const [found, stored, tenant] = [
    await payments.findTaxId(customerId, event.objectId ?? ''),
    await findPaymentCustomer(db, tenantId),
    await findCustomerTenant(db, tenantId),
  ]
  if (found && found.value === tenant?.vatNumber)
    await saveTaxId(db, customerId, found, event.claimedAt)
  else if (!found && stored?.taxId === event.objectId)
    await saveTaxId(db, customerId, null, event.claimedAt)
  else return skipped('otherVatNumber')
  return applied
}
