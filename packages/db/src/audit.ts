import type { ActorType, AuditOutcome, AuditSource } from '@atrium/core/audit'
import { sql } from 'kysely'
import type { Db, Trx } from './connect.ts'

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

/** The cursor after an entry: its time to the microsecond and its id, so that entries of one instant are neither skipped nor repeated. */
export function auditCursor(event: { at: string; id: string }): string {
  return `${event.at}_${event.id}`
}

/** Makes sure that the partitions of the coming months exist. Answers how many were made. */
export async function ensureAuditPartitions(db: Db, months: number): Promise<number> {
  const { rows } = await sql<{ made: number }>`
    select audit_ensure_partitions((now() + make_interval(months => ${months}))::date) as made`.execute(db)
  return rows[0]?.made ?? 0
}
