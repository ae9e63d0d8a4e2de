import { changedFields } from '@atrium/core/audit/audit'
import { standardAccentColor } from '@atrium/core/branding/branding'
import { contrastWarnings, textColorOn } from '@atrium/core/branding/contrast'
import type { PartnerBrandingView, UpdatePartnerBranding } from '@atrium/core/partners/partners'
import { findPartnerProfile, savePartnerProfile } from '@atrium/db/partners/partners'
import type { Db, Trx } from '@atrium/db/platform/connect'
import type { Context } from '../rpc/context.ts'
import { requireVersion, withEditVersion } from '../rpc/edit-version.ts'
import type { OwnPartner } from '../rpc/guards.ts'
import { lockOwnPartner, recordPartner } from '../rpc/partner-lock.ts'
import type { Services } from '../rpc/services.ts'

const fields = ['productName', 'accentColor'] as const
type Branding = Pick<PartnerBrandingView, (typeof fields)[number]>

export function getPartnerBranding(
  { database }: Services,
  { partner }: OwnPartner,
): Promise<PartnerBrandingView> {
  return readBranding(database.db, partner.id)
}

async function readBranding(db: Db | Trx, partnerId: string): Promise<PartnerBrandingView> {
  const { name, content, updatedAt } = await findPartnerProfile<Branding>(db, partnerId, 'branding')
  const { productName = null, accentColor = null } = content
  const color = accentColor ?? standardAccentColor
  const view = {
    productName,
    accentColor,
    effective: {
      productName: productName ?? name,
      accentColor: color,
      textColor: textColorOn(color),
    },
    warnings: contrastWarnings(color),
    updatedAt: updatedAt.toISOString(),
  }
  return withEditVersion(view, [productName, accentColor])
}

/**
 * Changes the fields that are given; null goes back to the standard. A colour that is hard to see
 * is saved with warnings.
 */
export async function updatePartnerBranding(
  ctx: Context,
  proof: OwnPartner,
  input: UpdatePartnerBranding,
): Promise<PartnerBrandingView> {
  const { slug: _, expectedVersion, ...changes } = input
  return ctx.services.database.db.transaction().execute(async (trx) => {
    const partner = await lockOwnPartner(trx, proof, 'manageCustomers')
    const before = await readBranding(trx, partner.id)
    requireVersion(expectedVersion, before)
    await savePartnerProfile(trx, partner.id, 'branding', changes)
    const after = await readBranding(trx, partner.id)
    const changed = changedFields(before, after, fields)
    if (Object.keys(changed).length > 0)
      await recordPartner(ctx, trx, proof.caller, partner, 'branding.updated', {
        changes: changed,
      })
    return after
  })
}
