import type { Trx } from '@atrium/db/platform/connect'
import { lockSuspension, transitionTenant } from '@atrium/db/tenants/tenant-access'
import { errorTexts } from '@atrium/messages/error-texts'
import { defaultLanguage } from '@atrium/messages/languages'
import { statusWithoutSuspension } from '../../provisioning/follow-access.ts'
import { readerLanguage } from '../../rpc/reader-language.ts'
import type { InTransaction } from '../../rpc/services.ts'

/**
 * What a suspension says that dunning began; by it the suspension is known again when the payment
 * comes.
 */
export const overdueReason = errorTexts(defaultLanguage)('details.paymentOverdue')

/** The reason of a suspension in the language of the reader, where dunning wrote it. */
export function readSuspensionReason(reason: string | null): string | null {
  return reason === overdueReason ? errorTexts(readerLanguage())('details.paymentOverdue') : reason
}

/**
 * Ends a suspension that dunning began. False when the tenant is not suspended, or for a reason of
 * somebody else's.
 */
export async function liftSuspension(
  trx: Trx,
  { jobs }: InTransaction,
  tenantId: string,
): Promise<boolean> {
  const tenant = await lockSuspension(trx, tenantId)
  if (tenant?.status !== 'suspended' || tenant.reason !== overdueReason) return false
  await transitionTenant(trx, tenantId, { status: await statusWithoutSuspension(trx, tenantId) })
  await jobs.enqueueProvisioning(tenantId, 0, trx)
  return true
}
