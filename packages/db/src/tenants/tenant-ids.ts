import type { Database } from '../platform/connect.ts'

const findStatement = {
  name: 'find_tenant_id',
  text: 'select id from tenants where slug = $1',
}

/** Slugs that a process keeps with the ids of their tenants: about two megabytes. */
const most = 10_000
const keptOf = new WeakMap<Database, Map<string, string>>()

/**
 * What `read` finds by the id of the tenant with this slug; `read` gets null for a slug that no
 * tenant has. It must compare the slug as well and return undefined for a tenant that has another
 * one: the id may be one kept from an earlier call, and then `read` runs again with the present
 * one.
 *
 * The id is a parameter of its own, and not found by the statement, so that a database that is
 * distributed by tenant knows which node to ask.
 */
export async function readByTenantId<Row>(
  database: Database,
  slug: string,
  read: (tenantId: string | null) => Promise<Row>,
  isFound: (row: Row) => boolean,
): Promise<Row> {
  const kept = keptOf.get(database) ?? new Map<string, string>()
  keptOf.set(database, kept)
  const known = kept.get(slug)
  if (known !== undefined) {
    const row = await read(known)
    if (isFound(row)) return row
    kept.delete(slug)
  }
  const [found] = await database.read<{ id: string }>(findStatement, [slug])
  if (found) {
    const [oldest] = kept.keys()
    if (kept.size >= most && oldest !== undefined) kept.delete(oldest)
    kept.set(slug, found.id)
  }
  return read(found?.id ?? null)
}
