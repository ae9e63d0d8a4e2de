import type { TemplateKey } from '@atrium/core/branding/template-keys'
import type { Language } from '@atrium/core/platform/language'
import { sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'

export interface BrandingRow {
  tenantName: string
  language: Language | null
  brandColor: string | null
  productName: string | null
  accentColor: string | null
  /** What the tenant's partner looks like; null without a partner, or where it has set nothing. */
  partnerProductName: string | null
  partnerAccentColor: string | null
  updatedAt: Date | null
}

export interface EmailTemplateRow {
  key: TemplateKey
  subject: string
  html: string | null
  text: string
  updatedAt: Date
}

/**
 * A tenant's branding and the defaults where nothing is set. Undefined when the tenant does not
 * exist.
 */
export function findBranding(db: Db | Trx, tenantId: string): Promise<BrandingRow | undefined> {
  return db
    .selectFrom('tenants as t')
    .leftJoin('brandings as b', 'b.tenant_id', 't.id')
    .leftJoin('partners as p', (join) =>
      join.onRef('p.id', '=', 't.partner_id').on('p.status', '<>', 'terminated'),
    )
    .select([
      't.name as tenantName',
      't.language',
      't.brand_color as brandColor',
      'b.product_name as productName',
      'b.accent_color as accentColor',
      sql<string | null>`p.branding ->> 'productName'`.as('partnerProductName'),
      sql<string | null>`p.branding ->> 'accentColor'`.as('partnerAccentColor'),
      'b.updated_at as updatedAt',
    ])
    .where('t.id', '=', tenantId)
    .executeTakeFirst()
}

/** The tenant's overrides of messages. */
export function listEmailTemplates(db: Db | Trx, tenantId: string): Promise<EmailTemplateRow[]> {
  return db
    .selectFrom('email_templates')
    .select(['key', 'subject', 'html', 'text', 'updated_at as updatedAt'])
    .where('tenant_id', '=', tenantId)
    .orderBy('key')
    .execute()
}

export interface BrandingChanges {
  productName?: string | null | undefined
  accentColor?: string | null | undefined
}

/** Sets what is given; undefined stays. */
export async function saveBranding(
  trx: Trx,
  tenantId: string,
  { productName, accentColor }: BrandingChanges,
): Promise<void> {
  const changes = {
    ...(productName === undefined ? {} : { product_name: productName }),
    ...(accentColor === undefined ? {} : { accent_color: accentColor }),
  }
  await trx
    .insertInto('brandings')
    .values({
      tenant_id: tenantId,
      product_name: productName ?? null,
      accent_color: accentColor ?? null,
    })
    .onConflict((conflict) =>
      conflict.column('tenant_id').doUpdateSet(({ ref }) => ({
        ...changes,
        updated_at: ref('excluded.updated_at'),
      })),
    )
    .execute()
}

/** Overrides a message, or gives it back its standard text with null. */
export async function saveEmailTemplate(
  trx: Trx,
  tenantId: string,
  key: TemplateKey,
  template: { subject: string; html: string | null; text: string } | null,
): Promise<void> {
  if (template === null) {
    await trx
      .deleteFrom('email_templates')
      .where('tenant_id', '=', tenantId)
      .where('key', '=', key)
      .execute()
    return
  }
  await trx
    .insertInto('email_templates')
    .values({ tenant_id: tenantId, key, ...template })
    .onConflict((conflict) =>
      conflict
        .columns(['tenant_id', 'key'])
        .doUpdateSet({ ...template, updated_at: sql<Date>`now()` }),
    )
    .execute()
}
