import { sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'

export interface BookingPageRow {
  enabled: boolean
  headline: string | null
  intro: string | null
  embedOrigins: string[]
  /** 0 until the first change. */
  version: number
}

/** What holds for a tenant that never chose. */
const standard: BookingPageRow = {
  enabled: true,
  headline: null,
  intro: null,
  embedOrigins: [],
  version: 0,
}

/** The tenant's settings of its booking page. */
export async function readBookingPage(db: Db | Trx, tenantId: string): Promise<BookingPageRow> {
  const row = await db
    .selectFrom('booking_pages')
    .select(['enabled', 'headline', 'intro', 'embed_origins as embedOrigins', 'version'])
    .where('tenant_id', '=', tenantId)
    .executeTakeFirst()
  return row ?? standard
}

/** Requires `Trx`: the version that is raised was read under the tenant's lock. */
export async function saveBookingPage(
  trx: Trx,
  tenantId: string,
  page: Omit<BookingPageRow, 'version'>,
): Promise<void> {
  const values = {
    enabled: page.enabled,
    headline: page.headline,
    intro: page.intro,
    embed_origins: page.embedOrigins,
  }
  await trx
    .insertInto('booking_pages')
    .values({ tenant_id: tenantId, ...values })
    .onConflict((conflict) =>
      conflict.column('tenant_id').doUpdateSet(({ ref }) => ({
        ...values,
        version: sql`booking_pages.version + 1`,
        updated_at: ref('excluded.updated_at'),
      })),
    )
    .execute()
}
