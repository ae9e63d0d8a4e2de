import type { AuditPage, QueryAudit, QueryTenantAudit } from '@atrium/core/audit'
import { auditCursor } from '@atrium/db/audit'
import { listAuditEvents } from '@atrium/db/audit-search'
import type { Context } from '../context.ts'
import type { Access } from '../guards.ts'

/** Entries of the whole platform, newest first. */
export async function queryAudit({ house }: Context, { limit, ...filter }: QueryAudit): Promise<AuditPage> {
  const rows = await house.database.search((db) => listAuditEvents(db, filter, limit + 1))
  return cut(rows, limit)
}

/** Entries of one tenant. Operators' addresses are for operators only: members see that an operator acted, not from where. */
export async function queryTenantAudit({ house }: Context, access: Access, input: QueryTenantAudit): Promise<AuditPage> {
  const { limit, slug: _, ...filter } = input
  const rows = await house.database.search((db) => listAuditEvents(db, { ...filter, tenantSlug: access.tenant.slug }, limit + 1))
  if (access.caller.operator) return cut(rows, limit)
  const visible = rows.map((row) => {
    const { peerIp: __, ...metadata } = row.metadata
    return row.actorType === 'operator' || row.actorType === 'partner' ? { ...row, actorIp: null, metadata } : { ...row, metadata }
  })
  return cut(visible, limit)
}

function cut(rows: AuditPage['items'], limit: number): AuditPage {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, nextCursor: rows.length > limit && last ? auditCursor(last) : null }
}
