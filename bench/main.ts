import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startEmbeddedServer } from '@atrium/db/server/embedded'
import { freePort } from '@atrium/db/server/free-port'
import { createMigratedDatabase } from '@atrium/db/server/provision-database'
import { loadPopulation } from './data.ts'
import { startIssuer } from './issuer.ts'
import { describeMachine } from './machine.ts'
import { createNoiseGate } from './measure/noise-gate.ts'
import { stopAllProcesses } from './measure/process.ts'
import { seededRandom } from './measure/statistics.ts'
import { renderDetails, renderMachine, renderTable, verdictOf } from './report.ts'
import { measureAudit } from './rows/audit.ts'
import { measureBackground } from './rows/background.ts'
import { measureBookings } from './rows/bookings.ts'
import { measureDecisions } from './rows/decisions.ts'
import { measureGrowth } from './rows/growth.ts'
import { measureRequests } from './rows/http.ts'
import { measureReports } from './rows/reports.ts'
import type { RowResult } from './rows/result.ts'
import { measureSlots } from './rows/slots.ts'
import { measureStart } from './rows/start.ts'
import { measureTools } from './rows/tools.ts'
import { measureWorkplace } from './rows/workplace.ts'
import type { Session } from './session.ts'

const usage = `pnpm bench              every row
pnpm bench P1 P4        these rows
  --rounds 9            rounds per row; fewer than nine is a quick try
  --users 200000        size of the population
  --tenants 20000
  --audit-rows 1000000  entries in the audit log of P6 to P9; the goals are about 10,000,000
  --audit-server <url>  superuser of a PostgreSQL that keeps the log of P6 to P9 from run to run; loaded into it when it is not there
  --report-tenants 100000  tenants with three years of history in P12
  --growth 4,5,6        powers of ten that the rows GROWTH and DEPTH go through`

const known = [
  'P1',
  'P2',
  'P3',
  'P4',
  'P5',
  'P6',
  'P7',
  'P8',
  'P9',
  'P10',
  'P11',
  'P12',
  'P13',
  'P14',
  'P15',
  'P16',
  'M1',
  'M2',
  'M3',
  'M4',
  'M5',
  'M6',
  'M7',
  'S1',
  'S2',
  'S3',
  'GROWTH',
  'DEPTH',
]
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '9' },
    users: { type: 'string', default: '200000' },
    tenants: { type: 'string', default: '20000' },
    'audit-rows': { type: 'string', default: '1000000' },
    'audit-server': { type: 'string' },
    'report-tenants': { type: 'string', default: '100000' },
    growth: { type: 'string', default: '4,5,6' },
    help: { type: 'boolean', short: 'h' },
  },
})
const asked = positionals.map((name) => name.toUpperCase())
const unknown = asked.filter((name) => !known.includes(name))
const [rounds = 0, users = 0, tenants = 0, auditRows = 0, reportTenants = 0] = (
  ['rounds', 'users', 'tenants', 'audit-rows', 'report-tenants'] as const
).map((name) => Number(values[name]))
if (
  values.help ||
  unknown.length > 0 ||
  ![rounds, users, tenants, auditRows, reportTenants].every((n) => Number.isInteger(n) && n > 0)
) {
  process.stdout.write(
    `${unknown.length > 0 ? `There is no row ${unknown.join(', ')}.\n` : ''}${usage}\n`,
  )
  process.exit(values.help ? 0 : 64)
}
const powers = values.growth.split(',').map(Number)
if (!powers.every((power) => Number.isInteger(power) && power > 2 && power < 9)) {
  process.stdout.write(`--growth takes powers of ten such as 4,5,6.\n${usage}\n`)
  process.exit(64)
}
const requested = new Set(asked.length > 0 ? asked : known)
const say = (text: string) => process.stderr.write(`${text}\n`)

