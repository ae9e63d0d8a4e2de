import { randomUUID } from 'node:crypto'
import type { ImportRowState } from '@atrium/core/members/member-import'
import type { TenantRole } from '@atrium/core/members/memberships'
import { hasPartnerRight, partnerAccesses } from '@atrium/core/partners/partner-rights'
import type { ErrorText } from '@atrium/core/platform/error-text'
import { sql } from 'kysely'
import { holdActiveGrant } from '../access-grants/access-grants.ts'
import { clock, clockAt, leaseExpired, secondsFromNow } from '../platform/clock.ts'
import type { Db, Trx } from '../platform/connect.ts'

/** In whose right an import makes members. */
export interface Requester {
  /**
   * Null for an import that an earlier version started; then the text of `requestedBy` finds the
   * person.
   */
  id: string | null
  byOperator: boolean
  /** The access grant that the person acts under. */
  grantId: string | null
}

export interface ImportRecord {
  id: string
  tenantId: string
  tenantSlug: string
  requestedBy: string
  requester: Requester
  /** Of the partner whose staff acts under the grant. */
  grantPartnerSlug: string | null
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

const managers = partnerAccesses.filter((access) => hasPartnerRight(access, 'manageCustomers'))

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
      grant_id: requester.grantId,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  for (let start = 0; start < rows.length; start += 500) {
    await trx
      .insertInto('member_import_rows')
      .values(
        rows.slice(start, start + 500).map(({ fields, issues, text, ...row }) => ({
          ...row,
          tenant_id: tenantId,
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
    .leftJoin('access_grants as g', (join) =>
      join.onRef('g.tenant_id', '=', 'i.tenant_id').onRef('g.id', '=', 'i.grant_id'),
    )
    .leftJoin('partners as p', 'p.id', 'g.partner_id')
    .select([
      'i.id',
      'i.tenant_id as tenantId',
      't.slug as tenantSlug',
      'i.requested_by as requestedBy',
      'i.requester_id as requesterId',
      'i.by_operator as byOperator',
      'i.grant_id as grantId',
      'p.slug as grantPartnerSlug',
      'i.created_at as createdAt',
      'i.finished_at as finishedAt',
      sql<boolean>`coalesce(i.lease_until > now(), false)`.as('held'),
    ])
    .where('i.id', '=', importId)
    .executeTakeFirst()
  if (!row) return undefined
  const { requesterId, byOperator, grantId, ...record } = row
  return { ...record, requester: { id: requesterId, byOperator, grantId } }
}

/** From now on the import runs with the permissions of the person who resumed it. */
export async function setRequester(
  trx: Trx,
  importId: string,
  requestedBy: string,
  { id, byOperator, grantId }: Requester,
): Promise<void> {
  await trx
    .updateTable('member_imports')
    .set({
      requested_by: requestedBy,
      requester_id: id,
      by_operator: byOperator,
      grant_id: grantId,
    })
    .where('id', '=', importId)
    .execute()
}

/**
 * Whether the person who started the import may still add members: as an admin, as staff of the
 * partner that looks after a tenant which awaits its owner, or under an access grant, which makes
 * no admins. Under the tenant's lock; the grant stays locked as well.
 */
export async function requesterMayImport(
  trx: Trx,
  { tenantId, requestedBy, requester }: ImportRecord,
  role: TenantRole,
): Promise<boolean> {
  if (requester.grantId !== null && !requester.byOperator)
    return role === 'member' && holdActiveGrant(trx, tenantId, requester.grantId)
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
        exists(
          selectFrom('tenants as t')
            .innerJoin('partners as p', 'p.id', 't.partner_id')
            .select('t.id')
            .where('t.id', '=', tenantId)
            .where('t.awaits_owner', '=', true)
            .whereRef('p.id', '=', 'u.partner_id')
            .where('p.status', '=', 'active')
            .where('u.partner_access', 'in', managers),
        ),
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
    .set({ run: randomUUID(), lease_until: secondsFromNow(importLeaseSeconds) })
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
    .from(clockAt())
    .set(({ eb, exists, selectFrom }) => ({
      run: null,
      lease_until: null,
      finished_at: eb
        .case()
        .when(
          exists(
            selectFrom('member_import_rows as r')
              .select('r.line')
              .where('r.import_id', '=', importId)
              .where('r.state', 'in', ['ready', 'running']),
          ),
        )
        .then(null)
        .else(clock.now)
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
