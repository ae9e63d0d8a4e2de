import type { BillingInfoView } from '@atrium/core/billing/billing-info'
import { sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'

export function findBillingInfo(db: Db | Trx, tenantId: string): Promise<BillingInfoView> {
  return db
    .selectFrom('tenants')
    .select([
      'billing_company as company',
      'billing_vat_number as vatNumber',
      'billing_country as country',
      'billing_email as email',
    ])
    .where('id', '=', tenantId)
    .executeTakeFirstOrThrow()
}

export async function saveBillingInfo(
  trx: Trx,
  tenantId: string,
  billing: BillingInfoView,
): Promise<void> {
  await trx
    .updateTable('tenants')
    .set({
      billing_company: billing.company,
      billing_vat_number: billing.vatNumber,
      billing_country: billing.country,
      billing_email: billing.email,
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', tenantId)
    .execute()
}
