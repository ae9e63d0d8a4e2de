import { cutPage } from '@atrium/core/paging'
import type { ListTenants, TenantPage } from '@atrium/core/tenants'
import { listTenants as queryTenants } from '@atrium/db/tenants'
import type { Caller, Context } from '../context.ts'
import { isPlainMember } from '../guards.ts'
import { toTenantView } from './view.ts'

/** Operators see every tenant, partner staff their partner's and their own, others their own. */
export async function listTenants({ house }: Context, caller: Caller, input: ListTenants): Promise<TenantPage> {
  const rows = await queryTenants(house.database.db, {
    scope: caller.operator ? { everything: true } : { everything: false, userId: caller.id, partnerId: caller.partner?.id },
    q: input.q,
    status: input.status,
    plan: input.plan,
    partnerSlug: input.partnerSlug,
    before: input.cursor,
    limit: input.limit,
  })
  const { items, nextCursor } = cutPage(rows, input.limit)
  const now = house.clock.now()
  return { items: items.map((row) => toTenantView(row, row.role, now, { health: !isPlainMember(caller, row) })), nextCursor }
}
