import type { BrandingView, GetBranding } from '@atrium/core/branding/branding'
import { standardAccentColor } from '@atrium/core/branding/branding'
import { contrastWarnings, textColorOn } from '@atrium/core/branding/contrast'
import { describeTemplate, standardText } from '@atrium/core/branding/email-templates'
import { templateKeys } from '@atrium/core/branding/template-keys'
import { AppError } from '@atrium/core/platform/errors'
import type { Language } from '@atrium/core/platform/language'
import {
  type BrandingRow,
  type EmailTemplateRow,
  findBranding,
  listEmailTemplates,
} from '@atrium/db/branding/branding'
import type { Db, Trx } from '@atrium/db/platform/connect'
import { catalogueLanguage, type PageLanguage } from '@atrium/messages/languages'
import { withEditVersion } from '../rpc/edit-version.ts'
import { readerLanguage } from '../rpc/reader-language.ts'
import type { Services } from '../rpc/services.ts'

/**
 * A tenant's branding: what it has set, what is used, and every message with its standard text and
 * its override.
 */
export function getBranding(
  { database }: Services,
  tenantId: string,
  { language }: GetBranding,
): Promise<BrandingView> {
  return readBranding(database.db, tenantId, language)
}

export async function readBranding(
  db: Db | Trx,
  tenantId: string,
  language?: Language,
): Promise<BrandingView> {
  const row = await findBranding(db, tenantId)
  if (!row) throw new AppError('not_found')
  return toBrandingView(
    row,
    await listEmailTemplates(db, tenantId),
    standardLanguage(row, language),
  )
}

/**
 * The language in which the standard texts are shown: the requested one, else that of the tenant,
 * else that of the reader.
 */
export function standardLanguage(
  tenant: Pick<BrandingRow, 'language'>,
  requested: Language | undefined,
): PageLanguage {
  return requested ?? tenant.language ?? readerLanguage()
}

/**
 * What a tenant's messages and pages are branded with where it has set nothing: what its partner
 * has set, then its own name; its brand colour, then that of its partner, then ours.
 */
export function effectiveBranding(row: Omit<BrandingRow, 'updatedAt'>) {
  const accentColor =
    row.accentColor ?? row.brandColor ?? row.partnerAccentColor ?? standardAccentColor
  return {
    productName: row.productName ?? row.partnerProductName ?? row.tenantName,
    accentColor,
    textColor: textColorOn(accentColor),
  }
}

function toBrandingView(
  row: BrandingRow,
  overrides: readonly EmailTemplateRow[],
  language: PageLanguage,
): BrandingView {
  const effective = effectiveBranding(row)
  const view = {
    productName: row.productName,
    accentColor: row.accentColor,
    effective,
    warnings: contrastWarnings(effective.accentColor),
    standardLanguage: catalogueLanguage(language),
    templates: templateKeys.map((key) => {
      const { title, description, variables } = describeTemplate(key, readerLanguage())
      const override = overrides.find((one) => one.key === key)
      return {
        key,
        title,
        description,
        variables: variables.map(({ sample, ...variable }) => ({
          ...variable,
          sample: typeof sample === 'string' ? sample : [...sample],
        })),
        standard: standardText(key, language),
        override: override
          ? {
              subject: override.subject,
              html: override.html,
              text: override.text,
              updatedAt: override.updatedAt.toISOString(),
            }
          : null,
      }
    }),
    updatedAt: row.updatedAt?.toISOString() ?? null,
  }
  const texts = overrides.map(({ key, subject, html, text }) => [key, subject, html, text])
  return withEditVersion(view, [row.productName, row.accentColor, texts])
}
