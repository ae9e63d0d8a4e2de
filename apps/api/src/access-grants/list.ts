import type {
  GrantEntries,
  GrantNotices,
  GrantPage,
  ListGrants,
} from '@atrium/core/access-grants/access-grants'
import type { AuditPage } from '@atrium/core/audit/audit'
import { cutPage } from '@atrium/core/platform/paging'
import {
  countPendingGrants,
  type GrantFilter,
  listBreakGlass,
  listGrants as query,
} from '@atrium/db/access-grants/access-grants'
import { queryTenantAudit } from '../audit/query.ts'
import type { Caller } from '../rpc/caller.ts'
import type { Context } from '../rpc/context.ts'
import type { Access, OwnPartner } from '../rpc/guards.ts'
import { onlyOfPartner, readVisibleGrant } from './find.ts'
import { toGrantView } from './view.ts'

/** Requests and accesses to the tenant, newest first; staff see those of their partner. */
export function listGrants(
  ctx: Context,
  access: Access,
  { status, cursor, limit }: ListGrants,
): Promise<GrantPage> {
  const partnerId = onlyOfPartner(access)
  return pageOf(ctx, access.caller, {
    tenantId: access.tenant.id,
    ...(partnerId === undefined ? {} : { partnerId }),
    status,
    before: cursor,
    limit,
  })
}

/** Requests and accesses of a partner's staff to all its customers, newest first. */
export function listGrantsOfPartner(
  ctx: Context,
  { caller, partner }: OwnPartner,
  { status, cursor, limit }: ListGrants,
): Promise<GrantPage> {
  return pageOf(ctx, caller, { partnerId: partner.id, status, before: cursor, limit })
}

async function pageOf(
  { services }: Context,
  caller: Caller,
  filter: GrantFilter,
): Promise<GrantPage> {
  const { items, nextCursor } = cutPage(await query(services.database.db, filter), filter.limit)
  const now = services.clock.now()
  return { items: items.map((row) => toGrantView(row, caller, now)), nextCursor }
}

/** What was done under a grant, newest first. Throws AppError `not_found`. */
export async function listGrantEntries(
  ctx: Context,
  access: Access,
  { slug, id, before, limit }: GrantEntries,
): Promise<AuditPage> {
  await readVisibleGrant(ctx.services.database.db, access, id)
  return queryTenantAudit(ctx, access, { slug, grantId: id, before, limit })
}

const mostNotices = 20

/** What everyone who administers the tenant has to know of on each page. */
export async function readNotices(
  { services }: Context,
  { caller, tenant }: Access,
): Promise<GrantNotices> {
  const { db } = services.database
  const now = services.clock.now()
  const [rows, pending] = await Promise.all([
    listBreakGlass(db, tenant.id, mostNotices),
    countPendingGrants(db, tenant.id, now),
  ])
  return { breakGlass: rows.map((row) => toGrantView(row, caller, now)), pending }
}
