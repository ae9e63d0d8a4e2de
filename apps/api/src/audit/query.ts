import type { AuditPage, QueryAudit, QueryTenantAudit } from '@atrium/core/audit/audit'
import { findGrantById } from '@atrium/db/access-grants/access-grants'
import { auditCursor } from '@atrium/db/audit/audit'
import {
  type AuditFilter,
  type AuditFindings,
  searchByMetadata,
} from '@atrium/db/audit/audit-search'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import type { Services } from '../rpc/services.ts'

/** Entries of the whole platform, newest first. */
export async function queryAudit(
  { services }: Context,
  { limit, ...filter }: QueryAudit,
): Promise<AuditPage> {
  return toPage(await search(services, filter, limit + 1), limit)
}

/**
 * Entries of one tenant. Network addresses of operators and partner staff are for operators only:
 * others see that an operator acted, not from where. A plain member sees no network address but the
 * own one.
 */
export async function queryTenantAudit(
  { services }: Context,
  access: Access,
  input: QueryTenantAudit,
): Promise<AuditPage> {
  const { limit, slug: _, ...filter } = input
  const findings = await search(services, { ...filter, tenantSlug: access.tenant.slug }, limit + 1)
  if (access.caller.operator) return toPage(findings, limit)
  const { caller, tenant } = access
  const visible = findings.events.map((row) => {
    const { peerIp: __, ...metadata } = row.metadata
    const foreign = row.actorType === 'operator' || row.actorType === 'partner'
    const hidden = foreign || (tenant.role === 'member' && row.actorId !== caller.id)
    if (!hidden) return { ...row, metadata }
    const { actorIpTrusted: ___, ...rest } = metadata
    return { ...row, actorIp: null, actorIpTrusted: null, metadata: rest }
  })
  return toPage({ ...findings, events: visible }, limit)
}

/** One entry more than the page holds was asked for. */
function toPage({ events, stoppedAt }: AuditFindings, limit: number): AuditPage {
  const items = events.slice(0, limit)
  const last = items.at(-1)
  if (events.length > limit && last) return { items, nextCursor: auditCursor(last), more: false }
  return { items, nextCursor: stoppedAt, more: stoppedAt !== null }
}

/**
 * Entries under a filter, newest first. What was done under an access grant is looked for in the
 * log of its tenant, from when it was asked for.
 */
export async function search(
  { database }: Pick<Services, 'database'>,
  filter: AuditFilter,
  limit: number,
): Promise<AuditFindings> {
  const { grantId, tenantSlug, since } = filter
  if (grantId === undefined) return database.search((db) => searchByMetadata(db, filter, limit))
  const grant = await findGrantById(database.db, grantId)
  if (!grant || (tenantSlug !== undefined && tenantSlug !== grant.tenantSlug))
    return { events: [], stoppedAt: null }
  const from = grant.requestedAt.toISOString()
  const narrowed = {
    ...filter,
    tenantSlug: grant.tenantSlug,
    since: since !== undefined && Date.parse(since) > Date.parse(from) ? since : from,
  }
  return database.search((db) => searchByMetadata(db, narrowed, limit))
}
