import { randomUUID } from 'node:crypto'
import { migrationNames } from '@atrium/db/schema/migrate'
import { inject } from 'vitest'
import { type HardLock, hardLocksOf } from './migration-rules.ts'
import {
  openStagedDatabase,
  recordStatements,
  requiredColumns,
  type StagedDatabase,
  surfaceOf,
} from './migration-stages.ts'

export interface RecordedMigrations {
  /** What each migration sent, by its name. */
  sent: ReadonlyMap<string, readonly string[]>
  hardLocks: readonly HardLock[]
  /** What a migration takes from the version before it, or newly requires of it. */
  narrowed: readonly string[]
}

const allTables = `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'public' and c.relkind in ('r', 'p')`

/** An empty database on the server of the run, to which migrations are applied one by one. */
export const newDatabase = (): Promise<StagedDatabase> =>
  openStagedDatabase(inject('adminUrl'), `atrium_stages_${randomUUID().replaceAll('-', '')}`)

/** Applies every migration to a database of its own and records what it did. */
export async function recordMigrations(): Promise<RecordedMigrations> {
  const sent = new Map<string, string[]>()
  const hardLocks: HardLock[] = []
  const narrowed: string[] = []
  await using database = await newDatabase()
  let [surface, required] = [await surfaceOf(database), await requiredColumns(database)]
  for (const name of migrationNames) {
    const tables = new Set((await database.ask<{ name: string }>(allTables)).map((row) => row.name))
    const statements = await recordStatements(database, name)
    sent.set(name, statements)
    hardLocks.push(...hardLocksOf(name, statements, tables))
    const [after, nowRequired] = [await surfaceOf(database), await requiredColumns(database)]
    narrowed.push(
      ...[...surface]
        .filter((item) => !after.has(item))
        .map((item) => `${name} takes away ${item}`),
    )
    const ofOldTables = [...nowRequired].filter(
      (column) => tables.has(column.split('.')[0] ?? '') && !required.has(column),
    )
    narrowed.push(...ofOldTables.map((column) => `${name} requires ${column}`))
    ;[surface, required] = [after, nowRequired]
  }
  return { sent, hardLocks, narrowed }
}
