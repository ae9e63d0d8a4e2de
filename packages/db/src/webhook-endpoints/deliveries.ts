import type { DeliveryKind } from '@atrium/core/webhook-endpoints/webhook-endpoints'
import { sql } from 'kysely'
import { endOfEvents, listEventOwners, noTenant } from '../events/events.ts'
import { leaseExpired, secondsFromNow } from '../platform/clock.ts'
import type { Db, Trx } from '../platform/connect.ts'

/** Longer than the deadline of a delivery; a killed process's endpoints are free after that. */
const leaseSeconds = 30

/**
 * Makes endpoints due whose owner has new events since the last call. Returns how many events these
 * are, at most `limit`. One process at a time.
 */
export function dispatchEvents(db: Db, limit: number): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const last = await trx
      .selectFrom('event_dispatch')
      .select('cursor')
      .forUpdate()
      .skipLocked()
      .executeTakeFirst()
    if (!last) return 0
    const until = await endOfEvents(trx)
    const events = await listEventOwners(trx, { after: last.cursor, until, limit })
    const cursor = events.at(-1)?.cursor
    if (cursor === undefined) return 0
    const tenants = new Set(events.map(({ tenantId }) => tenantId).filter((id) => id !== noTenant))
    const partners = new Set(events.flatMap(({ partnerId }) => partnerId ?? []))
    await trx
      .updateTable('webhook_endpoints')
      .set(({ eb, fn }) => ({
        due_at: fn.coalesce('due_at', sql<Date>`now()`),
        wakes: eb('wakes', '+', '1'),
      }))
      .where('disabled_at', 'is', null)
      .where(({ eb, or }) =>
        or([
          eb('tenant_id', '=', sql<string>`any(${[...tenants]}::uuid[])`),
          eb('partner_id', '=', sql<string>`any(${[...partners]}::uuid[])`),
          eb('kind', '=', 'platform'),
        ]),
      )
      .execute()
    await trx.updateTable('event_dispatch').set({ cursor }).execute()
    return events.length
  })
}

/** An endpoint that this process delivers to. */
export type ClaimedEndpoint = Awaited<ReturnType<typeof claimEndpoints>>[number]

/**
 * Claims endpoints that are due, the longest waiting first; not those of deleted tenants and
 * terminated partners.
 */
export function claimEndpoints(db: Db, limit: number) {
  return db
    .with('due', (cte) =>
      cte
        .selectFrom('webhook_endpoints as w')
        .leftJoin('tenants as t', 't.id', 'w.tenant_id')
        .leftJoin('partners as p', 'p.id', 'w.partner_id')
        .select('w.id')
        .where('w.disabled_at', 'is', null)
        .where('w.due_at', '<=', sql<Date>`now()`)
        .where(leaseExpired('w.lease_until'))
        .where(({ eb, or }) => or([eb('t.id', 'is', null), eb('t.status', '<>', 'deleted')]))
        .where(({ eb, or }) => or([eb('p.id', 'is', null), eb('p.status', '<>', 'terminated')]))
        .orderBy('w.due_at')
        .limit(limit)
        .forUpdate('w')
        .skipLocked(),
    )
    .updateTable('webhook_endpoints as e')
    .from('due')
    .set({ run: sql<string>`new_id()`, lease_until: secondsFromNow(leaseSeconds) })
    .whereRef('e.id', '=', 'due.id')
    .returning([
      'e.id',
      'e.run',
      'e.tenant_id as tenantId',
      'e.partner_id as partnerId',
      'e.url',
      'e.types',
      'e.secret',
      'e.previous_secret as previousSecret',
      'e.previous_ends_at as previousEndsAt',
      'e.cursor',
      'e.attempts',
      'e.failing_since as failingSince',
      'e.wakes as wakeups',
    ])
    .execute()
}

export interface NewDelivery {
  endpointId: string
  eventId: string
  eventType: string
  kind: DeliveryKind
  attempt: number
  at: Date
  milliseconds: number
  status: number | null
  error: string | null
  request: string
  response: string | null
}

export async function insertDelivery(db: Db | Trx, delivery: NewDelivery): Promise<string> {
  const { endpointId, eventId, eventType, ...fields } = delivery
  const { id } = await db
    .insertInto('webhook_deliveries')
    .values({ ...fields, endpoint_id: endpointId, event_id: eventId, event_type: eventType })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** What an ended try changes at its endpoint. */
export interface TryOutcome {
  /** Absent: the event stays the next one. */
  cursor?: string
  attempts: number
  failingSince: Date | null
  /** When the next try is due; absent while the process goes on. */
  retryInSeconds?: number
  /** The endpoint is switched off. */
  disabledAt?: Date
}

/**
 * Notes a try with its outcome. False when the process no longer holds the endpoint: it was
 * switched off, removed or rewound, or another process has it.
 */
export async function saveTry(
  trx: Trx,
  { id, run }: ClaimedEndpoint,
  delivery: NewDelivery,
  { cursor, attempts, failingSince, retryInSeconds, disabledAt }: TryOutcome,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('webhook_endpoints')
    .set({
      attempts,
      failing_since: failingSince,
      ...(cursor !== undefined && { cursor }),
      ...(retryInSeconds === undefined
        ? { lease_until: secondsFromNow(leaseSeconds) }
        : { lease_until: null, run: null, due_at: secondsFromNow(retryInSeconds) }),
      ...(disabledAt && { disabled_at: disabledAt, disabled_reason: 'failing' as const }),
    })
    .where('id', '=', id)
    .where('run', '=', run)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  await insertDelivery(trx, delivery)
  return true
}

/**
 * Frees an endpoint without further events up to `cursor`, unless some came since it was claimed.
 */
export async function releaseEndpoint(
  db: Db,
  { id, run, wakeups }: ClaimedEndpoint,
  cursor: string | undefined,
): Promise<void> {
  await db
    .updateTable('webhook_endpoints')
    .set({
      run: null,
      lease_until: null,
      ...(cursor !== undefined && {
        cursor,
        due_at: sql<Date | null>`case when wakes = ${wakeups} then null else now() end`,
      }),
    })
    .where('id', '=', id)
    .where('run', '=', run)
    .execute()
}

/** Newest first, one row more than asked. */
export function listDeliveries(
  db: Db,
  endpointId: string,
  { limit, before }: { limit: number; before: string | undefined },
) {
  const query = db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('endpoint_id', '=', endpointId)
  return (before === undefined ? query : query.where('id', '<', before))
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
}

export async function deleteOldDeliveries(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('webhook_deliveries').where('at', '<', before).execute()
}
