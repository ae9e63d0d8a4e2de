import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { seedDemo } from '@atrium/db/demo/demo'
import { openDatabase } from '@atrium/db/platform/connect'
import { startEmbeddedServer } from '@atrium/db/server/embedded'
import { freePort } from '@atrium/db/server/free-port'
import { createDatabase, createMigratedDatabase } from '@atrium/db/server/provision-database'
import { typeCheck } from '@atrium/testing/type-check'
import pg from 'pg'
import { type Contender, type Measured, runRounds } from '../measure/slots.ts'
import { median } from '../measure/statistics.ts'
import type { Session } from '../session.ts'
import type { RowResult } from './result.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
/** A check takes tens of seconds with the old compiler, and its times hardly vary. */
const typeCheckRounds = 3

/**
 * P15: the cost of a change before its tests run. `pnpm test` itself reports the wall clock of the
 * whole suite.
 */
export async function measureTools(session: Session): Promise<RowResult[]> {
  return [await measureTypeCheck(session), await measureTestDatabase(session)]
}

async function measureTypeCheck(session: Session): Promise<RowResult> {
  const errors = new Map<string, number>()
  const check = (
    name: string,
    compiler: string,
    how: Partial<typeof typeCheck> = {},
  ): Contender => ({
    name,
    async measure() {
      const began = performance.now()
      const output = await run(
        process.execPath,
        [compiler, ...(how.options ?? ['--noEmit']), '--pretty', 'false', '-p', 'tsconfig.json'],
        {
          cwd: root,
          env: { ...process.env, ...how.env },
          maxBuffer: 2 ** 26,
        },
      ).then(
        ({ stdout }) => stdout,
        // A tree with type errors takes as long to check, so what counts is that both compilers
        // went through it.
        (error: { code?: unknown; stdout?: string; stderr?: string }) => {
          if (error.code !== 1 && error.code !== 2)
            throw new Error(`${name} did not run: ${error.stderr ?? String(error)}`)
          return error.stdout ?? ''
        },
      )
      errors.set(name, output.match(/error TS\d+/g)?.length ?? 0)
      return { callsPerSecond: 1000 / (performance.now() - began) }
    },
  })
  const names = { own: 'TypeScript 7', peer: 'TypeScript 5.9' }
  const contenders = [
    check(names.own, compilerOf('typescript', root), typeCheck),
    check(names.peer, compilerOf('typescript-5', import.meta.dirname)),
  ]
  const { measured, failures } = await runRounds(contenders, {
    ...session,
    rounds: Math.min(session.rounds, typeCheckRounds),
  })
  const seconds = (name: string) =>
    (measured.get(name) ?? []).map((figures) => 1 / figures.callsPerSecond)
  const failure = [...failures].map(([name, reason]) => `${name}: ${reason}`).join('; ')
  const counts = [names.own, names.peer].map(
    (name) => `${name} ${median(seconds(name)).toFixed(1)} s and ${errors.get(name) ?? 0} errors`,
  )
  return {
    row: 'P15a',
    what: 'type check of the servers, wall clock',
    peer: 'TypeScript 5.9, same tree',
    unit: 'x',
    direction: 'at most',
    reach: 0.35,
    beyond: 0.3,
    values: failure ? [] : ratios(measured, names.own, names.peer),
    note: failure || counts.join(', '),
  }
}

/** `bin/tsc` of a package, as seen from a folder. */
function compilerOf(name: string, from: string): string {
  return join(dirname(createRequire(join(from, 'x.js')).resolve(`${name}/package.json`)), 'bin/tsc')
}

/**
 * A fresh database for a test file: a copy of the migrated template, against emptying every table
 * of a used one.
 */
async function measureTestDatabase(session: Session): Promise<RowResult> {
  const dataDir = `${session.folder}-suite`
  const server = await startEmbeddedServer({ dataDir, port: await freePort(), disposable: true })
  try {
    return await compareTestDatabases(session, server.adminUrl)
  } finally {
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** On a server of its own, as the tests start it: the other one holds the population. */
async function compareTestDatabases(session: Session, adminUrl: string): Promise<RowResult> {
  const template = 'template_of_run'
  const used = 'used'
  await createMigratedDatabase(adminUrl, template)
  const { appUrl } = await createMigratedDatabase(adminUrl, used)
  const client = new pg.Client({ connectionString: adminUrl.replace(/postgres$/, used) })
  const database = openDatabase({ url: appUrl, onError: () => {} })
  await client.connect()
  try {
    // The triggers that keep the audit log append-only would reject, even to a superuser.
    await client.query('set session_replication_role = replica')
    const { rows } = await client.query<{ name: string }>(`
      select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname not in ('pg_catalog', 'information_schema') and tablename not like 'kysely_%' and tablename not in ('version', 'queue')`)
    let serial = 0
    const timed = (
      name: string,
      prepare: () => Promise<unknown>,
      work: () => Promise<unknown>,
    ): Contender => ({
      name,
      async measure() {
        await prepare()
        const began = performance.now()
        await work()
        return { callsPerSecond: 1000 / (performance.now() - began) }
      },
    })
    const copy = () => createDatabase(adminUrl, `copy_${++serial}`, { template })
    const truncate = () =>
      client.query(`truncate ${rows.map((row) => row.name).join(', ')} restart identity cascade`)
    const fill = () => seedDemo(database.db, 'tenants.local')
    const contenders = [
      timed('copy', fill, copy),
      timed('truncate', fill, truncate),
      timed('truncate again', fill, truncate),
    ]
    for (const { measure } of contenders) await measure()
    const { measured } = await runRounds(contenders, session)
    const ms = (name: string) =>
      Math.round(median((measured.get(name) ?? []).map((figures) => 1000 / figures.callsPerSecond)))
    return {
      row: 'P15b',
      what: 'database per test file',
      peer: `truncate of ${rows.length} tables`,
      unit: 'x',
      direction: 'at most',
      reach: 0.35,
      beyond: 0.2,
      values: ratios(measured, 'copy', 'truncate'),
      nullTest: ratios(measured, 'truncate', 'truncate again'),
      note: `copy ${ms('copy')} ms; it goes with the server of the run. Truncate ${ms('truncate')} ms`,
    }
  } finally {
    await client.end()
    await database.close()
  }
}

/** Times of one against times of the other, round by round. */
function ratios(measured: Measured, own: string, peer: string): number[] {
  const peers = measured.get(peer) ?? []
  return (measured.get(own) ?? []).map(
    (figures, i) => (peers[i]?.callsPerSecond ?? Number.NaN) / figures.callsPerSecond,
  )
}
