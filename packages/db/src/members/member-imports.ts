import type { ImportRowState } from '@atrium/core/members/member-import'
import type { TenantRole } from '@atrium/core/members/memberships'
import type { ErrorText } from '@atrium/core/platform/error-text'
import { type SqlBool, sql } from 'kysely'
import { leaseExpired, secondsFromNow } from '../platform/clock.ts'
import type { Db, Trx } from '../platform/connect.ts'

/** In whose right an import makes members. */
export interface Requester {
  /**
   * Null for an import that an earlier version started; then the text of `requestedBy` finds the
   * person.
   */
  id: string | null
  byOperator: boolean
}

export interface ImportRecord {
  id: string
  tenantId: string
  tenantSlug: string
  requestedBy: string
  requester: Requester
  /** A worker holds it. */
  held: boolean
  createdAt: Date
  finishedAt: Date | null
}

export interface ImportRowRecord {
  line: number
  fields: Record<string, string>
  state: ImportRowState
  code: string | null
  /** In English. */
  message: string | null
  /** The same before it was written; null where it was only written. */
  text: ErrorText | null
  issues: { path: string; message: string }[]
  userId: string | null
}

export interface NewImportRow {
  line: number
  fields: Record<string, string>
  state: 'ready' | 'refused'
  code: string | null
  message: string | null
  text: ErrorText | null
  issues: readonly { path: string; message: string }[]
}

/** How long a run may hold an import without a sign of life. */
export const importLeaseSeconds = 12

