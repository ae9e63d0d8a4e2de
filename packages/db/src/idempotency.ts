import { sql } from 'kysely'
import type { Db } from './connect.ts'

export interface StoredAnswer {
  requestHash: string
  state: 'running' | 'done' | 'withheld'
  status: number | null
  body: string | null
}

/** How long an answer is kept for replay. */
export const keptHours = 24

/**
 * Takes the key for one request. Undefined when it is ours to carry out; otherwise what stands under the key. A key whose time
 * is over, or whose request was begun five minutes ago and never answered (its process died), is taken anew.
 */
export async function beginIdempotent(db: Db, scope: string, key: string, requestHash: string): Promise<StoredAnswer | undefined> {
  const taken = await sql<{ key: string }>`
    insert into idempotency_keys (scope, key, request_hash, expires_at)
    values (${scope}, ${key}, ${requestHash}, now() + make_interval(hours => ${keptHours}))
    on conflict (scope, key) do update
      set request_hash = excluded.request_hash, state = 'running', status = null, body = null, created_at = now(), expires_at = excluded.expires_at
      where idempotency_keys.expires_at < now()
        or (idempotency_keys.state = 'running' and idempotency_keys.created_at < now() - interval '5 minutes'
          and idempotency_keys.request_hash = excluded.request_hash)
    returning key`.execute(db)
  if (taken.rows.length > 0) return undefined
  return findIdempotent(db, scope, key)
}

export async function findIdempotent(db: Db, scope: string, key: string): Promise<StoredAnswer | undefined> {
  return db
    .selectFrom('idempotency_keys')
    .select(['request_hash as requestHash', 'state', 'status', 'body'])
    .where('scope', '=', scope)
    .where('key', '=', key)
    .executeTakeFirst()
}

/** Keeps the answer for replay; `body` null keeps only the fact that there was one, for answers with a one-time secret. */
export async function finishIdempotent(db: Db, scope: string, key: string, status: number, body: string | null): Promise<void> {
  await db
    .updateTable('idempotency_keys')
    .set({ state: body === null ? 'withheld' : 'done', status, body })
    .where('scope', '=', scope)
    .where('key', '=', key)
    .execute()
}

/** Frees the key after a failure that carried nothing out, so that the same request may be tried again. */
export async function releaseIdempotent(db: Db, scope: string, key: string): Promise<void> {
  await db.deleteFrom('idempotency_keys').where('scope', '=', scope).where('key', '=', key).where('state', '=', 'running').execute()
}

export async function deleteExpiredIdempotencyKeys(db: Db): Promise<number> {
  const result = await db.deleteFrom('idempotency_keys').where('expires_at', '<', sql<Date>`now()`).executeTakeFirst()
  return Number(result.numDeletedRows)
}
