import type { ConsentView } from '@atrium/core/billing/payouts'
import { setSelfBillingConsent } from '@atrium/db/billing/payouts'
import type { AuditEntry } from '../../rpc/audit-recorder.ts'
import type { Context } from '../../rpc/context.ts'
import type { OwnPartner } from '../../rpc/guards.ts'
import { lockOwnPartner } from '../../rpc/partner-lock.ts'

/**
 * Notes that the partner lets us write its statements, without which nothing is paid out. Saying it
 * again changes nothing. Operators note it for a partner that was terminated too, whose earnings
 * stay payable. Throws AppError as `lockOwnPartner` does.
 */
export async function giveConsent(ctx: Context, proof: OwnPartner): Promise<ConsentView> {
  const { services } = ctx
  const { caller, partner } = proof
  const now = services.clock.now()
  const at = await services.database.db.transaction().execute(async (trx) => {
    if (!caller.operator) await lockOwnPartner(trx, proof, 'manageStaff')
    const selfBillingConsentAt = await setSelfBillingConsent(trx, partner.id, now)
    const entry: AuditEntry = {
      action: 'partner_settings.updated',
      resourceType: 'partner',
      resourceId: partner.id,
      resourceName: partner.slug,
      partnerSlug: partner.slug,
      metadata: { selfBillingConsentAt },
    }
    await services.audit.record(ctx, caller, entry, trx)
    return selfBillingConsentAt
  })
  return { selfBillingConsentAt: at.toISOString() }
}