export async function insertImport(
  trx: Trx,
  {
    tenantId,
    requestedBy,
    requester,
    rows,
  }: { tenantId: string; requestedBy: string; requester: Requester; rows: readonly NewImportRow[] },
): Promise<string> {
  const { id } = await trx
    .insertInto('member_imports')
    .values({
      tenant_id: tenantId,
      requested_by: requestedBy,
      requester_id: requester.id,
      by_operator: requester.byOperator,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  for (let start = 0; start < rows.length; start += 500) {
    await trx
      .insertInto('member_import_rows')
      .values(
        rows.slice(start, start + 500).map(({ fields, issues, text, ...row }) => ({
          ...row,
          import_id: id,
          fields: JSON.stringify(fields),
          issues: JSON.stringify(issues),
          text: text && JSON.stringify(text),
        })),
      )
      .execute()
  }
  return id
}

export async function findImport(
  db: Db | Trx,
  importId: string,
): Promise<ImportRecord | undefined> {
  const row = await db
    .selectFrom('member_imports as i')
    .innerJoin('tenants as t', 't.id', 'i.tenant_id')
    .select([
      'i.id',
      'i.tenant_id as tenantId',
      't.slug as tenantSlug',
      'i.requested_by as requestedBy',
      'i.requester_id as requesterId',
      'i.by_operator as byOperator',
      'i.created_at as createdAt',
      'i.finished_at as finishedAt',
      sql<boolean>`coalesce(i.lease_until > now(), false)`.as('held'),
    ])
    .where('i.id', '=', importId)
    .executeTakeFirst()
  if (!row) return undefined
  const { requesterId, byOperator, ...record } = row
  return { ...record, requester: { id: requesterId, byOperator } }
}

/** From now on the import runs with the permissions of the person who resumed it. */
export async function setRequester(
  trx: Trx,
  importId: string,
  requestedBy: string,
  { id, byOperator }: Requester,
): Promise<void> {
  await trx
    .updateTable('member_imports')
    .set({ requested_by: requestedBy, requester_id: id, by_operator: byOperator })
    .where('id', '=', importId)
    .execute()
}

/**
 * Whether the person who started the import may still add members: as an admin, or under an access
 * grant, which makes no admins. Read under the tenant's lock.
 */
export async function requesterMayImport(
  trx: Trx,
  { tenantId, requestedBy, requester }: ImportRecord,
  role: TenantRole,
): Promise<boolean> {
  const row = await trx
    .selectFrom('users as u')
    .select('u.id')
    .where(({ eb, or }) =>
      requester.id === null
        ? or([eb('u.email', '=', requestedBy), eb('u.idp_subject_id', '=', requestedBy)])
        : eb('u.id', '=', requester.id),
    )
    .where('u.deactivated_at', 'is', null)
    .where('u.removed_at', 'is', null)
    .where(({ or, ref, exists, selectFrom }) =>
      or([
        ...(requester.byOperator || requester.id === null ? [ref('u.platform_admin')] : []),
        exists(
          selectFrom('memberships as m')
            .select('m.user_id')
            .where('m.tenant_id', '=', tenantId)
            .whereRef('m.user_id', '=', 'u.id')
            .where('m.role', 'in', ['admin', 'owner'])
            .where('m.status', 'in', ['active', 'provisioning']),
        ),
        ...(role === 'member'
          ? [
              exists(
                selectFrom('access_grants as g')
                  .select('g.id')
                  .where('g.tenant_id', '=', tenantId)
                  .whereRef('g.user_id', '=', 'u.id')
                  .where('g.status', '=', 'active')
                  .where('g.role', '=', 'admin')
                  .where(sql<SqlBool>`'members' = any(g.scopes)`),
              ),
            ]
          : []),
      ]),
    )
    .executeTakeFirst()
  return row !== undefined
}

/** In the order of the lines. */
export function listImportRows(
  db: Db,
  importId: string,
  states?: readonly ImportRowState[],
): Promise<ImportRowRecord[]> {
  return db
    .selectFrom('member_import_rows')
    .select(['line', 'fields', 'state', 'code', 'message', 'text', 'issues', 'user_id as userId'])
    .where('import_id', '=', importId)
    .$if(states !== undefined, (query) => query.where('state', 'in', [...(states ?? [])]))
    .orderBy('line')
    .execute()
}

export async function countImportRows(
  db: Db,
  importId: string,
): Promise<Partial<Record<ImportRowState, number>>> {
  const rows = await db
    .selectFrom('member_import_rows')
    .select(({ fn }) => ['state', fn.countAll<number>().as('count')])
    .where('import_id', '=', importId)
    .groupBy('state')
    .execute()
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
}

/**
 * Takes an unfinished import for one run; undefined when another run holds it or nothing is left.
 */
export async function claimImport(db: Db, importId: string): Promise<{ run: string } | undefined> {
  const claimed = await db
    .updateTable('member_imports')
    .set({ run: sql<string>`new_id()`, lease_until: secondsFromNow(importLeaseSeconds) })
    .where('id', '=', importId)
    .where('finished_at', 'is', null)
    .where(leaseExpired('lease_until'))
    .returning('run')
    .executeTakeFirst()
  return claimed?.run ? { run: claimed.run } : undefined
}

/** Keeps the run alive. False when it is no longer ours: then nothing more may be done. */
export async function extendImport(db: Db, importId: string, run: string): Promise<boolean> {
  const result = await db
    .updateTable('member_imports')
    .set({ lease_until: secondsFromNow(importLeaseSeconds) })
    .where('id', '=', importId)
    .where('run', '=', run)
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}

/** Ends the run, and the import when no row is left to do. */
export async function releaseImport(db: Db, importId: string, run: string): Promise<void> {
  await db
    .updateTable('member_imports')
    .set(({ eb, exists, selectFrom }) => ({
      run: null,
      lease_until: null,
      finished_at: eb
        .case()
        .when(
          exists(
            selectFrom('member_import_rows as r')
              .select('r.line')
              .whereRef('r.import_id', '=', 'member_imports.id')
              .where('r.state', 'in', ['ready', 'running']),
          ),
        )
        .then(null)
        .else(eb.fn<Date>('now'))
        .end(),
    }))
    .where('id', '=', importId)
    .where('run', '=', run)
    .execute()
}

/** A row of an import that one run works on. */
export interface RowInHand {
  importId: string
  line: number
  run: string
}

/**
 * Notes what a row has become, in the transaction that makes it: a member, or an invitation, which
 * is all there is to do. False when the run has lost its lease or another one has made the row:
 * then the transaction must not commit. The lease cannot pass to another run before it ends.
 */
export async function takeImportRow(
  trx: Trx,
  { importId, line, run }: RowInHand,
  made: { userId: string } | 'invited',
): Promise<boolean> {
  const held = await trx
    .selectFrom('member_imports')
    .select('id')
    .where('id', '=', importId)
    .where('run', '=', run)
    .forShare()
    .executeTakeFirst()
  if (!held) return false
  const taken = await trx
    .updateTable('member_import_rows')
    .set(made === 'invited' ? { state: made } : { state: 'running', user_id: made.userId })
    .where('import_id', '=', importId)
    .where('line', '=', line)
    .where('state', '=', 'ready')
    .executeTakeFirst()
  return taken.numUpdatedRows > 0n
}

/**
 * Writes the result of a row that creates no member. A row that became a member stays as it is.
 * Returns false in the same cases as `finishImportRow`.
 */
export function rejectImportRow(
  db: Db,
  row: RowInHand,
  rejection: {
    code: string
    message: string
    text: ErrorText | null
    issues: readonly { path: string; message: string }[]
  },
): Promise<boolean> {
  const { code, message, text, issues } = rejection
  return writeRow(db, row, 'ready', {
    state: 'refused',
    code,
    message,
    text: text && JSON.stringify(text),
    issues: JSON.stringify(issues),
  })
}

/**
 * Writes how far a row's member came. False when the run has lost its lease: then nothing more may
 * be written.
 */
export function finishImportRow(
  db: Db,
  row: RowInHand,
  unfinished: string | null,
): Promise<boolean> {
  const state = unfinished === null ? 'created' : 'incomplete'
  return writeRow(db, row, 'running', { state, code: null, message: unfinished, text: null })
}

async function writeRow(
  db: Db,
  { importId, line, run }: RowInHand,
  from: ImportRowState,
  values: {
    state: ImportRowState
    code: string | null
    message: string | null
    text: string | null
    issues?: string
  },
): Promise<boolean> {
  const written = await db
    .updateTable('member_import_rows')
    .set(values)
    .where('import_id', '=', importId)
    .where('line', '=', line)
    .where('state', '=', from)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('member_imports as i')
          .select('i.id')
          .where('i.id', '=', importId)
          .where('i.run', '=', run),
      ),
    )
    .executeTakeFirst()
  return written.numUpdatedRows > 0n
}

/**
 * Imports with rows left, and for how many seconds a run holds them unless it gives a sign of life;
 * not of tenants that rest.
 */
export async function findUnfinishedImports(
  db: Db,
  limit: number,
): Promise<{ id: string; heldSeconds: number }[]> {
  return db
    .selectFrom('member_imports as i')
    .innerJoin('tenants as t', 't.id', 'i.tenant_id')
    .select([
      'i.id',
      sql<number>`coalesce(extract(epoch from greatest(i.lease_until - now(), interval '0')), 0)::float8`.as(
        'heldSeconds',
      ),
    ])
    .where('i.finished_at', 'is', null)
    .where('t.status', 'in', ['pending', 'active'])
    .orderBy('i.id')
    .limit(limit)
    .execute()
}

/** Erases imports, which hold personal data, 30 days after their end. Returns how many. */
export async function deleteOldImports(db: Db): Promise<number> {
  const result = await db
    .deleteFrom('member_imports')
    .where('finished_at', '<', secondsFromNow(-30 * 86_400))
    .executeTakeFirst()
  return Number(result.numDeletedRows)
}
