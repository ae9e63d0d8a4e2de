import { type AuditEvent, auditColumns, csvLine, type ExportAudit } from '@atrium/core/audit'
import { auditCursor } from '@atrium/db/audit'
import { searchAuditEvents } from '@atrium/db/audit-search'
import type { Caller, Context } from '../context.ts'

const pageSize = 500

/**
 * The log under the filters of a query, as text in pieces of up to 500 entries, newest first; memory stays flat however long it is.
 * The export itself is recorded before its first piece. NDJSON: one entry per line. CSV: RFC 4180 with a header and cells that no
 * spreadsheet takes for a formula.
 */
export async function* exportAudit(ctx: Context, caller: Caller, input: ExportAudit): AsyncGenerator<string> {
  const { house } = ctx
  const { format, before, ...filter } = input
  await house.audit.record(ctx, caller, {
    action: 'audit.exported',
    resourceType: 'audit',
    tenantSlug: filter.tenantSlug ?? null,
    partnerSlug: filter.partnerSlug ?? null,
    metadata: { format, filter },
  })
  if (format === 'csv') yield csvLine(auditColumns)
  let cursor = before ?? `${house.clock.now().toISOString().slice(0, -1)}999Z`
  for (;;) {
    const { events, stoppedAt } = await house.database.search((db) => searchAuditEvents(db, { ...filter, before: cursor }, pageSize))
    if (events.length > 0) yield events.map((row) => (format === 'csv' ? csvLine(cellsOf(row)) : `${JSON.stringify(row)}\n`)).join('')
    const last = events.at(-1)
    const next = events.length === pageSize && last ? auditCursor(last) : stoppedAt
    if (next === null || ctx.request.signal.aborted) return
    cursor = next
  }
}

function cellsOf(event: AuditEvent): unknown[] {
  return auditColumns.map((column) => event[column])
}
