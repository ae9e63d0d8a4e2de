import { changedFields } from '@atrium/core/audit/audit'
import type { DomainView, SetDmarc } from '@atrium/core/mail/domains'
import { setDomainDmarc } from '@atrium/db/mail/domains'
import type { Context } from '../../rpc/context.ts'
import { requireVersion } from '../../rpc/edit-version.ts'
import type { Access } from '../../rpc/guards.ts'
import { lockOpenTenant, rejectFormerDelegate } from '../../rpc/open-tenant.ts'
import { tenantTransaction } from '../../rpc/tenant-transaction.ts'
import { auditedDomain, mailErrorOf, readDomain } from './find.ts'
import { syncWithMailServer } from './mail-side.ts'
import { editableDomain, toDomainView } from './view.ts'

const mailMs = 8_000

/**
 * Sets the policy that the DMARC record should publish, and updates the mail server's report
 * address. The policy is saved even when the mail server fails: `mailError` has the reason, and the
 * next check retries.
 */
export async function setDmarc(ctx: Context, access: Access, input: SetDmarc): Promise<DomainView> {
  const { services } = ctx
  const { row, prepared } = await tenantTransaction(services, access.tenant.id, async (trx) => {
    const tenant = await lockOpenTenant(trx, access.tenant.slug)
    await rejectFormerDelegate(trx, access)
    const found = await readDomain(trx, tenant.id, input.domain)
    requireVersion(input.expectedVersion, editableDomain(found))
    const before = { policy: found.dmarcPolicy, rua: found.dmarcRua, pct: found.dmarcPct }
    const after = {
      policy: input.policy,
      rua: input.rua === undefined ? before.rua : input.rua,
      pct: input.pct ?? 100,
    }
    const changes = changedFields(before, after, ['policy', 'rua', 'pct'])
    if (Object.keys(changes).length === 0) return { row: found, prepared: undefined }
    await setDomainDmarc(trx, found.id, after)
    const row = await readDomain(trx, tenant.id, input.domain)
    const entry = {
      action: 'domain.dmarc_set' as const,
      ...auditedDomain(row),
      metadata: { changes },
    }
    return { row, prepared: await services.audit.prepare(ctx, access.caller, entry, trx) }
  })
  const synced = await syncWithMailServer(services, row, mailMs)
  if (prepared) await services.audit.complete(prepared, mailErrorOf(synced))
  return toDomainView(services, synced)
}
