import { partnerResources } from '@atrium/core/events/events'
import { type SqlBool, sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'
import type { TokenOwner } from '../service-tokens/service-tokens.ts'

/** `tenant_id` of events that are of no tenant. */
export const noTenant = '00000000-0000-0000-0000-000000000000'

export type EventRow = Awaited<ReturnType<typeof listEvents>>[number]

/**
 * Events that the owner of a token may read: a tenant's own, a partner's own and those of its
 * customers that their partner knows of, or all.
 */
function selectEvents(db: Db | Trx, reader: TokenOwner) {
  const query = db
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
      'tenant_id as tenantId',
      'partner_id as partnerId',
      'changes',
      'details',
    ])
    // Plain SQL: Kysely has no types for transaction ids.
    .select(
      sql<string>`transaction_id || '-' || sequence || '-' || floor(extract(epoch from recorded_at))`.as(
        'cursor',
      ),
    )
    .orderBy('transaction_id')
    .orderBy('sequence')
  if (reader.kind === 'tenant') return query.where('tenant_id', '=', reader.tenantId)
  if (reader.kind === 'platform') return query
  return query
    .where('partner_id', '=', reader.partnerId)
    .where(({ eb, or }) =>
      or([eb('tenant_slug', 'is', null), eb('resource_type', 'in', partnerResources)]),
    )
}

/**
 * Events behind a cursor in the order of their commits (migration 0241), of all types for none.
 * `until` is an `endOfEvents` that was read before: events behind it may still be committed in any
 * order.
 */
export function listEvents(
  db: Db,
  reader: TokenOwner,
  {
    after,
    until,
    limit,
    types = [],
  }: { after: string | undefined; until: string; limit: number; types?: readonly string[] },
) {
  let query = selectEvents(db, reader).where(isBefore(until)).limit(limit)
  if (types.length > 0) query = query.where('type', 'in', types)
  if (after !== undefined) query = query.where(isBehind(after))
  return query.execute()
}

/** One event by the id of its entry in the audit log. */
export function findEvent(db: Db, reader: TokenOwner, id: string) {
  return selectEvents(db, reader).where('id', '=', id).limit(1).executeTakeFirst()
}

function isBehind(cursor: string) {
  const [transaction, sequence] = cursor.split('-')
  return sql<SqlBool>`(transaction_id, sequence) > (${transaction}::xid8, ${sequence}::bigint)`
}

function isBefore(cursor: string) {
  const [transaction, sequence] = cursor.split('-')
  return sql<SqlBool>`(transaction_id, sequence) < (${transaction}::xid8, ${sequence}::bigint)`
}

/**
 * The cursor of the present end: no event before it can appear any more in a statement that begins
 * after this one (migration 0252).
 */
export async function endOfEvents(db: Db | Trx): Promise<string> {
  // Plain SQL: a call of one SQL function.
  const { rows } = await sql<{ cursor: string }>`
    select events_end() || '-0-' || floor(extract(epoch from now())) as cursor`.execute(db)
  return rows[0]?.cursor ?? '0-0-0'
}

/** The cursor before the first event that was recorded at or after a moment; undefined for none. */
export async function cursorBefore(
  db: Db | Trx,
  reader: TokenOwner,
  since: Date,
): Promise<string | undefined> {
  let query = db
    .selectFrom('events')
    .select(sql<string>`transaction_id || '-' || (sequence - 1)`.as('cursor'))
    .where('recorded_at', '>=', since)
    .orderBy('transaction_id')
    .orderBy('sequence')
    .limit(1)
  if (reader.kind === 'tenant') query = query.where('tenant_id', '=', reader.tenantId)
  if (reader.kind === 'partner') query = query.where('partner_id', '=', reader.partnerId)
  return (await query.executeTakeFirst())?.cursor
}

/** Whose events are behind a cursor, in the order of their commits; `until` as in `listEvents`. */
export function listEventOwners(
  trx: Trx,
  { after, until, limit }: { after: string; until: string; limit: number },
) {
  return trx
    .selectFrom('events')
    .select(['tenant_id as tenantId', 'partner_id as partnerId'])
    .select(sql<string>`transaction_id || '-' || sequence`.as('cursor'))
    .where(isBehind(after))
    .where(isBefore(until))
    .orderBy('transaction_id')
    .orderBy('sequence')
    .limit(limit)
    .execute()
}

/** Creates the missing partitions of the coming days and drops those that are too old. */
export async function prepareEventDays(db: Db, keptDays: number): Promise<void> {
  // Plain SQL: a call of one SQL function.
  await sql`select events_prepare_days(${keptDays}::integer)`.execute(db)
}
