import { sql } from 'kysely'
import type { Db } from './connect.ts'

/** What is known of the request that holds a key. */
export interface IdempotentRequest {
  requestHash: string
  /** `abandoned`: it is running, and its lease has lapsed: its process has died. */
  state: 'running' | 'abandoned' | 'done'
  status: number | null
  /** The response body, encrypted; null when it was not stored. */
  sealed: Buffer | null
  /** The response body in clear text, as the previous version stored it. */
  body: string | null
}

/** The place of a request under an Idempotency-Key while it is carried out. */
export interface IdempotentRun {
  scope: string
  key: string
  run: string
}

/** How long a response is kept for replay. */
export const keptHours = 24

/** How long a request holds its key without extending the lease. */
export const idempotencyLeaseSeconds = 12

const leaseEnd = sql<Date>`now() + make_interval(secs => ${idempotencyLeaseSeconds})`
/**
 * The previous version wrote no lease: five minutes after its start, a request counts as abandoned.
 */
const abandoned = sql<boolean>`(state = 'running' and coalesce(lease_until, created_at + interval '5 minutes') < now())`

/**
 * Claims the key for one request. Returns undefined when another request holds it or has completed
 * under it. An expired key is free for any request, an abandoned one only for the same request.
 */
export async function beginIdempotent(
  db: Db,
  { scope, key, requestHash }: { scope: string; key: string; requestHash: string },
): Promise<IdempotentRun | undefined> {
  // Plain SQL: the condition of the update names both the kept and the new row.
  const taken = await sql<{ run: string }>`
    insert into idempotency_keys as kept (scope, key, request_hash, run, lease_until, expires_at)
    values (${scope}, ${key}, ${requestHash}, new_id(), ${leaseEnd}, now() + make_interval(hours => ${keptHours}))
    on conflict (scope, key) do update
      set request_hash = excluded.request_hash, state = 'running', status = null, body = null, sealed = null, run = excluded.run,
        lease_until = excluded.lease_until, created_at = now(), expires_at = excluded.expires_at
      where kept.expires_at < now() or (kept.request_hash = excluded.request_hash and kept.state = 'running'
        and coalesce(kept.lease_until, kept.created_at + interval '5 minutes') < now())
    returning run`.execute(db)
  const run = taken.rows[0]?.run
  return run === undefined ? undefined : { scope, key, run }
}

export async function findIdempotent(
  db: Db,
  scope: string,
  key: string,
): Promise<IdempotentRequest | undefined> {
  const row = await db
    .selectFrom('idempotency_keys')
    .select([
      'request_hash as requestHash',
      'state',
      'status',
      'sealed',
      'body',
      abandoned.as('abandoned'),
    ])
    .where('scope', '=', scope)
    .where('key', '=', key)
    .where('expires_at', '>=', sql<Date>`now()`)
    .executeTakeFirst()
  if (!row) return undefined
  const { requestHash, status, sealed, body } = row
  return {
    requestHash,
    status,
    sealed,
    body,
    state: row.abandoned ? 'abandoned' : row.state === 'running' ? 'running' : 'done',
  }
}

/** Extends the lease of a request that is still carried out. */
export async function extendIdempotent(db: Db, { scope, key, run }: IdempotentRun): Promise<void> {
  await db
    .updateTable('idempotency_keys')
    .set({ lease_until: leaseEnd })
    .where('scope', '=', scope)
    .where('key', '=', key)
    .where('run', '=', run)
    .where('state', '=', 'running')
    .execute()
}

/**
 * Stores the response for replay; `sealed` null stores only that there was one. Does nothing for a
 * request that lost its key. The state is `withheld` in either case: the previous version cannot
 * read `sealed` and reports that for this state.
 */
export async function finishIdempotent(
  db: Db,
  { scope, key, run }: IdempotentRun,
  response: { status: number; sealed: Buffer | null },
): Promise<void> {
  await db
    .updateTable('idempotency_keys')
    .set({ ...response, state: 'withheld', lease_until: null })
    .where('scope', '=', scope)
    .where('key', '=', key)
    .where('run', '=', run)
    .execute()
}

/** Frees the key of a request that carried nothing out, so that the same request may be retried. */
export async function releaseIdempotent(db: Db, { scope, key, run }: IdempotentRun): Promise<void> {
  await db
    .deleteFrom('idempotency_keys')
    .where('scope', '=', scope)
    .where('key', '=', key)
    .where('run', '=', run)
    .execute()
}

export async function deleteExpiredIdempotencyKeys(db: Db): Promise<number> {
  const result = await db
    .deleteFrom('idempotency_keys')
    .where('expires_at', '<', sql<Date>`now()`)
    .executeTakeFirst()
  return Number(result.numDeletedRows)
}
