import {
  type CustomerTenant,
  findCustomerTenant,
  findPaymentCustomer,
  type PaymentCustomerRow,
} from '@atrium/db/billing/payment-customers'
import { findVatCheck } from '@atrium/db/billing/vat-checks'
import type { Db, Trx } from '@atrium/db/platform/connect'
import type { PostalAddress } from '@atrium/integrations/payments/port'
import type { TaxBuyer } from './sale-tax.ts'

/** The tenant as the buyer of its subscription. */
export async function readTaxBuyer(db: Db | Trx, tenantId: string): Promise<TaxBuyer> {
  const [tenant, customer] = [
    await findCustomerTenant(db, tenantId),
    await findPaymentCustomer(db, tenantId),
  ]
  if (!tenant) throw new Error(`there is no tenant ${tenantId}`)
  const { vatNumber } = tenant
  const valid = vatNumber !== null && (await isValid(db, tenantId, vatNumber, customer))
  return {
    country: tenant.country,
    address: addressOf(tenant),
    validVatNumber: valid ? vatNumber : null,
  }
}

/** The register's last answer decides; without one, what the payment processor was told. */
async function isValid(
  db: Db | Trx,
  tenantId: string,
  vatNumber: string,
  customer: PaymentCustomerRow | undefined,
): Promise<boolean> {
  const check = await findVatCheck(db, tenantId, vatNumber)
  if (check) return check.valid
  return customer?.taxIdValue === vatNumber && customer.taxIdStatus === 'verified'
}

/** The billing address as the payment processor takes it; null while there is no country. */
export function addressOf({
  country,
  address,
}: Pick<CustomerTenant, 'country' | 'address'>): PostalAddress | null {
  if (country === null) return null
  return {
    line1: address?.line1 ?? null,
    line2: address?.line2 ?? null,
    postalCode: address?.postalCode ?? null,
    city: address?.city ?? null,
    state: address?.region ?? null,
    country,
  }
}
