import type { ConsentView } from '@atrium/core/payouts'
import { setSelfBillingConsent } from '@atrium/db/payouts'
import type { Context } from '../context.ts'
import type { OwnPartner } from '../guards.ts'

/** Notes that the partner lets us write its statements, without which nothing is paid out. Saying it again changes nothing. */
export async function giveConsent(ctx: Context, { caller, partner }: OwnPartner): Promise<ConsentView> {
  const { house } = ctx
  const now = house.clock.now()
  const at = await house.database.db.transaction().execute((trx) => setSelfBillingConsent(trx, partner.id, now))
  await house.audit.record(ctx, caller, {
    action: 'partner_settings.updated',
    ...{ resourceType: 'partner', resourceId: partner.id, resourceName: partner.slug, partnerSlug: partner.slug },
    metadata: { selfBillingConsentAt: at },
  })
  return { selfBillingConsentAt: at.toISOString() }
}
