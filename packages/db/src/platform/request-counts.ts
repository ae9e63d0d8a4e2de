import { sql } from 'kysely'
import type { Db } from './connect.ts'

/** Requests about one tenant in one minute, and those among them that failed on our side. */
export interface RequestCount {
  tenantId: string
  /** The beginning of the minute. */
  minute: Date
  requests: number
  failures: number
}

/**
 * Adds to the stored counts. Each pair of tenant and minute may occur once in the list; deleted
 * tenants are skipped.
 */
export async function addRequestCounts(db: Db, counts: readonly RequestCount[]): Promise<void> {
  if (counts.length === 0) return
  // In one order everywhere, so that processes which add at the same time do not wait for each
  // other in a circle.
  const sorted = counts.toSorted((a, b) =>
    a.tenantId === b.tenantId
      ? a.minute.getTime() - b.minute.getTime()
      : a.tenantId < b.tenantId
        ? -1
        : 1,
  )
  // Plain SQL: the builder has no `unnest`.
  await sql`
    insert into tenant_request_counts as c (tenant_id, minute, requests, failures)
    select u.* from unnest(${sorted.map((one) => one.tenantId)}::uuid[], ${sorted.map((one) => one.minute.toISOString())}::timestamptz[],
      ${sorted.map((one) => one.requests)}::integer[], ${sorted.map((one) => one.failures)}::integer[]) u (tenant_id, minute, requests, failures)
    where exists (select from tenants t where t.id = u.tenant_id)
    on conflict (tenant_id, minute) do update set requests = c.requests + excluded.requests, failures = c.failures + excluded.failures`.execute(
    db,
  )
}

/** Deletes the counts of minutes that began before the given time. */
export async function deleteRequestCounts(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('tenant_request_counts').where('minute', '<', before).execute()
}
