import type { WebhookState } from '@atrium/core/billing/webhooks'
import { type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'
import { escapeLike } from '../platform/text-search.ts'
import type { Tables } from '../schema/tables.ts'

const columns = [
  'id',
  'type',
  'object_id as objectId',
  'api_version as apiVersion',
  'created',
  'livemode',
  'state',
  'attempts',
  'next_at as nextAt',
  'note',
  'received_at as receivedAt',
  'finished_at as finishedAt',
] as const

export interface NewInboxEvent {
  id: string
  type: string
  objectId: string | null
  apiVersion: string | null
  created: Date
  livemode: boolean
  payload: string
  state: 'received' | 'ignored_mode'
}

/**
 * The time within the transaction, and not of its beginning: a claim must not be older than what
 * another one wrote while it waited.
 */
const clockTimestamp = sql<Date>`clock_timestamp()`
const secondsFromNow = (seconds: number) =>
  sql<Date>`${clockTimestamp} + make_interval(secs => ${seconds})`

/** Whether the moment in this column is over; true for null. */
const hasPassed =
  (column: 'next_at' | 'lease_until') =>
  ({ eb, or }: ExpressionBuilder<Tables, 'webhook_inbox'>) =>
    or([eb(column, 'is', null), eb(column, '<=', clockTimestamp)])

/** Keeps an event once. False when it is there already. */
export async function insertInboxEvent(db: Db | Trx, event: NewInboxEvent): Promise<boolean> {
  const row = await db
    .insertInto('webhook_inbox')
    .values({
      id: event.id,
      type: event.type,
      object_id: event.objectId,
      api_version: event.apiVersion,
      created: event.created,
      livemode: event.livemode,
      payload: event.payload,
      state: event.state,
      finished_at: event.state === 'ignored_mode' ? sql<Date>`now()` : null,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export interface ClaimedEvent extends InboxEvent {
  payload: Record<string, unknown>
  /**
   * When this attempt began, by the database's clock. Anything read from now on is newer than any
   * earlier reading.
   */
  claimedAt: Date
}

/**
 * Claims an event for `leaseSeconds`. Returns undefined when another worker holds it, it is done,
 * or it is not due. `attempts` already includes this attempt, so that an event that kills its
 * process is parked eventually.
 */
export async function claimInboxEvent(
  db: Db,
  id: string,
  leaseSeconds: number,
): Promise<ClaimedEvent | undefined> {
  return db
    .updateTable('webhook_inbox')
    .set((eb) => ({
      attempts: eb('attempts', '+', 1),
      lease_until: secondsFromNow(leaseSeconds),
    }))
    .where('id', '=', id)
    .where('state', 'in', ['received', 'failed'])
    .where(hasPassed('next_at'))
    .where(hasPassed('lease_until'))
    .returning(columns)
    .returning(['payload', clockTimestamp.as('claimedAt')])
    .$narrowType<{ payload: Record<string, unknown> }>()
    .executeTakeFirst()
}

/**
 * Writes the outcome of a try, unless an operator asked for a replay or another process took over
 * meanwhile.
 */
export async function finishInboxEvent(
  db: Db | Trx,
  event: { id: string; attempts: number },
  outcome: {
    state: 'applied' | 'skipped' | 'stale' | 'parked' | 'failed'
    note: string | null
    retrySeconds?: number
  },
): Promise<boolean> {
  const row = await db
    .updateTable('webhook_inbox')
    .set({
      state: outcome.state,
      note: outcome.note,
      lease_until: null,
      next_at: outcome.retrySeconds === undefined ? null : secondsFromNow(outcome.retrySeconds),
      finished_at: outcome.state === 'failed' ? null : clockTimestamp,
    })
    .where('id', '=', event.id)
    .where('attempts', '=', event.attempts)
    .where('state', 'in', ['received', 'failed'])
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Events that are due and unclaimed, oldest first. */
export async function findDueInboxEvents(db: Db, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('webhook_inbox')
    .select('id')
    .where('state', 'in', ['received', 'failed'])
    .where(hasPassed('next_at'))
    .where(hasPassed('lease_until'))
    .orderBy('received_at')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map((row) => row.id)
}

export function findInboxEvent(
  db: Db,
  id: string,
): Promise<(InboxEvent & { payload: Record<string, unknown> }) | undefined> {
  return db
    .selectFrom('webhook_inbox')
    .select(columns)
    .select('payload')
    .$narrowType<{ payload: Record<string, unknown> }>()
    .where('id', '=', id)
    .executeTakeFirst()
}

export type InboxEvent = Awaited<ReturnType<typeof listInboxEvents>>[number]

export interface InboxFilter {
  state?: WebhookState | undefined
  type?: string | undefined
  q?: string | undefined
  before?: string | undefined
  limit: number
}

/** Newest first, one row more than requested. */
export function listInboxEvents(db: Db, filter: InboxFilter) {
  let query = db.selectFrom('webhook_inbox').select(columns)
  if (filter.state) query = query.where('state', '=', filter.state)
  if (filter.type)
    query = query.where(
      'type',
      'like',
      `${escapeLike(filter.type)}${filter.type.includes('.') && !filter.type.endsWith('.') ? '' : '%'}`,
    )
  if (filter.q) {
    const pattern = `%${escapeLike(filter.q.toLowerCase())}%`
    query = query.where(({ eb, fn, or }) =>
      or([
        eb(fn('lower', ['id']), 'like', pattern),
        eb(fn('lower', ['object_id']), 'like', pattern),
      ]),
    )
  }
  if (filter.before) {
    // Read from the row of the cursor: a `Date` would lose its microseconds.
    query = query.where(
      sql<SqlBool>`(received_at, id) < (select b.received_at, b.id from webhook_inbox b where b.id = ${filter.before})`,
    )
  }
  return query
    .orderBy('received_at', 'desc')
    .orderBy('id', 'desc')
    .limit(filter.limit + 1)
    .execute()
}

const again = {
  state: 'received' as const,
  attempts: 0,
  next_at: null,
  lease_until: null,
  finished_at: null,
  note: null,
}

/**
 * Has an event worked on again from its first try. False when it is being worked on or waiting
 * anyway.
 */
export async function replayInboxEvent(trx: Trx, id: string): Promise<boolean> {
  const row = await trx
    .updateTable('webhook_inbox')
    .set(again)
    .where('id', '=', id)
    .where('state', 'in', ['applied', 'skipped', 'stale', 'failed', 'parked'])
    .where(hasPassed('lease_until'))
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Requeues all parked events and returns their ids. */
export async function replayParkedEvents(trx: Trx): Promise<string[]> {
  const rows = await trx
    .updateTable('webhook_inbox')
    .set(again)
    .where('state', '=', 'parked')
    .returning('id')
    .execute()
  return rows.map((row) => row.id)
}

export interface InboxFigures {
  waiting: number
  failing: number
  parked: number
  oldestWaitingSeconds: number | null
  lastReceivedAt: Date | null
  medianSeconds: number | null
  slowestSeconds: number | null
}

/** How the inbox is doing; times from receipt to effect are of the last day. */
export async function readInboxFigures(db: Db): Promise<InboxFigures> {
  // Plain SQL, for the percentile and the sums of one index each.
  const { rows } = await sql<InboxFigures>`
    select
      (select count(*)::int from webhook_inbox where state in ('received', 'failed')) as waiting,
      (select count(*)::int from webhook_inbox where state = 'failed') as failing,
      (select count(*)::int from webhook_inbox where state = 'parked') as parked,
      (select floor(extract(epoch from clock_timestamp() - min(received_at)))::int from webhook_inbox where state in ('received', 'failed'))
        as "oldestWaitingSeconds",
      (select max(received_at) from webhook_inbox) as "lastReceivedAt",
      round(percentile_cont(0.5) within group (order by seconds)::numeric, 3)::float8 as "medianSeconds",
      round(max(seconds)::numeric, 3)::float8 as "slowestSeconds"
    from (select extract(epoch from finished_at - received_at) as seconds from webhook_inbox
      where received_at > now() - interval '1 day' and state in ('applied', 'skipped', 'stale')) recent`.execute(
    db,
  )
  const figures = rows[0]
  if (!figures) throw new Error('an aggregate answers one row')
  return figures
}

/** Of events older than `days` only their hash is kept. Returns how many were emptied. */
export async function emptyOldPayloads(db: Db, days: number): Promise<number> {
  // Plain SQL, for the hash and jsonb's `?`.
  const { numAffectedRows } = await sql`
    update webhook_inbox set payload = jsonb_build_object('sha256', encode(sha256(convert_to(payload::text, 'UTF8')), 'hex'))
    where received_at < now() - make_interval(days => ${days}) and state in ('applied', 'skipped', 'stale', 'ignored_mode')
      and payload ? 'object'`.execute(db)
  return Number(numAffectedRows ?? 0)
}
