import { cutPage } from '@atrium/core/paging'
import type { ListTenantUsers, MemberView } from '@atrium/core/tenants'
import { listTenantMembers } from '@atrium/db/tenants'
import type { Context } from '../context.ts'
import type { Access } from '../guards.ts'
import { toMemberView } from './view.ts'

/** The tenant's members with mailbox address, newest first. */
export async function listMembers(
  { house }: Context,
  access: Access,
  input: ListTenantUsers,
): Promise<{ items: MemberView[]; nextCursor: string | null }> {
  const rows = await listTenantMembers(house.database.db, access.tenant.id, {
    q: input.q,
    role: input.role,
    before: input.cursor,
    limit: input.limit,
  })
  const { items, nextCursor } = cutPage(rows, input.limit)
  return { items: items.map(toMemberView), nextCursor }
}
