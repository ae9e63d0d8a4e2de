import pg from 'pg'
import { expect, vi } from 'vitest'

/**
 * Resolves once at least `count` statements in the database wait for a lock. Asks on a connection
 * of its own: those that wait may have taken every other.
 */
export async function lockIsWaitedFor(databaseUrl: string | undefined, count = 1): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await vi.waitFor(
      async () => {
        const { rows } = await client.query<{ waiting: number }>(
          `select count(*)::int as waiting from pg_stat_activity
            where wait_event_type = 'Lock' and datname = current_database()`,
        )
        expect(rows[0]?.waiting).toBeGreaterThanOrEqual(count)
      },
      { timeout: 20_000, interval: 25 },
    )
  } finally {
    await client.end()
  }
}
