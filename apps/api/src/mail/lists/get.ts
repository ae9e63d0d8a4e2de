import type { ListLists, ListPage, ListSummary, ListView } from '@atrium/core/mail/lists'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { cutPage } from '@atrium/core/platform/paging'
import {
  findMailList,
  type ListRow,
  type ListSummaryRow,
  listMailLists,
} from '@atrium/db/mail/lists'
import type { AuditEntry } from '../../rpc/audit-recorder.ts'
import type { Context } from '../../rpc/context.ts'
import { withEditVersion } from '../../rpc/edit-version.ts'
import type { Access } from '../../rpc/guards.ts'
import type { OpenTenant } from '../../rpc/open-tenant.ts'
import { readFailure } from '../../rpc/reader-language.ts'
import type { Services } from '../../rpc/services.ts'

/** The tenant's distribution lists, newest first. */
export async function listLists(
  { services }: Context,
  { tenant }: Access,
  input: ListLists,
): Promise<ListPage> {
  const rows = await listMailLists(services.database.db, tenant.id, {
    q: input.q,
    before: input.cursor,
    limit: input.limit,
  })
  const { items, nextCursor } = cutPage(rows, input.limit)
  return { items: items.map(toListSummary), nextCursor }
}

export async function getList(
  { services }: Context,
  { tenant }: Access,
  listId: string,
): Promise<ListView> {
  return readList(services, tenant.id, listId)
}

/** Throws AppError `not_found` when the tenant has no such list. */
export async function readList(
  services: Services,
  tenantId: string,
  listId: string,
): Promise<ListView> {
  return toListView(await requireList(services, tenantId, listId))
}

/** Throws AppError `not_found` when the tenant has no such list. */
export async function requireList(
  services: Services,
  tenantId: string,
  listId: string,
): Promise<ListRow> {
  const row = await findMailList(services.database.db, tenantId, listId)
  if (!row) throw noSuchList()
  return row
}

/** How the audit log names a list. */
export function auditedList(
  tenant: Pick<OpenTenant, 'slug' | 'partnerSlug'>,
  { id, address }: Pick<ListRow, 'id' | 'address'>,
) {
  return {
    resourceType: 'list',
    resourceId: id,
    resourceName: address,
    tenantSlug: tenant.slug,
    partnerSlug: tenant.partnerSlug,
  }
}

/** What the audit entry of a change tells of the mail server. */
export function upstreamOutcome({
  state,
  error,
}: ListRow): Pick<AuditEntry, 'outcome' | 'metadata'> {
  return {
    outcome: state === 'error' ? 'failure' : 'success',
    ...(error !== null && { metadata: { error } }),
  }
}

export const noSuchList = () => new AppError('not_found', errorText('unknownList'))

export function toListView(row: ListRow): ListView {
  const view = {
    ...row,
    error: readFailure(row.error),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
  return withEditVersion(view, [row.name, row.recipients])
}

function toListSummary(row: ListSummaryRow): ListSummary {
  return {
    ...row,
    error: readFailure(row.error),
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}
