import { sql } from 'kysely'
import type { TestApp } from './test-app.ts'

/**
 * Row counts of every table except the one that counts requests, and how many calls every upstream
 * system got: equal before and after means that nothing was done.
 */
export async function everythingWritten(testApp: TestApp): Promise<Record<string, number>> {
  const { db } = testApp.database
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' and table_name not like 'audit_events_%' and table_name not like 'kysely_%'
      and table_name <> 'rate_limits'`.execute(db)
  const { rows } = await sql<{ name: string; count: number }>`${sql.join(
    tables.map(({ name }) => sql`select ${name} as name, count(*) from ${sql.table(name)}`),
    sql` union all `,
  )}`.execute(db)
  const counts = Object.fromEntries(rows.map(({ name, count }) => [name, count]))
  for (const [system, { calls }] of Object.entries(testApp.sandbox.state())) {
    // The verifier fetches the issuer's keys when it needs them; that is nothing that a request
    // does. Before a new tenant is stored, its group name is looked up at the identity provider.
    const reads = ['/application/o/', '/api/v3/core/groups/?']
    counts[`calls of ${system}`] = calls.filter(
      ({ method, path }) => method !== 'GET' || !reads.some((read) => path.startsWith(read)),
    ).length
  }
  return counts
}
