import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { copyDatabase } from '@atrium/testing/postgres/database'
import pg from 'pg'
import { expect, it } from 'vitest'

/**
 * Tables by the row of docs/how-to/operate.md that says how long they are kept. `jobs.*` stands for
 * the job engine's.
 */
async function described(): Promise<Map<string, string>> {
  const text = await readFile(
    join(import.meta.dirname, '../../../../docs/how-to/operate.md'),
    'utf8',
  )
  const [, section = ''] =
    /^## What is kept how long\n([\s\S]*?)(?=^## |(?![\s\S]))/m.exec(text) ?? []
  const found = new Map<string, string>()
  for (const line of section.split('\n').filter((one) => /^\| `/.test(one))) {
    const [, tables = '', kept = ''] = line.split('|')
    for (const [, name = ''] of tables.matchAll(/`([a-z_]+(?:\.\*)?)`/g)) {
      expect(found.has(name), `${name} is described twice`).toBe(false)
      found.set(name, kept.trim())
    }
  }
  return found
}

it('every table of the database has a written rule of how long its rows are kept, and no rule is about a table that is gone', async () => {
  await using database = await copyDatabase()
  const client = new pg.Client({ connectionString: database.ownerUrl })
  await client.connect()
  // Partitions are told with the table that they are parts of.
  const { rows } = await client
    .query<{ schema: string; name: string }>(
      `select n.nspname as schema, c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind in ('r', 'p') and not c.relispartition and n.nspname not in ('pg_catalog', 'information_schema')`,
    )
    .finally(() => client.end())
  const names = new Set(
    rows.map(({ schema, name }) => (schema === 'public' ? name : `${schema}.*`)),
  )
  expect(names.size).toBeGreaterThan(60)
  const rules = await described()
  expect([...rules.keys()].sort()).toEqual([...names].sort())
  for (const [name, kept] of rules) expect(kept.length, name).toBeGreaterThan(3)
})
