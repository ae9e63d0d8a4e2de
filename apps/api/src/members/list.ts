import type { ListTenantUsers, MemberPage, MemberView } from '@atrium/core/members/members'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { cutPage } from '@atrium/core/platform/paging'
import { findMember, listMembers as findMembers, type MemberRow } from '@atrium/db/members/members'
import type { Db, Trx } from '@atrium/db/platform/connect'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import type { Services } from '../rpc/services.ts'
import { toMemberView } from './view.ts'

/** The tenant's members, newest first. */
export async function listMembers(
  { services }: Context,
  access: Access,
  input: ListTenantUsers,
): Promise<MemberPage> {
  const { q, role, status, cursor, limit } = input
  const rows = await findMembers(services.database.db, access.tenant.id, {
    q,
    role,
    status,
    before: cursor,
    limit,
  })
  const { items, nextCursor } = cutPage(rows, limit)
  return { items: items.map((row) => toMemberView(row, access)), nextCursor }
}

/** One member. Throws AppError `not_found`. */
export async function getMember(
  { services }: Context,
  access: Access,
  userId: string,
): Promise<MemberView> {
  return toMemberView(await readMember(services, access, userId), access)
}

/** The member's current row. Throws AppError `not_found`. */
export function readMember(
  services: Services,
  { tenant }: Access,
  userId: string,
): Promise<MemberRow> {
  return requireMember(services.database.db, tenant.id, userId)
}

/** The same by a handle of the caller's. Throws AppError `not_found`. */
export async function requireMember(
  db: Db | Trx,
  tenantId: string,
  userId: string,
): Promise<MemberRow> {
  const row = await findMember(db, tenantId, userId)
  if (!row) throw noSuchMember()
  return row
}

export const noSuchMember = () => new AppError('not_found', errorText('unknownMember'))
