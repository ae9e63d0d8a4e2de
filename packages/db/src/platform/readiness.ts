import { CompiledQuery } from 'kysely'
import type { Db } from './connect.ts'
import { jobSchema } from './jobs.ts'

/**
 * What readiness asks the database. `kysely_migration` and the schema of the job engine are not
 * ours, so the types of our tables do not know them.
 */

/** Throws when the database does not respond. */
export async function pingDatabase(db: Db): Promise<void> {
  await db.executeQuery(CompiledQuery.raw('select 1'))
}

/** The name of the newest migration that was applied; undefined before the first one. */
export async function findNewestMigration(db: Db): Promise<string | undefined> {
  const { rows } = await db.executeQuery<{ name: string }>(
    CompiledQuery.raw('select name from kysely_migration order by name desc limit 1'),
  )
  return rows[0]?.name
}

/** Whether the job engine has been installed. Throws where its schema is not there. */
export async function hasJobEngine(db: Db): Promise<boolean> {
  const { rows } = await db.executeQuery(
    CompiledQuery.raw(`select version from ${jobSchema}.version`),
  )
  return rows.length > 0
}
