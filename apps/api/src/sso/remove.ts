import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { RemoveSsoApp } from '@atrium/core/sso/sso'
import { beginSsoAppRemoval, findSsoApp } from '@atrium/db/sso/sso'
import type { AuditEntry } from '../rpc/audit-recorder.ts'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import { lockOpenTenant, rejectFormerDelegate } from '../rpc/open-tenant.ts'
import { tenantTransaction } from '../rpc/tenant-transaction.ts'
import { deprovision } from './deprovision.ts'
import { requireSsoProvider } from './provider.ts'

/**
 * Takes an application away from the provider, then from our records. 502 `upstream_failed` when
 * the provider does not do its part: the application is `removing` then, and `sweepSsoApps` goes
 * on. Repeating the call tries again at once.
 */
export async function removeSsoApp(
  ctx: Context,
  access: Access,
  input: RemoveSsoApp,
): Promise<void> {
  const { services } = ctx
  const identity = requireSsoProvider(services)
  const { row, partnerSlug } = await tenantTransaction(services, access.tenant.id, async (trx) => {
    const tenant = await lockOpenTenant(trx, input.slug)
    await rejectFormerDelegate(trx, access)
    const found = await findSsoApp(trx, tenant.id, input.appId)
    if (!found) throw new AppError('not_found', errorText('unknownApplication'))
    if (found.state === 'pending') {
      throw new AppError('provisioning_in_progress', errorText('applicationInProgress'))
    }
    await beginSsoAppRemoval(trx, found.id)
    return { row: found, partnerSlug: tenant.partnerSlug }
  })
  const entry: AuditEntry = {
    action: 'sso_app.deleted',
    resourceType: 'sso_app',
    resourceId: row.id,
    resourceName: row.name,
    tenantSlug: access.tenant.slug,
    partnerSlug,
    metadata: { clientId: row.clientId },
  }
  const done = await deprovision(services, identity, row, (trx) =>
    services.audit.record(ctx, access.caller, entry, trx),
  )
  if (done) return
  await services.audit.record(ctx, access.caller, { ...entry, outcome: 'failure' })
  throw new AppError('upstream_failed', errorText('applicationRemovalPending'))
}
