import type { SavedReportKind } from '@atrium/core/reports/saved-reports'
import { sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'

export interface SavedReportRow {
  id: string
  name: string
  kind: SavedReportKind
  params: Record<string, unknown>
  createdBy: { id: string; name: string } | null
  createdAt: Date
}

const selectReport = sql`
  select s.id, s.name, s.kind, s.params, s.created_at as "createdAt",
    case when u.id is not null then json_build_object('id', u.id, 'name', u.name) end as "createdBy"
  from saved_reports s left join users u on u.id = s.created_by`

/** By name. */
export async function listSavedReports(db: Db | Trx, partnerId: string): Promise<SavedReportRow[]> {
  const { rows } =
    await sql<SavedReportRow>`${selectReport} where s.partner_id = ${partnerId} order by lower(s.name), s.id`.execute(
      db,
    )
  return rows
}

export async function findSavedReport(
  db: Db | Trx,
  id: string,
): Promise<SavedReportRow | undefined> {
  const { rows } = await sql<SavedReportRow>`${selectReport} where s.id = ${id}`.execute(db)
  return rows[0]
}

/** Undefined when a report of the partner has the name already. */
export function insertSavedReport(
  trx: Trx,
  partnerId: string,
  report: { name: string; kind: SavedReportKind; params: object; createdBy: string | null },
): Promise<{ id: string } | undefined> {
  return trx
    .insertInto('saved_reports')
    .values({
      partner_id: partnerId,
      name: report.name,
      kind: report.kind,
      params: JSON.stringify(report.params),
      created_by: report.createdBy,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
}

/** Returns what it removed. */
export function deleteSavedReport(
  trx: Trx,
  partnerId: string,
  id: string,
): Promise<{ name: string; kind: string } | undefined> {
  return trx
    .deleteFrom('saved_reports')
    .where('partner_id', '=', partnerId)
    .where('id', '=', id)
    .returning(['name', 'kind'])
    .executeTakeFirst()
}
