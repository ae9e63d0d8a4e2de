import type { DomainPath, DomainView } from '@atrium/core/domains'
import { AppError } from '@atrium/core/errors'
import { listDomains, setPrimaryDomain } from '@atrium/db/domains'
import { lockTenant, notifyTenant } from '@atrium/db/tenants'
import type { Context } from '../context.ts'
import type { Access } from '../guards.ts'
import { auditedDomain, readDomain, refuseInactive } from './find.ts'
import { toDomainView } from './view.ts'

/** Makes a domain the one that new addresses get. 409 `domain_not_verified` before its ownership was shown. A second run changes nothing. */
export async function makePrimaryDomain(ctx: Context, access: Access, input: DomainPath): Promise<DomainView> {
  const { house } = ctx
  const { row, previous } = await house.database.db.transaction().execute(async (trx) => {
    const tenant = await lockTenant(trx, access.tenant.slug)
    if (!tenant) throw new AppError('not_found')
    refuseInactive(tenant.status)
    const found = await readDomain(trx, tenant.id, input.domain)
    if (found.verifiedAt === null) throw new AppError('domain_not_verified')
    const before = (await listDomains(trx, tenant.id)).find((domain) => domain.primary)
    if (!found.primary) {
      await setPrimaryDomain(trx, tenant.id, found.id)
      await notifyTenant(trx, tenant.id)
    }
    return { row: { ...found, primary: true }, previous: before?.name ?? null }
  })
  if (previous !== row.name) {
    await house.audit.record(ctx, access.caller, {
      action: 'domain.primary_set',
      ...auditedDomain(row),
      metadata: { changes: { primaryDomain: [previous, row.name] } },
    })
  }
  return toDomainView(house, row)
}
