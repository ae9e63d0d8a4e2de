import { loadAuditRows } from '@atrium/bench/audit-data'
import { loadPopulation } from '@atrium/bench/data'
import { loadSubscriptions } from '@atrium/bench/subscription-data'
import { limitNames } from '@atrium/core/platform/limits'
import { prepareBrowser } from '@atrium/e2e/browser'
import { startWorkplace } from '@atrium/e2e/workplace'
import pg from 'pg'
import { checkJobWindows } from './job-windows.ts'
import { checkListChanges } from './list-changes.ts'
import { checkOperatorPages } from './operator-pages.ts'
import { type Check, oneAtATime } from './shared-state.ts'

export const manyTenants = { tenants: 10_000, users: 200_000, partners: 50, auditRows: 1_000_000 }

/**
 * A whole local workplace, demo history included, beside ten thousand tenants with their people,
 * subscriptions of three years and audit log: what an operator waits for, whether the jobs keep up,
 * and whether tenants wait for each other.
 */
export async function checkManyTenants(): Promise<Check[]> {
  const { tenants, users, partners, auditRows } = manyTenants
  await prepareBrowser()
  const { addresses, stop } = await startWorkplace({
    history: true,
    env: { LIMITS: limitNames.map((name) => `${name}=1000000`).join() },
  })
  try {
    const adminUrl = asSuperuser(addresses.database)
    await loadPopulation(adminUrl, { users, tenants })
    await loadSubscriptions(adminUrl, { tenants, partners, withoutHealth: true })
    await withoutOldEntries(adminUrl, () => loadAuditRows(adminUrl, auditRows))
    const client = new pg.Client({ connectionString: adminUrl })
    await client.connect()
    try {
      return await oneAtATime([
        () => checkJobWindows(client),
        () => checkOperatorPages(addresses.operator),
        () => checkListChanges(addresses, client),
      ])
    } finally {
      await client.end()
    }
  } finally {
    await stop()
  }
}

/**
 * Entries of the demo history are older than the first month with a partition of its own, so they
 * lie where the load would make such partitions. They are put back into those.
 */
async function withoutOldEntries(adminUrl: string, load: () => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl })
  await client.connect()
  try {
    await client.query('set session_replication_role = replica')
    await client.query('create temp table old_entries as table audit_events_default')
    await client.query('delete from audit_events_default')
    await load()
    await client.query('insert into audit_events table old_entries')
  } finally {
    await client.end()
  }
}

/** The database of a local workplace as its superuser, who needs no password on loopback. */
function asSuperuser(url: string): string {
  const address = new URL(url)
  address.username = 'postgres'
  address.password = ''
  return address.toString()
}
