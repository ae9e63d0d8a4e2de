import { applyMigrations, migrationNames } from '@atrium/db/schema/migrate'
import { inFull, recordMeasurement } from '@atrium/testing/measurements'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readableTables, type StagedDatabase, seeds } from './migration-stages.ts'
import { newDatabase, type RecordedMigrations, recordMigrations } from './recorded-migrations.ts'
import { startTableLoad } from './table-load.ts'

const longTransactionMs = inFull ? 2_500 : 650
/** In full that of the service's reads by key; every day nothing is judged by the clock. */
const limitMs = inFull ? 1_000 : 15_000
/** Whether a migration touches a table that was there before it, by the statements it sent. */
function touchesOldTables(statements: readonly string[]): boolean {
  const made = new Set(
    statements.flatMap((text) =>
      [...text.matchAll(/create (?:unlogged )?table ([a-z_]+)/gi)].map(([, table]) => table),
    ),
  )
  return statements.some((text) =>
    [
      ...text.matchAll(
        /(?:alter table|create (?:unique )?index \S+ on|trigger \S+[^;]*? on|insert into|update|delete from) ([a-z_]+)/gi,
      ),
    ].some(([, table]) => !made.has(table)),
  )
}

describe('every migration under load, while a long transaction is open', () => {
  let recorded: RecordedMigrations
  let database: StagedDatabase
  beforeAll(async () => {
    recorded = await recordMigrations()
    database = await newDatabase()
  }, 120_000)
  afterAll(() => database[Symbol.asyncDispose]())

  it('fails no request', async () => {
    const { narrowed } = recorded
    const failed: string[] = []
    const ratios: number[] = []
    let statements = 0
    let longestWait = 0
    for (const name of migrationNames) {
      // In short those that only make tables of their own are applied in between.
      if (name > '0003-audit' && (inFull || touchesOldTables(recorded.sent.get(name) ?? []))) {
        const told = await migrateUnderLoad(database, name)
        failed.push(...told.failed.map((sentence) => `${name}: ${sentence}`))
        ratios.push(told.ratio)
        statements += told.statements
        longestWait = Math.max(longestWait, told.longestMs)
      } else await applyMigrations(database.accounts.ownerUrl, { to: name })
      const seed = seeds[name]
      if (seed) await database.ask(seed)
    }
    const worst = Math.max(...ratios)
    await recordMeasurement({
      target: 'R11',
      what: 'migrations one by one under reads and writes, a transaction of the service open on every table',
      measured:
        `${ratios.length} migrations of ${migrationNames.length}, ${failed.length} of ${statements} statements failed, ` +
        `worst p99 ${worst.toFixed(1)}× of before, longest wait ${longestWait.toFixed(0)} ms`,
      // The everyday form counts too few statements for a percentile that says anything.
      reached: failed.length === 0 && (!inFull || worst <= 3),
    })
    await recordMeasurement({
      target: 'R11',
      what: 'the version before on the new schema, by what it asks for: columns, types, functions, rights, required values',
      measured: `${migrationNames.length} migrations, ${narrowed.length} things taken away or newly required`,
      reached: narrowed.length === 0,
    })
    expect(ratios.length).toBeGreaterThan(4)
    expect(statements).toBeGreaterThan(200)
    expect(failed).toEqual([])
    expect(await applyMigrations(database.accounts.ownerUrl)).toEqual([])
  })
})

async function migrateUnderLoad(database: StagedDatabase, name: string) {
  const tables = (await readableTables(database)).map((table) => table.name)
  const load = startTableLoad(database.accounts.appUrl, tables, limitMs)
  const wait = (ms: number) => new Promise((done) => setTimeout(done, ms))
  await wait(inFull ? 500 : 50)
  load.mark()
  await wait(inFull ? 2_000 : 150)
  const before = load.mark()
  const open = await openLongTransaction(database.accounts.appUrl, tables)
  const released = wait(longTransactionMs).then(() => open.end())
  const applied = await applyMigrations(database.accounts.ownerUrl, { to: name })
  await released
  await wait(inFull ? 500 : 50)
  const during = load.mark()
  await load.stop()
  expect(applied).toEqual([name])
  return {
    failed: load.failed,
    ratio: percentile(during, 0.99) / percentile(before, 0.99),
    statements: before.length + during.length,
    longestMs: Math.max(...during),
  }
}

/** A transaction that reads every table and stays open. */
async function openLongTransaction(url: string, tables: readonly string[]): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('begin')
  for (const table of tables)
    await client.query(`select 1 from ${pg.escapeIdentifier(table)} limit 1`)
  return client
}

function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? Number.NaN
}