const began = performance.now()
const folder = await mkdtemp(join(tmpdir(), 'atrium-bench-'))
const server = await startEmbeddedServer({
  dataDir: `${folder}-postgres`,
  port: await freePort(),
  disposable: true,
  settings: ['shared_buffers=512MB', 'autovacuum=off'],
})
try {
  const accounts = await createMigratedDatabase(server.adminUrl, 'atrium')
  const adminOfDatabase = server.adminUrl.replace(/postgres$/, 'atrium')
  // Rows with their own data need no people in this database.
  const own = new Set([
    'P6',
    'P7',
    'P8',
    'P9',
    'P10',
    'P11',
    'P12',
    'M5',
    'M6',
    'S1',
    'S2',
    'S3',
    'GROWTH',
    'DEPTH',
  ])
  const visitorConcurrency = [...requested].some((row) => !own.has(row))
    ? { users, tenants }
    : { users: 100, tenants: 50 }
  const population = await loadPopulation(adminOfDatabase, visitorConcurrency)
  say(
    `${population.users} users, ${population.tenants} tenants, ${population.memberships} memberships (largest tenant ${population.largestTenant}), ` +
      `${Math.round(population.bytes / 1024 ** 2)} MiB, loaded in ${population.seconds.toFixed(1)} s`,
  )
  const session: Session = {
    rounds,
    random: seededRandom(20_261_121),
    gate: await createNoiseGate(60_000),
    issuer: await startIssuer(),
    adminUrl: server.adminUrl,
    accounts,
    population,
    folder,
    onRound: (round) => say(`round ${round} of ${rounds}`),
  }
  const machine = await describeMachine(server.adminUrl)
  const rows: RowResult[] = []
  if (['P1', 'P2', 'P3', 'P4', 'P5', 'P16'].some((row) => requested.has(row)))
    rows.push(...(await measureRequests(session, requested)))
  if (['P6', 'P7', 'P8', 'P9'].some((row) => requested.has(row)))
    rows.push(
      ...(await measureAudit(
        session,
        requested,
        { rows: auditRows, server: values['audit-server'] },
        say,
      )),
    )
  if (requested.has('P10')) rows.push(...(await measureSlots(session)))
  if (requested.has('P12')) rows.push(...(await measureReports(session, reportTenants, say)))
  if (requested.has('P13')) rows.push(...(await measureStart(session)))
  if (requested.has('P14')) rows.push(...(await measureBackground(session)))
  if (requested.has('P15')) rows.push(...(await measureTools(session)))
  if (['M5', 'M6'].some((row) => requested.has(row)))
    rows.push(...(await measureDecisions(session, requested)))
  if (['M1', 'M2', 'M3', 'M4', 'M7'].some((row) => requested.has(row)))
    rows.push(...(await measureWorkplace(session, requested)))
  if (['P11', 'S1', 'S2', 'S3'].some((row) => requested.has(row)))
    rows.push(...(await measureBookings(session, requested)))
  if (['GROWTH', 'DEPTH'].some((row) => requested.has(row)))
    rows.push(
      ...(await measureGrowth(
        session,
        requested,
        powers.map((power) => 10 ** power),
        say,
      )),
    )
  const noise = session.gate.summary()
  const seconds = Math.round((performance.now() - began) / 1000)
  process.stdout.write(
    `\n${renderMachine(machine)}\n${renderTable(rows)}\n\n${renderDetails(rows)}\n` +
      `\n${noise.slots} slots, ${noise.waited} waited for a quiet moment, ${noise.noisy} had to start without one; ${seconds} s in all\n`,
  )
  const results = join(import.meta.dirname, 'results')
  await mkdir(results, { recursive: true })
  await writeFile(
    join(results, 'latest.json'),
    `${JSON.stringify({ at: new Date().toISOString(), machine, population: { ...population, owners: undefined, consultants: undefined }, noise, seconds, rows: rows.map((row) => ({ ...row, verdict: verdictOf(row) })) }, null, 2)}\n`,
  )
  await session.gate.stop()
  await session.issuer.close()
} finally {
  await stopAllProcesses()
  await server.stop()
  await rm(`${folder}-postgres`, { recursive: true, force: true })
  await rm(folder, { recursive: true, force: true })
}
