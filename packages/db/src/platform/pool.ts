import pg from 'pg'

/**
 * A pool whose lost connections do not end the process. pg removes its own error handler from a
 * connection in use, and a connection lost between two statements of a transaction would then throw
 * an uncaught error. So each connection has a handler of its own for its whole life.
 */
export function openPool(config: pg.PoolConfig, onError: (error: Error) => void): pg.Pool {
  const pool = new pg.Pool(config)
  pool.on('connect', (client) => void client.on('error', onError))
  // Tells of idle connections alone, whose loss `onError` has heard of.
  pool.on('error', () => undefined)
  return pool
}
