import type { TenantStatus } from '@atrium/core/tenants/tenants'
import type { Db, Trx } from '../platform/connect.ts'

/** A tenant's public face; what it never set is as a new page has it. */
export interface BookingPageRow {
  tenantId: string
  tenantSlug: string
  tenantName: string
  tenantStatus: TenantStatus
  enabled: boolean
  headline: string | null
  intro: string | null
  embedOrigins: string[]
}

/**
 * Also of a tenant that is suspended or deleted, or whose page is off: who may see it is the
 * caller's to decide.
 */
export async function findPublicPage(
  db: Db | Trx,
  tenant: { slug: string } | { id: string },
): Promise<BookingPageRow | undefined> {
  const row = await db
    .selectFrom('tenants as t')
    .leftJoin('booking_pages as p', 'p.tenant_id', 't.id')
    .select([
      't.id as tenantId',
      't.slug as tenantSlug',
      't.name as tenantName',
      't.status as tenantStatus',
      'p.enabled',
      'p.headline',
      'p.intro',
      'p.embed_origins as embedOrigins',
    ])
    .where('slug' in tenant ? 't.slug' : 't.id', '=', 'slug' in tenant ? tenant.slug : tenant.id)
    .executeTakeFirst()
  return row && { ...row, enabled: row.enabled ?? true, embedOrigins: row.embedOrigins ?? [] }
}
