import type { SavedReportKind } from '@atrium/core/reports/saved-reports'
import { sql } from 'kysely'
import { jsonObjectFrom } from 'kysely/helpers/postgres'
import type { Db, Trx } from '../platform/connect.ts'

export interface SavedReportRow {
  id: string
  name: string
  kind: SavedReportKind
  params: Record<string, unknown>
  createdBy: { id: string; name: string } | null
  createdAt: Date
}

function selectReports(db: Db | Trx) {
  return db
    .selectFrom('saved_reports as s')
    .select((eb) => [
      's.id',
      's.name',
      's.kind',
      sql<Record<string, unknown>>`s.params`.as('params'),
      's.created_at as createdAt',
      jsonObjectFrom(
        eb
          .selectFrom('users as u')
          .select(['u.id', 'u.name'])
          .whereRef('u.id', '=', 's.created_by'),
      ).as('createdBy'),
    ])
}

/** By name. */
export function listSavedReports(db: Db | Trx, partnerId: string): Promise<SavedReportRow[]> {
  return selectReports(db)
    .where('s.partner_id', '=', partnerId)
    .orderBy(({ fn }) => fn('lower', ['s.name']))
    .orderBy('s.id')
    .execute()
}

export function findSavedReport(db: Db | Trx, id: string): Promise<SavedReportRow | undefined> {
  return selectReports(db).where('s.id', '=', id).executeTakeFirst()
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
