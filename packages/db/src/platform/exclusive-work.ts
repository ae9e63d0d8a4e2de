import pg from 'pg'

/**
 * Runs work under an advisory lock that a connection of its own holds, which comes from no pool: so
 * the work may use the pools, however many wait for the lock. Rejects when the lock is not free
 * within 15 seconds.
 */
export async function workExclusively<Result>(
  config: pg.ClientConfig,
  {
    name,
    work,
    onError,
  }: { name: string; work: () => Promise<Result>; onError: (error: Error) => void },
): Promise<Result> {
  const client = new pg.Client({ ...config, statement_timeout: 15_000 })
  client.on('error', onError)
  await client.connect()
  try {
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [name])
    return await work()
  } finally {
    await client.end()
  }
}
