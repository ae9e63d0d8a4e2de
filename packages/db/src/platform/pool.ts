import pg from 'pg'

/**
 * A pool whose lost connections end no process. pg takes its own handler away from a connection
 * that is in use, and one that is lost between two statements of a transaction would then throw
 * where nobody can catch it; so each connection has a handler of its own for all its life.
 */
export function openPool(config: pg.PoolConfig, onError: (error: Error) => void): pg.Pool {
  const pool = new pg.Pool(config)
  pool.on('connect', (client) => void client.on('error', onError))
  // Tells of idle connections alone, whose loss `onError` has heard of.
  pool.on('error', () => undefined)
  return pool
}
