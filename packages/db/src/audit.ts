import type { ActorType, AuditEvent, AuditOutcome, AuditSource } from '@atrium/core/audit'
import { actionMatch } from '@atrium/core/audit'
import { type SqlBool, sql } from 'kysely'
import type { Db, Trx } from './connect.ts'
import { escapeLike } from './tenants.ts'

export interface NewAuditEvent {
  /** Chosen by the database when absent. */
  id?: string | undefined
  at: Date
  actorType: ActorType
  actorId: string | null
  actorEmail: string | null
  actorIp: string | null
  action: string
  outcome: AuditOutcome
  resourceType: string
  resourceId: string | null
  resourceName: string | null
  tenantSlug: string | null
  partnerSlug: string | null
  source: AuditSource
  metadata: Record<string, unknown>
}

/** Writes an entry. */
export async function insertAuditEvent(db: Db | Trx, event: NewAuditEvent): Promise<void> {
  await db
    .insertInto('audit_events')
    .values({
      ...(event.id === undefined ? {} : { id: event.id }),
      at: event.at,
      actor_type: event.actorType,
      actor_id: event.actorId,
      actor_email: event.actorEmail,
      actor_ip: event.actorIp,
      action: event.action,
      outcome: event.outcome,
      resource_type: event.resourceType,
      resource_id: event.resourceId,
      resource_name: event.resourceName,
      tenant_slug: event.tenantSlug,
      partner_slug: event.partnerSlug,
      source: event.source,
      metadata: JSON.stringify(event.metadata),
    })
    .execute()
}

/** Writes an entry that is linked to the one before it (migration 0019). The setting ends with the transaction. */
export async function insertChainedAuditEvent(db: Db, event: NewAuditEvent): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`select set_config('atrium.audit_chain', 'on', true)`.execute(trx)
    await insertAuditEvent(trx, event)
  })
}

export interface AuditFilter {
  since?: string | undefined
  until?: string | undefined
  before?: string | undefined
  action?: string | undefined
  tenantSlug?: string | undefined
  partnerSlug?: string | undefined
  actorEmail?: string | undefined
  outcome?: AuditOutcome | undefined
  q?: string | undefined
}

/** The cursor after an entry: its time to the microsecond and its id, so that entries of one instant are neither skipped nor repeated. */
export function auditCursor(event: { at: string; id: string }): string {
  return `${event.at}_${event.id}`
}

/** Newest first, stable under ties; at most `limit` rows. Times keep their microseconds, which a JavaScript Date would drop. */
export async function listAuditEvents(db: Db, filter: AuditFilter, limit: number): Promise<AuditEvent[]> {
  const conditions = [sql<SqlBool>`true`]
  if (filter.since) conditions.push(sql<SqlBool>`at >= ${filter.since}::timestamptz`)
  if (filter.until) conditions.push(sql<SqlBool>`at < ${filter.until}::timestamptz`)
  if (filter.before) conditions.push(olderThan(filter.before))
  if (filter.tenantSlug) conditions.push(sql<SqlBool>`tenant_slug = ${filter.tenantSlug}`)
  if (filter.partnerSlug) conditions.push(sql<SqlBool>`partner_slug = ${filter.partnerSlug}`)
  if (filter.actorEmail) conditions.push(sql<SqlBool>`lower(actor_email) = ${filter.actorEmail.toLowerCase()}`)
  if (filter.outcome) conditions.push(sql<SqlBool>`outcome = ${filter.outcome}`)
  if (filter.action) {
    const match = actionMatch(filter.action)
    conditions.push('exact' in match ? sql<SqlBool>`action = ${match.exact}` : sql<SqlBool>`action like ${`${escapeLike(match.prefix)}%`}`)
  }
  if (filter.q) {
    const pattern = `%${escapeLike(filter.q)}%`
    conditions.push(sql<SqlBool>`(action ilike ${pattern} or resource_name ilike ${pattern} or actor_email ilike ${pattern}
      or tenant_slug ilike ${pattern})`)
  }
  const { rows } = await sql<AuditEvent>`
    select id, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at, actor_type as "actorType", actor_id as "actorId",
      actor_email as "actorEmail", host(actor_ip) as "actorIp", action, outcome, resource_type as "resourceType",
      resource_id as "resourceId", resource_name as "resourceName", tenant_slug as "tenantSlug", partner_slug as "partnerSlug", source,
      metadata, prev_hash as "prevHash", hash
    from audit_events where ${sql.join(conditions, sql` and `)}
    order by audit_events.at desc, id desc limit ${limit}`.execute(db)
  return rows
}

function olderThan(before: string) {
  const [at, id] = before.split('_')
  return id ? sql<SqlBool>`(at, id) < (${at}::timestamptz, ${id}::uuid)` : sql<SqlBool>`at < ${at}::timestamptz`
}

/** Makes sure that the partitions of the coming months exist. Answers how many were made. */
export async function ensureAuditPartitions(db: Db, months: number): Promise<number> {
  const { rows } = await sql<{ made: number }>`
    select audit_ensure_partitions((now() + make_interval(months => ${months}))::date) as made`.execute(db)
  return rows[0]?.made ?? 0
}
