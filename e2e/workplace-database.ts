import pg from 'pg'
import { inject } from 'vitest'

/** Runs statements on the database of the workplace, for what no page can create. */
export async function runSql(...statements: readonly string[]): Promise<void> {
  const client = new pg.Client(inject('workplace').database)
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}
