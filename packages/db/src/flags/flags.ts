import type { FlagRule } from '@atrium/core/flags/flag-evaluation'
import type {
  FlagChangeKind,
  FlagSettings,
  FlagState,
  Prerequisite,
} from '@atrium/core/flags/flags'
import { sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'
import { escapeLike } from '../platform/text-search.ts'

/** What the evaluation reads of `flags as f`. */
const ruleColumns = [
  'f.key',
  'f.state',
  sql<number>`f.percentage::float8`.as('percentage'),
  'f.salt',
  'f.allow_tenants as allowTenants',
  'f.deny_tenants as denyTenants',
  'f.allow_partners as allowPartners',
  'f.allow_plans as allowPlans',
  'f.prerequisites',
  'f.enabled_from as enabledFrom',
  'f.enabled_until as enabledUntil',
  'f.killed_at as killedAt',
  'f.version',
] as const

// The builder has neither `array(…)` nor `@>`.
const requiredBy = sql<string[]>`array(select r.key from flags r where r.removed_at is null
  and r.prerequisites @> jsonb_build_array(jsonb_build_object('key', f.key))
  order by r.key collate "C")`

/** Flags that are not removed. */
function selectFlags(db: Db | Trx) {
  return db
    .selectFrom('flags as f')
    .select(ruleColumns)
    .select(({ cast, selectFrom }) => [
      'f.id',
      'f.description',
      'f.owner',
      'f.guards',
      'f.rollback',
      // A date without a time, `2027-01-31`.
      cast<string | null>('f.stale_after', 'text').as('staleAfter'),
      'f.note',
      'f.created_at as createdAt',
      'f.updated_at as updatedAt',
      'f.updated_by as updatedBy',
      requiredBy.as('requiredBy'),
      selectFrom('flag_uses as u')
        .select('u.last_asked_at')
        .whereRef('u.flag_key', '=', 'f.key')
        .as('lastAskedAt'),
    ])
    .where('f.removed_at', 'is', null)
}

export type FlagRow = NonNullable<Awaited<ReturnType<typeof findFlag>>>

export interface FlagFilter {
  q?: string | undefined
  state?: FlagState | undefined
  before?: string | undefined
  limit: number
}

/**
 * Newest first, one row more than requested, without removed ones. `q` searches key, description,
 * owner and note.
 */
export function listFlags(db: Db, filter: FlagFilter): Promise<FlagRow[]> {
  let query = selectFlags(db)
  if (filter.state) query = query.where('f.state', '=', filter.state)
  if (filter.before) query = query.where('f.id', '<', filter.before)
  if (filter.q) {
    const pattern = `%${escapeLike(filter.q.toLowerCase())}%`
    query = query.where(({ eb, fn, or }) =>
      or([
        eb('f.key', 'like', pattern),
        eb(fn('lower', ['f.description']), 'like', pattern),
        eb(fn('lower', ['f.owner']), 'like', pattern),
        eb(fn('lower', ['f.note']), 'like', pattern),
      ]),
    )
  }
  return query
    .orderBy('f.id', 'desc')
    .limit(filter.limit + 1)
    .execute()
}

/** Undefined for removed flags too. */
export function findFlag(db: Db | Trx, key: string) {
  return selectFlags(db).where('f.key', '=', key).executeTakeFirst()
}

/**
 * Lets one transaction at a time change flags: two changes that are harmless alone may close a
 * circle of prerequisites together, and a flag may be named as one while it is being removed.
 */
export async function lockFlags(trx: Trx): Promise<void> {
  // Plain SQL, here and in `notifyFlags`: a call of one function.
  await sql`select pg_advisory_xact_lock(hashtext('flags'))`.execute(trx)
}

/** What every flag that is not removed requires. */
export async function prerequisitesOfFlags(trx: Trx): Promise<Map<string, Prerequisite[]>> {
  const rows = await trx
    .selectFrom('flags')
    .select(['key', 'prerequisites'])
    .where('removed_at', 'is', null)
    .execute()
  return new Map(rows.map((row) => [row.key, row.prerequisites]))
}

interface Authorship {
  note: string
  updatedBy: string | null
}

/** False when the key is taken, by a removed flag also. */
export async function insertFlag(
  trx: Trx,
  flag: { key: string; salt: string | null; settings: FlagSettings } & Authorship,
): Promise<boolean> {
  const inserted = await trx
    .insertInto('flags')
    .values({
      key: flag.key,
      salt: flag.salt,
      note: flag.note,
      updated_by: flag.updatedBy,
      ...toColumns(flag.settings),
    })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted !== undefined
}

/** Requires `Trx`: the version that is raised was read under `lockFlags`. Returns the new one. */
export async function updateFlag(
  trx: Trx,
  key: string,
  settings: FlagSettings,
  { note, updatedBy }: Authorship,
): Promise<number> {
  const { version } = await trx
    .updateTable('flags')
    .set((eb) => ({
      ...toColumns(settings),
      note,
      updated_by: updatedBy,
      version: eb('version', '+', 1),
      updated_at: sql<Date>`now()`,
    }))
    .where('key', '=', key)
    .returning('version')
    .executeTakeFirstOrThrow()
  return version
}

/** The row stays, so that the key is never used again. Returns the version of the removal. */
export async function removeFlag(
  trx: Trx,
  key: string,
  { note, updatedBy }: Authorship,
): Promise<number> {
  const { version } = await trx
    .updateTable('flags')
    .set((eb) => ({
      note,
      updated_by: updatedBy,
      version: eb('version', '+', 1),
      updated_at: sql<Date>`now()`,
      removed_at: sql<Date>`now()`,
    }))
    .where('key', '=', key)
    .returning('version')
    .executeTakeFirstOrThrow()
  return version
}

function toColumns(settings: FlagSettings) {
  return {
    description: settings.description,
    owner: settings.owner,
    state: settings.state,
    percentage: settings.percentage,
    allow_tenants: settings.allowTenants,
    deny_tenants: settings.denyTenants,
    allow_partners: settings.allowPartners,
    allow_plans: settings.allowPlans,
    prerequisites: JSON.stringify(settings.prerequisites),
    guards: JSON.stringify(settings.guards),
    enabled_from: settings.enabledFrom,
    enabled_until: settings.enabledUntil,
    stale_after: settings.staleAfter,
    killed_at: settings.killedAt,
    rollback: settings.rollback && JSON.stringify(settings.rollback),
  }
}

export interface NewFlagChange {
  key: string
  version: number
  kind: FlagChangeKind
  actorId: string | null
  actorEmail: string | null
  note: string
  before: FlagSettings | null
  after: FlagSettings | null
}

/** Writes the history, and returns the id that the entry of the audit log is to have. */
export async function insertFlagChange(trx: Trx, change: NewFlagChange): Promise<string> {
  const { audit_id } = await trx
    .insertInto('flag_changes')
    .values({
      flag_key: change.key,
      version: change.version,
      kind: change.kind,
      actor_id: change.actorId,
      actor_email: change.actorEmail,
      note: change.note,
      before: change.before && JSON.stringify(change.before),
      after: change.after && JSON.stringify(change.after),
    })
    .returning('audit_id')
    .executeTakeFirstOrThrow()
  return audit_id
}

export interface FlagChangeRow {
  id: string
  version: number
  kind: FlagChangeKind
  at: Date
  actorId: string | null
  actorEmail: string | null
  note: string
  before: FlagSettings | null
  after: FlagSettings | null
  auditId: string
}

/** Newest first, one row more than asked; removed flags have theirs too. */
export async function listFlagChanges(
  db: Db,
  key: string,
  page: { before?: string | undefined; limit: number },
): Promise<FlagChangeRow[]> {
  let query = db
    .selectFrom('flag_changes')
    .select([
      'id',
      'version',
      'kind',
      'at',
      'actor_id as actorId',
      'actor_email as actorEmail',
      'note',
      'before',
      'after',
    ])
    .select('audit_id as auditId')
    .where('flag_key', '=', key)
  if (page.before) query = query.where('id', '<', page.before)
  const rows = await query
    .orderBy('id', 'desc')
    .limit(page.limit + 1)
    .execute()
  return rows.map((row) => ({
    ...row,
    before: withGuards(row.before),
    after: withGuards(row.after),
  }))
}

/** Changes that were written before flags had guards lack their fields. */
function withGuards(settings: FlagSettings | null): FlagSettings | null {
  return (
    settings && { ...settings, guards: settings.guards ?? [], rollback: settings.rollback ?? null }
  )
}

/** Notifies every process to reload the flags. Sent when the transaction commits. */
export async function notifyFlags(trx: Trx, key: string): Promise<void> {
  await sql`select pg_notify('flags', ${key})`.execute(trx)
}

/** All flags that are not removed, as the evaluation reads them. */
export async function readFlagRules(db: Db): Promise<FlagRule[]> {
  const rows = await db
    .selectFrom('flags as f')
    .select(ruleColumns)
    .where('f.removed_at', 'is', null)
    .execute()
  return rows.map((row) => ({
    key: row.key,
    version: row.version,
    state: row.state,
    killed: row.killedAt !== null,
    percentage: row.percentage,
    salt: row.salt,
    allowTenants: new Set(row.allowTenants),
    denyTenants: new Set(row.denyTenants),
    allowPartners: new Set(row.allowPartners),
    allowPlans: new Set(row.allowPlans),
    prerequisites: row.prerequisites,
    enabledFrom: row.enabledFrom?.getTime() ?? null,
    enabledUntil: row.enabledUntil?.getTime() ?? null,
  }))
}

/** Those of the slugs that name a tenant which is not deleted. */
export async function existingTenants(trx: Trx, slugs: readonly string[]): Promise<Set<string>> {
  if (slugs.length === 0) return new Set()
  const rows = await trx
    .selectFrom('tenants')
    .select('slug')
    .where('slug', 'in', slugs)
    .where('status', '<>', 'deleted')
    .execute()
  return new Set(rows.map((row) => row.slug))
}

/** Those of the slugs that name a partner which is not terminated. */
export async function existingPartners(trx: Trx, slugs: readonly string[]): Promise<Set<string>> {
  if (slugs.length === 0) return new Set()
  const rows = await trx
    .selectFrom('partners')
    .select('slug')
    .where('slug', 'in', slugs)
    .where('status', '<>', 'terminated')
    .execute()
  return new Set(rows.map((row) => row.slug))
}

/**
 * Notes when code last asked for flags by name; an older moment than the stored one changes
 * nothing.
 */
export async function saveFlagUses(
  db: Db,
  uses: readonly { key: string; at: Date }[],
): Promise<void> {
  if (uses.length === 0) return
  // Plain SQL: the builder has no `unnest`.
  await sql`
    insert into flag_uses (flag_key, last_asked_at)
    select key, at from unnest(${uses.map((use) => use.key)}::text[], ${uses.map((use) => use.at.toISOString())}::timestamptz[]) as u(key, at)
    where exists (select from flags f where f.key = u.key)
    on conflict (flag_key) do update set last_asked_at = greatest(flag_uses.last_asked_at, excluded.last_asked_at)`.execute(
    db,
  )
}
