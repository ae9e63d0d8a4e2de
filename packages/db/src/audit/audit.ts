import type { ActorType, AuditOutcome, AuditSource } from '@atrium/core/audit/audit'
import { sql } from 'kysely'
import { secondsFromNow } from '../platform/clock.ts'
import type { Db, Trx } from '../platform/connect.ts'

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

/**
 * Writes an entry that is linked to the one before it (migration 0019). The setting ends with the
 * transaction.
 */
export async function insertChainedAuditEvent(trx: Trx, event: NewAuditEvent): Promise<void> {
  // Plain SQL: a call of one function.
  await sql`select set_config('atrium.audit_chain', 'on', true)`.execute(trx)
  await insertAuditEvent(trx, event)
}

/**
 * Runs `insert` so that a failure of it leaves the transaction as it was before (PostgreSQL
 * documentation, SAVEPOINT), and throws the failure.
 */
export async function atSavepoint(trx: Trx, insert: () => Promise<void>): Promise<void> {
  // Plain SQL: Kysely has savepoints for controlled transactions alone.
  await sql`savepoint audit_entry`.execute(trx)
  try {
    await insert()
    // Not released: it ends with the transaction, and a release would be one more round trip.
  } catch (error) {
    await sql`rollback to savepoint audit_entry`.execute(trx)
    throw error
  }
}

/** Stores the entry of a change until it is known how that ended. Returns its id. */
export async function insertPreparedEntry(trx: Trx, event: NewAuditEvent): Promise<string> {
  const { id } = await trx
    .insertInto('prepared_audit_entries')
    .values({ event: JSON.stringify(event) })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** The event was written when the entry was prepared (migration 0253). */
const eventPublished = sql<string>`set_config('atrium.event_published', 'on', true)`.as('published')

/**
 * Takes a prepared entry out, to write it in this transaction. False when it was written already.
 */
export async function takePreparedEntry(trx: Trx, id: string): Promise<boolean> {
  const taken = await trx
    .deleteFrom('prepared_audit_entries')
    .where('id', '=', id)
    .returning(eventPublished)
    .executeTakeFirst()
  return taken !== undefined
}

/**
 * Takes out the oldest entry that was prepared so many seconds ago, to write it in this
 * transaction; undefined without one.
 */
export async function takeAbandonedEntry(
  trx: Trx,
  seconds: number,
): Promise<NewAuditEvent | undefined> {
  const row = await trx
    .deleteFrom('prepared_audit_entries')
    .where('id', '=', (eb) =>
      eb
        .selectFrom('prepared_audit_entries')
        .select('id')
        .where('prepared_at', '<', secondsFromNow(-seconds))
        .orderBy('prepared_at')
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .returning(['id', 'event', eventPublished])
    .executeTakeFirst()
  if (!row) return undefined
  const event = row.event as unknown as NewAuditEvent
  return { ...event, id: row.id, at: new Date(event.at) }
}

/**
 * Rejected calls of one action by one person in one minute, about one place: a tenant, a partner or
 * neither (empty).
 */
export interface DeniedCalls {
  actorId: string
  action: string
  place: string
  minute: Date
}

/**
 * Counts a rejected call and returns how many this makes. `event` is the entry that describes it.
 */
export async function countDenial(db: Db, of: DeniedCalls, event: NewAuditEvent): Promise<number> {
  const row = await db
    .insertInto('audit_denials')
    .values({
      actor_id: of.actorId,
      action: of.action,
      place: of.place,
      minute: of.minute,
      event: JSON.stringify(event),
    })
    .onConflict((conflict) =>
      conflict.columns(['actor_id', 'action', 'place', 'minute']).doUpdateSet((eb) => ({
        calls: eb('audit_denials.calls', '+', 1),
        event: eb.ref('excluded.event'),
      })),
    )
    .returning('calls')
    .executeTakeFirstOrThrow()
  return row.calls
}

/**
 * Removes what was counted in minutes that began before the given moment, and returns the entries
 * of the last calls with the number of calls that have no entry of their own; at most `limit`,
 * without those where the first call was the only one.
 */
export async function takeRepeatedDenials(
  db: Db,
  before: Date,
  limit: number,
): Promise<{ taken: number; repeated: { event: NewAuditEvent; calls: number; minute: Date }[] }> {
  const rows = await db
    .deleteFrom('audit_denials')
    .using((eb) =>
      eb
        .selectFrom('audit_denials')
        .select(['actor_id', 'action', 'place', 'minute'])
        .where('minute', '<', before)
        .orderBy('minute')
        .limit(limit)
        .forUpdate()
        .skipLocked()
        .as('over'),
    )
    .whereRef('audit_denials.actor_id', '=', 'over.actor_id')
    .whereRef('audit_denials.action', '=', 'over.action')
    .whereRef('audit_denials.place', '=', 'over.place')
    .whereRef('audit_denials.minute', '=', 'over.minute')
    .returning(['audit_denials.event', 'audit_denials.calls', 'audit_denials.minute'])
    .execute()
  const repeated = rows
    .filter(({ calls }) => calls > 1)
    .map(({ event, calls, minute }) => ({
      event: event as unknown as NewAuditEvent,
      calls: calls - 1,
      minute,
    }))
  return { taken: rows.length, repeated }
}

/**
 * The cursor after an entry: its time to the microsecond and its id, so that entries of one instant
 * are neither skipped nor repeated.
 */
export function auditCursor(event: { at: string; id: string }): string {
  return `${event.at}_${event.id}`
}

/** Creates the missing partitions of the coming months. Returns how many. */
export async function ensureAuditPartitions(db: Db, months: number): Promise<number> {
  // Plain SQL: a call of one SQL function.
  const { rows } = await sql<{ made: number }>`
    select audit_ensure_partitions((now() + make_interval(months => ${months}))::date) as made`.execute(
    db,
  )
  return rows[0]?.made ?? 0
}
