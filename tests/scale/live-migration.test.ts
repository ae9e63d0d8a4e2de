import { randomUUID } from 'node:crypto'
import { applyMigrations, migrationNames } from '@atrium/db/schema/migrate'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { inFull, recordMeasurement } from '../measurements.ts'
import { type HardLock, hardLocksOf, remedyOf } from './migration-rules.ts'
import {
  openStagedDatabase,
  readableTables,
  recordStatements,
  requiredColumns,
  type StagedDatabase,
  seeds,
  surfaceOf,
} from './migration-stages.ts'
import { startTableLoad } from './table-load.ts'

// What was done before any database was in use. Nothing is added here: what to write instead stands
// in migration-rules.ts.
const beforeFirstUse: readonly string[] = [
  '0005-members: memberships, validated in the transaction that adds it',
  '0005-members: memberships, rows filled under the lock of the change',
  '0005-members: memberships, index without concurrently',
  '0005-members: users, foreign key that is checked at once',
  '0005-members: users, rows filled under the lock of the change',
  '0005-members: users, index without concurrently',
  '0006-domains: domains, constraint that is checked at once',
  '0006-domains: domains, column whose default is computed per row',
  '0006-domains: domains, rows filled under the lock of the change',
  '0006-domains: domains, index without concurrently',
  '0011-partners: partners, constraint that is checked at once',
  '0011-partners: partners, index without concurrently',
  '0011-partners: users, constraint that is checked at once',
  '0011-partners: users, rows filled under the lock of the change',
  '0011-partners: users, validated in the transaction that adds it',
  '0015-reports: subscription_history, index without concurrently',
  '0018-domain-claims: domains, validated in the transaction that adds it',
  '0018-flag-guards: flags, constraint that is checked at once',
  '0018-flag-guards: provisioning_steps, index without concurrently',
  '0019-audit-chain: audit_events, index without concurrently',
  '0020-scheduling: outbox, foreign key that is checked at once',
  '0020-scheduling: outbox, index without concurrently',
  '0021-seat-mode: tenants, validated in the transaction that adds it',
]

const longTransactionMs = inFull ? 2_500 : 650
/** In full that of the service's reads by key; every day nothing is judged by the clock. */
const limitMs = inFull ? 1_000 : 15_000
const newDatabase = () =>
  openStagedDatabase(inject('adminUrl'), `atrium_stages_${randomUUID().replaceAll('-', '')}`)
/** What each migration sent, by its name. */
const sent = new Map<string, string[]>()
const hardLocks: HardLock[] = []
const narrowed: string[] = []

beforeAll(async () => {
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
}, 120_000)

const allTables = `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'public' and c.relkind in ('r', 'p')`

/** Whether a migration touches a table that was there before it, by what it sent. */
function touchesOldTables(name: string): boolean {
  const statements = sent.get(name) ?? []
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

describe('what a migration does to tables that are in use', () => {
  it('no new one takes a strong lock for longer than a moment', () => {
    expect(sent.size).toBe(migrationNames.length)
    expect([...sent.values()].flat().length).toBeGreaterThan(200)
    const told = hardLocks.map(({ migration, rule, table }) => `${migration}: ${table}, ${rule}`)
    expect(told, hardLocks.map(({ rule }) => remedyOf(rule)).join('\n')).toEqual(beforeFirstUse)
  })

  it('the rules find what they are about', () => {
    const found = (text: string) =>
      hardLocksOf('x', [text], new Set(['tenants'])).map(({ rule }) => rule)
    expect(found('create index tenants_plan on tenants (plan)')).toEqual([
      'index without concurrently',
    ])
    expect(found('create index fresh_plan on fresh (plan)')).toEqual([])
    expect(found('alter table tenants add constraint c check (seats > 0)')).toEqual([
      'constraint that is checked at once',
    ])
    expect(
      found(
        'alter table tenants add constraint c check (seats > 0) not valid; alter table tenants validate constraint c',
      ),
    ).toEqual(['validated in the transaction that adds it'])
    expect(found('alter table tenants add constraint c check (seats > 0) not valid')).toEqual([])
    expect(found('alter table tenants add column ref uuid default gen_random_uuid()')).toEqual([
      'column whose default is computed per row',
    ])
    expect(found(`alter table tenants add column mode text not null default 'fixed'`)).toEqual([])
    expect(found('alter table tenants add column p uuid references partners')).toEqual([
      'foreign key that is checked at once',
    ])
    expect(found('alter table tenants alter column plan set not null')).toEqual([
      'not null without a validated check',
    ])
    expect(found('alter table tenants alter column seats type bigint')).toEqual([
      'type of a column changed',
    ])
    expect(found('alter table tenants rename column plan to tier')).toEqual([
      'column, table or constraint renamed',
    ])
    expect(found(`alter table tenants add column note text; update tenants set note = ''`)).toEqual(
      ['rows filled under the lock of the change'],
    )
    expect(found(`update tenants set name = ''`)).toEqual([])
    expect(found('alter table tenants drop column plan')).toEqual(['column dropped'])
  })

  it('takes nothing away that the version before asks for, and asks for nothing that it does not bring', () => {
    expect(narrowed).toEqual([])
  })
})

describe('every migration under load, while a long transaction is open', () => {
  let database: StagedDatabase
  beforeAll(async () => {
    database = await newDatabase()
  })
  afterAll(() => database[Symbol.asyncDispose]())

  it('fails nobody', async () => {
    const failed: string[] = []
    const ratios: number[] = []
    let statements = 0
    let longestWait = 0
    for (const name of migrationNames) {
      // In short those that only make tables of their own are applied in between.
      if (name > '0003-audit' && (inFull || touchesOldTables(name))) {
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

/** Somebody who reads in every table and does not come to an end. */
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
