import { partnerResources } from '@atrium/core/events/events'
import { type SqlBool, sql } from 'kysely'
import type { Db } from '../platform/connect.ts'
import type { TokenOwner } from '../service-tokens/service-tokens.ts'

/** `tenant_id` of events that are of no tenant. */
export const noTenant = '00000000-0000-0000-0000-000000000000'

export type EventRow = Awaited<ReturnType<typeof listEvents>>[number]

/**
 * Events that the owner of a token may read, in the order of their commits (migration 0241): a
 * tenant's own, a partner's own and those of its customers that their partner knows of, or all.
 * Those of transactions that are not yet older than every one still running are left for the next
 * call.
 */
export function listEvents(
  db: Db,
  reader: TokenOwner,
  { after, limit }: { after: string | undefined; limit: number },
) {
  let query = db
    .selectFrom('events')
    .select([
      'id',
      'at',
      'type',
      'actor_type as actorType',
      'actor_id as actorId',
      'actor_email as actorEmail',
      'resource_type as resourceType',
      'resource_id as resourceId',
      'resource_name as resourceName',
      'tenant_slug as tenantSlug',
      'partner_slug as partnerSlug',
      'changes',
      'details',
    ])
    // Plain SQL: Kysely has no types for transaction ids.
    .select(sql<string>`transaction_id || '-' || sequence`.as('cursor'))
    .where(sql<SqlBool>`transaction_id < pg_snapshot_xmin(pg_current_snapshot())`)
    .orderBy('transaction_id')
    .orderBy('sequence')
    .limit(limit)
  if (reader.kind === 'tenant') query = query.where('tenant_id', '=', reader.tenantId)
  if (reader.kind === 'partner')
    query = query
      .where('partner_id', '=', reader.partnerId)
      .where(({ eb, or }) =>
        or([eb('tenant_id', '=', noTenant), eb('resource_type', 'in', partnerResources)]),
      )
  if (after !== undefined) {
    const [transaction, sequence] = after.split('-')
    query = query.where(
      sql<SqlBool>`(transaction_id, sequence) > (${transaction}::xid8, ${sequence}::bigint)`,
    )
  }
  return query.execute()
}

/** Makes sure that the partitions of the coming days exist and drops those that are too old. */
export async function prepareEventDays(db: Db, keptDays: number): Promise<void> {
  // Plain SQL: a call of one SQL function.
  await sql`select events_prepare_days(${keptDays}::integer)`.execute(db)
}
