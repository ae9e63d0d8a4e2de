import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { TenantTrx } from '@atrium/db/tenants/tenants'
import type { Services } from './services.ts'

/** Transactions of one tenant that may wait in a process. */
export const mostWaiting = 500

/**
 * Runs a transaction that locks the row of a tenant. Within a process, those of the same tenant run
 * one after another and wait before they take a connection: waiters for the lock would otherwise
 * hold all connections of the pool, and all other requests would wait for them. Do not nest. Throws
 * AppError `rate_limited` when `mostWaiting` are waiting already.
 */
export async function tenantTransaction<Result>(
  { database, keyedLimiter }: Pick<Services, 'database' | 'keyedLimiter'>,
  tenantId: string,
  run: (trx: TenantTrx) => Promise<Result>,
): Promise<Result> {
  const key = `tenant ${tenantId}`
  if (keyedLimiter.waiting(key) >= mostWaiting)
    throw new AppError('rate_limited', errorText('tooManyWaiting'), { retryAfterSeconds: 1 })
  // The cast is what this function vouches for: the transaction runs in the tenant's turn.
  return keyedLimiter.take(key, () =>
    database.db.transaction().execute((trx) => run(trx as TenantTrx)),
  )
}
