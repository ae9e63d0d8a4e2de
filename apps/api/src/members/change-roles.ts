import type { TenantRole } from '@atrium/core/tenants/tenants'
import { isMemberHeld } from '@atrium/db/members/member-work'
import { lockMember, type MemberRow } from '@atrium/db/members/members'
import type { Trx } from '@atrium/db/platform/connect'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import { lockOpenTenant, type OpenTenant, rejectFormerAdmin } from '../rpc/open-tenant.ts'
import { tenantTransaction } from '../rpc/tenant-transaction.ts'
import { memberEntry, onceFree } from './change-member.ts'
import { noSuchMember } from './list.ts'
import { decideUpdate } from './update.ts'

/** A role by the id of each member who gets it. */
export type Roles = ReadonlyMap<string, Exclude<TenantRole, 'owner'>>

/**
 * Gives members the roles that `decide` names under the tenant's lock, all or none. An owner has
 * more than an admin, and stays it. Throws AppError `not_found`, `member_busy`, and as
 * `updateMember`.
 */
export async function changeRoles(
  ctx: Context,
  access: Access,
  decide: (trx: Trx) => Promise<Roles>,
): Promise<void> {
  const { services } = ctx
  await onceFree(() =>
    tenantTransaction(services, access.tenant.id, async (trx) => {
      const open = await lockOpenTenant(trx, access.tenant.slug)
      await rejectFormerAdmin(trx, access)
      const changed = []
      for (const [userId, role] of await decide(trx)) {
        const member = await lockMember(trx, open.id, userId)
        if (!member) throw noSuchMember()
        if (member.role !== 'owner' || role !== 'admin') changed.push({ member, role })
      }
      // Before the first write: what this transaction returns is committed.
      for (const { member } of changed)
        if (await isMemberHeld(trx, open.id, member.id)) return undefined
      for (const { member, role } of changed)
        await decideUpdate({ trx, access, tenant: open, member }, { role })
      for (const { member, role } of changed)
        if (member.role !== role)
          await services.audit.record(ctx, access.caller, roleChanged(open, member, role), trx)
      return true
    }),
  )
}

const roleChanged = (tenant: OpenTenant, member: MemberRow, role: TenantRole) =>
  memberEntry(tenant, {
    action: 'member.role_changed',
    member,
    metadata: { changes: { role: [member.role, role] } },
  })
