import type { ScaledTestApp } from './cluster.ts'
import { startLoad } from './load.ts'
import { poolSize } from './pooler.ts'
import { type Check, oneAtATime } from './shared-state.ts'

/**
 * What is particular to a pooler: connections to the server stay few, and nothing needs a session
 * that it does not have.
 */
export async function checkPooler(scaled: ScaledTestApp): Promise<Check[]> {
  return oneAtATime([checkLoad, checkReports, checkComplaints].map((check) => () => check(scaled)))
}

async function checkLoad(scaled: ScaledTestApp): Promise<Check> {
  const load = await startLoad(scaled, { readers: 12, pauseMs: 1 })
  await new Promise((done) => setTimeout(done, 8_000))
  const pooled = (await scaled.pooler?.serverConnections()) ?? 0
  const [held] = await scaled.database.ask<{ count: number }>(
    scaled.database.primary,
    `select count(*)::int as count from pg_stat_activity where usename = 'atrium_api'`,
  )
  await load.stop()
  return {
    what: 'reads, creates and streams under load',
    measured:
      `${load.reads} reads and ${load.created.size} creates, ${load.failed.length} failed; ` +
      `the pooler holds ${pooled} connections to the server for ${scaled.processes.length} processes, ${(held?.count ?? 0) - pooled} are direct`,
    holds:
      load.failed.length === 0 &&
      load.reads > 0 &&
      load.created.size > 0 &&
      pooled > 0 &&
      pooled <= poolSize,
  }
}

async function checkReports(scaled: ScaledTestApp): Promise<Check> {
  const token = await scaled.testApp.token('operator@atrium.test')
  const paths = [
    '/reports/mrr',
    '/reports/top-tenants',
    '/reports/revenue-by-plan',
    '/audit?limit=5',
    '/audit/export?format=ndjson',
  ]
  const statuses = await Promise.all(
    paths.map(async (path) => (await scaled.send('GET', path, { token })).status),
  )
  return {
    what: 'reports, audit search and export',
    measured: paths.map((path, i) => `${path} ${statuses[i]}`).join(', '),
    holds: statuses.every((status) => status === 200),
  }
}

/** The server reports whatever a pooler breaks as an error, and the service logs it. */
async function checkComplaints(scaled: ScaledTestApp): Promise<Check> {
  const lines = scaled.processes
    .flatMap(({ log }) => log)
    .filter((line) => /"level":"(warn|error|fatal)"/.test(line))
  const kinds = new Set(lines.map((line) => complaintOf(line)))
  return {
    what: 'no process complains of what a pooler does not have',
    measured:
      kinds.size === 0 ? 'no warning and no error in the logs' : [...kinds].slice(0, 5).join('; '),
    holds: ![...kinds].some((kind) =>
      /prepared|startup|advisory|listen|bind|protocol|session/i.test(kind),
    ),
  }
}

function complaintOf(line: string): string {
  const { msg, err } = JSON.parse(line) as { msg?: string; err?: { message?: string } }
  return [msg, err?.message].filter(Boolean).join(': ')
}
