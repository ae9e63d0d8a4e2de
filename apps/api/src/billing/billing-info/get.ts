import type { CheckedBillingInfo } from '@atrium/core/billing/billing-info'
import { findBillingInfo } from '@atrium/db/billing/billing-info'
import { findPaymentCustomer } from '@atrium/db/billing/payment-customers'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import type { Services } from '../../rpc/services.ts'
import { readVatCheck } from '../taxes/vat-check-view.ts'
import { withVatStatus } from './check.ts'

/**
 * Whom invoices go to. The verdict on the VAT number is made again from its text, unless the
 * authority was asked about it.
 */
export async function getBillingInfo(
  { services }: Context,
  { tenant }: Access,
): Promise<CheckedBillingInfo> {
  return readBillingInfo(services, tenant.id)
}

export async function readBillingInfo(
  services: Services,
  tenantId: string,
): Promise<CheckedBillingInfo> {
  const { db } = services.database
  const [stored, customer] = await Promise.all([
    findBillingInfo(db, tenantId),
    findPaymentCustomer(db, tenantId),
  ])
  const vatCheck = await readVatCheck(db, services.config, tenantId, stored.vatNumber)
  return withVatStatus(stored, customer, vatCheck)
}
