import { mkdir, writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { freePort } from '@atrium/db/server/free-port'
import { buildApp } from '@atrium/testing/build'
import { checkCitus } from './citus.ts'
import { type ScaleOptions, startScaledTestApp } from './cluster.ts'
import { checkManyTenants, manyTenants } from './many-tenants.ts'
import { checkPatroni } from './patroni.ts'
import { startPatroniCluster } from './patroni-cluster.ts'
import { findPatroni } from './patroni-programs.ts'
import { findPooler } from './pooler.ts'
import { checkPooler } from './pooler-reads.ts'
import { checkPortals } from './portals.ts'
import { checkReplica } from './replica-reads.ts'
import { type Check, checkSharedState } from './shared-state.ts'
import { checkThroughput } from './throughput.ts'

const known = ['processes', 'standby', 'pooler', 'patroni', 'citus', 'tenants']
const usage = `pnpm scale                several processes, a standby and a pooler on this machine, and what must hold with them
pnpm scale standby        one part: ${known.join(', ')}
  --processes 2           of the API
  --without-throughput    leave out what wants a quiet machine
  --kills 20              of a leader, in the part patroni
PGBOUNCER=/path pnpm scale    the PgBouncer to use, 1.21 or newer; without one that part is left out, and says so
PATRONI=/path ETCD=/path HAPROXY=/path PG_BIN=/folder    for the part patroni, where they are not on the path
CITUS_URL=postgres://…    an empty database of a Citus coordinator, as superuser; without one that part is left out`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    processes: { type: 'string', default: '2' },
    kills: { type: 'string', default: '20' },
    'without-throughput': { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h' },
  },
})
const processes = Number(values.processes)
const kills = Number(values.kills)
const unknown = positionals.filter((name) => !known.includes(name))
const valid = Number.isInteger(processes) && processes >= 2 && Number.isInteger(kills) && kills > 0
if (values.help || !valid || unknown.length > 0) {
  process.stdout.write(`${usage}\n`)
  process.exit(values.help ? 0 : 64)
}

const requested = new Set(positionals.length > 0 ? positionals : known)
const root = join(import.meta.dirname, '../..')
const say = (text: string) => process.stderr.write(`${text}\n`)
const sections: { title: string; checks: Check[] }[] = []
const began = performance.now()

let open: AsyncDisposable | undefined
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    const leave = () => process.exit(1)
    Promise.resolve(open?.[Symbol.asyncDispose]()).then(leave, leave)
  })
}

/**
 * One part on servers and processes of its own. A part that breaks off is a failure with its
 * reason; the others go on.
 */
async function part(
  title: string,
  options: ScaleOptions,
  run: (scaled: Awaited<ReturnType<typeof startScaledTestApp>>) => Promise<Check[]>,
) {
  say(title)
  const checks: Check[] = []
  try {
    await using scaled = await startScaledTestApp({ processes, ...options })
    open = scaled
    checks.push(...(await run(scaled)))
  } catch (error) {
    checks.push({
      what: 'it ran to the end',
      measured: error instanceof Error ? error.message : String(error),
      holds: false,
    })
  }
  finish(title, checks)
}

function finish(title: string, checks: Check[]): void {
  sections.push({ title, checks })
  const verdict = ({ holds }: Check) =>
    holds === null ? 'not tried' : holds ? 'holds    ' : 'FAILS    '
  process.stdout.write(
    `\n${title}\n${checks.map((check) => `  ${verdict(check)} ${check.what}\n            ${check.measured}`).join('\n')}\n`,
  )
}

if (requested.has('processes') || requested.has('pooler')) await buildApp('portal')
const portalPort = await freePort()
const portalOrigin = `http://localhost:${portalPort}`
if (requested.has('processes')) {
  await part(`${processes} processes on one database`, { portalOrigin }, async (scaled) => [
    ...(await checkSharedState(scaled)),
    ...(await checkPortals(scaled, portalPort)),
    ...(values['without-throughput'] ? [] : [await checkThroughput(scaled)]),
  ])
}
if (requested.has('standby'))
  await part(
    'with a standby that reports and audit searches are read from',
    { standby: true },
    checkReplica,
  )
if (requested.has('pooler')) await throughPooler()
if (requested.has('tenants')) {
  const title = `${manyTenants.tenants} tenants with ${manyTenants.users} people`
  say(title)
  finish(title, await checkManyTenants())
}
if (requested.has('patroni')) await onPatroni()
if (requested.has('citus')) await onCitus()

async function onPatroni(): Promise<void> {
  const programs = await findPatroni()
  if ('missing' in programs) {
    finish('on a Patroni', [{ what: 'a failover', measured: programs.missing, holds: null }])
    return
  }
  await alone(`on ${programs.versions}`, async () => {
    await using cluster = await startPatroniCluster(programs)
    open = cluster
    return await checkPatroni(cluster, kills)
  })
}

async function onCitus(): Promise<void> {
  const title = 'distributed by tenant on a Citus'
  const url = process.env.CITUS_URL
  if (url === undefined) {
    finish(title, [
      { what: 'the schema', measured: 'not tried: CITUS_URL is not set', holds: null },
    ])
    return
  }
  await alone(title, () => checkCitus(url))
}

/** One part that brings its own servers. */
async function alone(title: string, run: () => Promise<Check[]>): Promise<void> {
  say(title)
  finish(
    title,
    await run().catch((error: unknown) => [
      {
        what: 'it ran to the end',
        measured: error instanceof Error ? error.message : String(error),
        holds: false,
      },
    ]),
  )
}

async function throughPooler(): Promise<void> {
  const pooler = await findPooler()
  if ('missing' in pooler) {
    finish('through PgBouncer in transaction mode', [
      { what: 'all of the above', measured: pooler.missing, holds: null },
    ])
    return
  }
  const title = `through PgBouncer ${pooler.version} in transaction mode`
  await part(title, { pooler: pooler.program, portalOrigin }, async (scaled) => [
    ...(await checkSharedState(scaled)),
    ...(await checkPortals(scaled, portalPort)),
    ...(await checkPooler(scaled)),
  ])
}

const machine = {
  cores: cpus().length,
  cpu: cpus()[0]?.model,
  memoryGiB: Math.round(totalmem() / 1024 ** 3),
  node: process.version,
}
const results = join(root, 'tests/results')
await mkdir(results, { recursive: true })
const seconds = Math.round((performance.now() - began) / 1000)
await writeFile(
  join(results, 'scale.json'),
  `${JSON.stringify({ at: new Date().toISOString(), machine, seconds, sections }, null, 2)}\n`,
)
process.exitCode = sections.some(
  ({ checks }) => checks.length === 0 || checks.some(({ holds }) => holds === false),
)
  ? 1
  : 0
