import type { ApprovalPage, ListApprovals } from '@atrium/core/billing/approvals'
import { cutPage } from '@atrium/core/platform/paging'
import { listApprovals as query } from '@atrium/db/billing/approvals'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import { toApprovalView } from './view.ts'

/** What the tenant's partners asked for or did within the limit, newest first. */
export async function listApprovals(
  { services }: Context,
  { tenant }: Access,
  { status, cursor, limit }: ListApprovals,
): Promise<ApprovalPage> {
  const rows = await query(services.database.db, tenant.id, { status, before: cursor, limit })
  const { items, nextCursor } = cutPage(rows, limit)
  const now = services.clock.now()
  return { items: items.map((row) => toApprovalView(row, now)), nextCursor }
}
