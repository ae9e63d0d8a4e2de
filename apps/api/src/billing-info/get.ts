import type { CheckedBillingInfo } from '@atrium/core/billing-info'
import { findBillingInfo } from '@atrium/db/billing-info'
import type { Context } from '../context.ts'
import type { Access } from '../guards.ts'
import { withVatStatus } from './check.ts'

/** Whom invoices go to. The verdict on the VAT number is made anew, from its text alone. */
export async function getBillingInfo({ house }: Context, { tenant }: Access): Promise<CheckedBillingInfo> {
  return withVatStatus(await findBillingInfo(house.database.db, tenant.id))
}
