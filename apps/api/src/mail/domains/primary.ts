import type { DomainPath, DomainView } from '@atrium/core/mail/domains'
import { AppError } from '@atrium/core/platform/errors'
import { listDomains, setPrimaryDomain } from '@atrium/db/mail/domains'
import { notifyTenant } from '@atrium/db/tenants/tenants'
import type { AuditEntry } from '../../rpc/audit-recorder.ts'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import { lockOpenTenant, rejectFormerDelegate } from '../../rpc/open-tenant.ts'
import { tenantTransaction } from '../../rpc/tenant-transaction.ts'
import { auditedDomain, readDomain } from './find.ts'
import { toDomainView } from './view.ts'

/**
 * Sets the domain that new addresses get. 409 `domain_not_verified` before its ownership was shown.
 * Idempotent.
 */
export async function makePrimaryDomain(
  ctx: Context,
  access: Access,
  input: DomainPath,
): Promise<DomainView> {
  const { services } = ctx
  const row = await tenantTransaction(services, access.tenant.id, async (trx) => {
    const tenant = await lockOpenTenant(trx, access.tenant.slug)
    await rejectFormerDelegate(trx, access)
    const found = await readDomain(trx, tenant.id, input.domain)
    if (found.verifiedAt === null) throw new AppError('domain_not_verified')
    const before = (await listDomains(trx, tenant.id)).find((domain) => domain.primary)
    if (!found.primary) {
      await setPrimaryDomain(trx, tenant.id, found.id)
      await notifyTenant(trx, tenant.id)
    }
    const previous = before?.name ?? null
    if (previous !== found.name) {
      const entry: AuditEntry = {
        action: 'domain.primary_set',
        ...auditedDomain(found),
        metadata: { changes: { primaryDomain: [previous, found.name] } },
      }
      await services.audit.record(ctx, access.caller, entry, trx)
    }
    return { ...found, primary: true }
  })
  return toDomainView(services, row)
}
