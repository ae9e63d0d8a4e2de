import { type AuditEvent, auditColumns, csvLine, type ExportAudit } from '@atrium/core/audit/audit'
import { exportTrailer } from '@atrium/core/audit/export-trailer'
import { auditCursor } from '@atrium/db/audit/audit'
import type { AuditEntry } from '../rpc/audit-recorder.ts'
import type { Caller } from '../rpc/caller.ts'
import type { Context } from '../rpc/context.ts'
import type { Services } from '../rpc/services.ts'
import { search } from './query.ts'

const pageSize = 500

/**
 * The log under the filters of a query, as text in pieces of up to 500 entries, newest first;
 * memory stays flat however long it is. The export itself is recorded before its first piece.
 * NDJSON: one entry per line. CSV: RFC 4180 with a header and cells that no spreadsheet takes for a
 * formula. Either ends with `exportTrailer`, unless the reader left.
 */
export async function* exportAudit(
  ctx: Context,
  caller: Caller,
  input: ExportAudit,
): AsyncGenerator<string> {
  await ctx.services.audit.record(ctx, caller, auditExported(input))
  yield* auditText(ctx.services, input, ctx.request.signal)
}

/** The entry of an export. */
export const auditExported = ({ format, before: _, ...filter }: ExportAudit): AuditEntry => ({
  action: 'audit.exported',
  resourceType: 'audit',
  tenantSlug: filter.tenantSlug ?? null,
  partnerSlug: filter.partnerSlug ?? null,
  metadata: { format, filter },
})

/** The text of an export, until the reader leaves. */
export async function* auditText(
  services: Pick<Services, 'clock' | 'database'>,
  { format, before, ...filter }: ExportAudit,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let head = format === 'csv' ? csvLine(auditColumns) : ''
  let count = 0
  let cursor = before ?? `${services.clock.now().toISOString().slice(0, -1)}999Z`
  for (;;) {
    const { events, stoppedAt } = await search(services, { ...filter, before: cursor }, pageSize)
    // The head goes out with the first page, so that a query that fails is still a rejection and no
    // broken export.
    yield head +
      events
        .map((row) => (format === 'csv' ? csvLine(cellsOf(row)) : `${JSON.stringify(row)}\n`))
        .join('')
    head = ''
    count += events.length
    const last = events.at(-1)
    const next = events.length === pageSize && last ? auditCursor(last) : stoppedAt
    if (signal.aborted) return
    if (next === null) break
    cursor = next
  }
  yield exportTrailer(format, count, auditColumns.length)
}

function cellsOf(event: AuditEvent): unknown[] {
  return auditColumns.map((column) => event[column])
}
