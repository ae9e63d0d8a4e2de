import { sql } from 'kysely'
import type { Db } from '../platform/connect.ts'

/** What the server says about itself and about the account of the service. */
export interface AccountFacts {
  /** As the server writes it: `18.4`. */
  version: string
  superuser: boolean
  /** Member of `atrium_app`, which has the service's rights. */
  member: boolean
  /** May create objects in the schema, or acts as the owner of the audit log. */
  mayChangeSchema: boolean
  /** May change or delete entries of the audit log. */
  mayChangeAudit: boolean
  /** Whether the extension pg_trgm is there, which searches need. */
  hasTrigrams: boolean
  /** The time limit of statements on this connection, `0` for none. */
  statementTimeout: string
}

/** Reads the facts that `atrium doctor` judges. Works before the first migration too. */
export async function readAccountFacts(db: Db): Promise<AccountFacts> {
  // Plain SQL: the server's own views and functions.
  const { rows } = await sql<AccountFacts>`
    select split_part(current_setting('server_version'), ' ', 1) as version,
      coalesce((select rolsuper from pg_roles where rolname = current_user), false) as superuser,
      coalesce((select pg_has_role(current_user, oid, 'member') from pg_roles where rolname = 'atrium_app'), false) as member,
      has_schema_privilege(current_user, 'public', 'create')
        or coalesce((select pg_has_role(current_user, relowner, 'member') from pg_class where oid = to_regclass('audit_events')), false)
        as "mayChangeSchema",
      coalesce(has_table_privilege(current_user, to_regclass('audit_events'), 'update, delete, truncate'), false) as "mayChangeAudit",
      exists (select from pg_extension where extname = 'pg_trgm') as "hasTrigrams",
      current_setting('statement_timeout') as "statementTimeout"`.execute(db)
  return only(rows)
}

/** How the server copies its log aside; `null` where a moment is not known. */
export interface ArchiveFacts {
  mode: string
  archivedSecondsAgo: number | null
  failedSecondsAgo: number | null
}

/** How the archiving of the server's log goes; every account may ask. */
export async function readArchive(db: Db): Promise<ArchiveFacts> {
  const { rows } = await sql<ArchiveFacts>`
    select current_setting('archive_mode') as mode,
      extract(epoch from clock_timestamp() - last_archived_time)::float8 as "archivedSecondsAgo",
      extract(epoch from clock_timestamp() - last_failed_time)::float8 as "failedSecondsAgo"
    from pg_stat_archiver`.execute(db)
  return only(rows)
}

/** Whether the newest attempt to copy the log failed. */
export function archiveFails({
  mode,
  archivedSecondsAgo,
  failedSecondsAgo,
}: ArchiveFacts): boolean {
  if (mode === 'off' || failedSecondsAgo === null) return false
  return archivedSecondsAgo === null || failedSecondsAgo < archivedSecondsAgo
}

/**
 * The groups of the person with the most of them: how many, and the characters of their names. A
 * token names each of these groups. Zeros where nobody is a member of a tenant.
 */
export async function readLargestGroupClaim(
  db: Db,
): Promise<{ groups: number; characters: number }> {
  const largest = await db
    .selectFrom('memberships as m')
    .innerJoin('tenants as t', 't.id', 'm.tenant_id')
    .select(({ fn }) => [
      fn.countAll<number>().as('groups'),
      fn.sum<number>(sql<number>`length(coalesce(t.identity_group_name, t.slug))`).as('characters'),
    ])
    .groupBy('m.user_id')
    .orderBy('characters', 'desc')
    .limit(1)
    .executeTakeFirst()
  return { groups: Number(largest?.groups ?? 0), characters: Number(largest?.characters ?? 0) }
}

function only<Row>(rows: readonly Row[]): Row {
  const [row] = rows
  if (!row) throw new Error('a select without a table returns one row')
  return row
}
