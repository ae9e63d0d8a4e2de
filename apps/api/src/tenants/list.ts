import { cutPage } from '@atrium/core/platform/paging'
import type { ListTenants, TenantPage } from '@atrium/core/tenants/tenants'
import { listOwnTenants } from '@atrium/db/tenants/own-tenants'
import { listTenants as queryTenants } from '@atrium/db/tenants/tenants'
import type { Caller } from '../rpc/caller.ts'
import type { Context } from '../rpc/context.ts'
import { toEnforcedPolicy } from '../rpc/enforced-policy.ts'
import { isPlainMember } from '../rpc/guards.ts'
import { isShutOut } from '../rpc/security-policy.ts'
import type { Services } from '../rpc/services.ts'
import { toTenantView } from './view.ts'

/**
 * Operators see every tenant, partner staff their partner's and their own, others their own. A
 * service token sees what it acts for.
 * Tenants whose security policy shuts the caller out are left out, so a page may be shorter.
 */
export async function listTenants(
  ctx: Context,
  caller: Caller,
  input: ListTenants,
): Promise<TenantPage> {
  const { services } = ctx
  const rows = await readRows(services, caller, input)
  const { items, nextCursor } = cutPage(rows, input.limit)
  const now = services.clock.now()
  return {
    items: items
      .filter((row) => !isShutOut(ctx, caller, { ...row, policy: toEnforcedPolicy(row.policy) }))
      .map((row) => toTenantView(row, row.role, now, { health: !isPlainMember(caller, row) })),
    nextCursor,
  }
}

function readRows(
  { database }: Services,
  caller: Caller,
  { cursor: before, q, status, plan, partnerSlug, limit }: ListTenants,
) {
  const filter = { status, plan, partnerSlug, before, limit }
  const { id: userId, operator, partner, service } = caller
  if (operator) return queryTenants(database.db, { scope: { everything: true }, q, ...filter })
  if (userId !== undefined && partner === undefined && !q)
    return listOwnTenants(database, { userId, ...filter })
  const scope = {
    everything: false,
    userId,
    partnerId: partner?.id,
    tenantId: service?.tenantId ?? undefined,
  } as const
  return queryTenants(database.db, { scope, q, ...filter })
}
