import type { ImportRowState } from '@atrium/core/member-import'
import { sql } from 'kysely'
import type { Db, Trx } from './connect.ts'

export interface ImportRecord {
  id: string
  tenantId: string
  tenantSlug: string
  requestedBy: string
  /** Somebody is at work on it. */
  held: boolean
  createdAt: Date
  finishedAt: Date | null
}

export interface ImportRowRecord {
  line: number
  fields: Record<string, string>
  state: ImportRowState
  code: string | null
  message: string | null
  issues: { path: string; message: string }[]
  userId: string | null
}

export interface NewImportRow {
  line: number
  fields: Record<string, string>
  state: 'ready' | 'refused'
  code: string | null
  message: string | null
  issues: readonly { path: string; message: string }[]
}

/** How long a run may hold an import without a sign of life. */
export const importLeaseSeconds = 12

export async function insertImport(
  trx: Trx,
  { tenantId, requestedBy, rows }: { tenantId: string; requestedBy: string; rows: readonly NewImportRow[] },
): Promise<string> {
  const { id } = await trx
    .insertInto('member_imports')
    .values({ tenant_id: tenantId, requested_by: requestedBy })
    .returning('id')
    .executeTakeFirstOrThrow()
  for (let start = 0; start < rows.length; start += 500) {
    await trx
      .insertInto('member_import_rows')
      .values(
        rows.slice(start, start + 500).map(({ fields, issues, ...row }) => ({
          ...row,
          import_id: id,
          fields: JSON.stringify(fields),
          issues: JSON.stringify(issues),
        })),
      )
      .execute()
  }
  return id
}

export function findImport(db: Db | Trx, importId: string): Promise<ImportRecord | undefined> {
  return db
    .selectFrom('member_imports as i')
    .innerJoin('tenants as t', 't.id', 'i.tenant_id')
    .select([
      'i.id',
      'i.tenant_id as tenantId',
      't.slug as tenantSlug',
      'i.requested_by as requestedBy',
      'i.created_at as createdAt',
      'i.finished_at as finishedAt',
      sql<boolean>`coalesce(i.lease_until > now(), false)`.as('held'),
    ])
    .where('i.id', '=', importId)
    .executeTakeFirst()
}

/** In the order of the lines. */
export function listImportRows(db: Db, importId: string, states?: readonly ImportRowState[]): Promise<ImportRowRecord[]> {
  return db
    .selectFrom('member_import_rows')
    .select(['line', 'fields', 'state', 'code', 'message', 'issues', 'user_id as userId'])
    .where('import_id', '=', importId)
    .$if(states !== undefined, (query) => query.where('state', 'in', [...(states ?? [])]))
    .orderBy('line')
    .execute()
}

export async function countImportRows(db: Db, importId: string): Promise<Partial<Record<ImportRowState, number>>> {
  const rows = await db
    .selectFrom('member_import_rows')
    .select(({ fn }) => ['state', fn.countAll<number>().as('count')])
    .where('import_id', '=', importId)
    .groupBy('state')
    .execute()
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
}

/** Takes an unfinished import for one run; undefined when another run holds it or nothing is left. */
export async function claimImport(db: Db, importId: string): Promise<{ run: string } | undefined> {
  const claimed = await db
    .updateTable('member_imports')
    .set({ run: sql<string>`new_id()`, lease_until: leaseEnd() })
    .where('id', '=', importId)
    .where('finished_at', 'is', null)
    .where(sql<boolean>`coalesce(lease_until < now(), true)`)
    .returning('run')
    .executeTakeFirst()
  return claimed?.run ? { run: claimed.run } : undefined
}

/** Keeps the run alive. False when it is no longer ours: then nothing more may be done. */
export async function extendImport(db: Db, importId: string, run: string): Promise<boolean> {
  const result = await db
    .updateTable('member_imports')
    .set({ lease_until: leaseEnd() })
    .where('id', '=', importId)
    .where('run', '=', run)
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}

function leaseEnd() {
  return sql<Date>`now() + make_interval(secs => ${importLeaseSeconds})`
}

/** Ends the run, and the import when no row is left to do. */
export async function releaseImport(db: Db, importId: string, run: string): Promise<void> {
  await db
    .updateTable('member_imports')
    .set({
      run: null,
      lease_until: null,
      finished_at: sql<Date>`case when exists (select from member_import_rows r where r.import_id = member_imports.id
        and r.state in ('ready', 'running')) then null else now() end`,
    })
    .where('id', '=', importId)
    .where('run', '=', run)
    .execute()
}

/** Writes what became of a row. */
export async function setImportRow(
  db: Db | Trx,
  importId: string,
  line: number,
  row: {
    state: ImportRowState
    code?: string | null
    message?: string | null
    issues?: readonly { path: string; message: string }[]
    userId?: string
  },
): Promise<void> {
  await db
    .updateTable('member_import_rows')
    .set({
      state: row.state,
      code: row.code ?? null,
      message: row.message ?? null,
      ...(row.issues === undefined ? {} : { issues: JSON.stringify(row.issues) }),
      ...(row.userId === undefined ? {} : { user_id: row.userId }),
    })
    .where('import_id', '=', importId)
    .where('line', '=', line)
    .execute()
}

/** Imports with rows left, and for how many seconds a run holds them unless it gives a sign of life; not of tenants that rest. */
export async function findUnfinishedImports(db: Db, limit: number): Promise<{ id: string; heldSeconds: number }[]> {
  return db
    .selectFrom('member_imports as i')
    .innerJoin('tenants as t', 't.id', 'i.tenant_id')
    .select(['i.id', sql<number>`coalesce(extract(epoch from greatest(i.lease_until - now(), interval '0')), 0)::float8`.as('heldSeconds')])
    .where('i.finished_at', 'is', null)
    .where('t.status', 'in', ['pending', 'active'])
    .orderBy('i.id')
    .limit(limit)
    .execute()
}

/** Erases imports, which hold personal data, 30 days after their end. Answers how many. */
export async function deleteOldImports(db: Db): Promise<number> {
  const result = await db.deleteFrom('member_imports').where(sql<boolean>`finished_at < now() - interval '30 days'`).executeTakeFirst()
  return Number(result.numDeletedRows)
}
