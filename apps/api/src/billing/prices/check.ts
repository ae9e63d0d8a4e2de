import { faultsOfPrice, type PriceSettings } from '@atrium/core/billing/prices'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError, type IssueText } from '@atrium/core/platform/errors'
import { partnerIdsBySlug } from '@atrium/db/billing/prices'
import type { Db, Trx } from '@atrium/db/platform/connect'

/**
 * Throws AppError `invalid_input` for what is wrong between the fields, and for partners that there
 * are not. Answers their ids.
 */
export async function checkPrice(
  db: Db | Trx,
  settings: PriceSettings,
  partnerSlugs: readonly string[] | null,
): Promise<readonly string[] | null> {
  const found = await partnerIdsBySlug(db, partnerSlugs ?? [])
  const issues: IssueText[] = faultsOfPrice(settings)
  for (const [index, slug] of (partnerSlugs ?? []).entries()) {
    if (!found.has(slug))
      issues.push({
        path: `partnerSlugs.${index}`,
        message: errorText('unknownPartnerNamed', { slug }),
      })
  }
  if (issues.length > 0) throw new AppError('invalid_input', undefined, { issues })
  return partnerSlugs === null ? null : partnerSlugs.flatMap((slug) => found.get(slug) ?? [])
}
