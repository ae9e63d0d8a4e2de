import { AppError } from '@atrium/core/platform/errors'
import {
  expandedMembers,
  type GetTenant,
  type TenantDetail,
} from '@atrium/core/tenants/tenant-detail'
import type { TenantView } from '@atrium/core/tenants/tenants'
import { listDomains } from '@atrium/db/mail/domains'
import { readAccessProgress } from '@atrium/db/tenants/tenant-access'
import { toDomainView } from '../mail/domains/view.ts'
import { listMembers } from '../members/list.ts'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import { toPurgeView } from './purge.ts'
import { toAccessView } from './view.ts'

/**
 * The tenant with what `expand` names. Throws AppError `not_member` for callers who see the tenant
 * but not its members and domains: staff of the partner that owns it.
 */
export async function expandTenant(
  ctx: Context,
  access: Access,
  tenant: TenantView,
  words: GetTenant['expand'],
): Promise<TenantDetail> {
  if (words === undefined) return tenant
  if (access.tenant.role === null && !access.caller.operator) throw new AppError('not_member')
  const { services } = ctx
  const [domains, members, progress, purge] = await Promise.all([
    words.includes('domains') ? listDomains(services.database.db, tenant.id) : undefined,
    words.includes('members')
      ? listMembers(ctx, access, { slug: tenant.slug, limit: expandedMembers })
      : undefined,
    words.includes('access') ? readAccessProgress(services.database.db, tenant.id) : undefined,
    words.includes('purge') ? toPurgeView(services, tenant.id) : undefined,
  ])
  return {
    ...tenant,
    expanded: {
      ...(domains ? { domains: domains.map((row) => toDomainView(services, row)) } : {}),
      ...(progress ? { access: toAccessView(tenant, progress) } : {}),
      ...(purge ? { purge } : {}),
      ...(members ? { members } : {}),
    },
  }
}
