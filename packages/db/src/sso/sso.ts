import { sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'

export interface SsoAppRow {
  id: string
  tenantId: string
  name: string
  slug: string
  state: 'pending' | 'active' | 'removing'
  providerId: string | null
  clientId: string
  redirectUris: string[]
  launchUrl: string | null
  createdAt: Date
}

const columns = [
  'id',
  'tenant_id as tenantId',
  'name',
  'slug',
  'state',
  'provider_id as providerId',
  'client_id as clientId',
  'redirect_uris as redirectUris',
  'launch_url as launchUrl',
  'created_at as createdAt',
] as const

/** All of a tenant's applications, newest first. */
export function listSsoApps(db: Db, tenantId: string): Promise<SsoAppRow[]> {
  return db
    .selectFrom('sso_apps')
    .select(columns)
    .where('tenant_id', '=', tenantId)
    .orderBy('id', 'desc')
    .execute()
}

export async function countSsoApps(db: Db | Trx, tenantId: string): Promise<number> {
  const { count } = await db
    .selectFrom('sso_apps')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tenantId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export interface NewSsoApp {
  tenantId: string
  name: string
  slug: string
  clientId: string
  redirectUris: readonly string[]
  launchUrl: string | null
}

/**
 * Writes down, before the provider is called, what may come to be there. Throws `sso_apps_name`
 * when the tenant has one of that name.
 */
export function insertPendingSsoApp(trx: Trx, app: NewSsoApp): Promise<SsoAppRow> {
  return trx
    .insertInto('sso_apps')
    .values({
      tenant_id: app.tenantId,
      name: app.name,
      slug: app.slug,
      client_id: app.clientId,
      redirect_uris: [...app.redirectUris],
      launch_url: app.launchUrl,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
}

/**
 * Activates a pending application. Returns false when it is no longer pending: the clean-up removed
 * it.
 */
export async function activateSsoApp(
  db: Db | Trx,
  id: string,
  providerId: string,
): Promise<boolean> {
  const result = await db
    .updateTable('sso_apps')
    .set({ state: 'active', provider_id: providerId, changed_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}

/** One of the tenant's applications. */
export function findSsoApp(
  db: Db | Trx,
  tenantId: string,
  id: string,
): Promise<SsoAppRow | undefined> {
  return db
    .selectFrom('sso_apps')
    .select(columns)
    .where('id', '=', id)
    .where('tenant_id', '=', tenantId)
    .executeTakeFirst()
}

/** Marks an application as on its way out, so that a removal cut off is taken up again. */
export async function beginSsoAppRemoval(db: Db | Trx, id: string): Promise<void> {
  await db
    .updateTable('sso_apps')
    .set({ state: 'removing', changed_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute()
}

/** Forgets an application that the provider no longer has. False when it was gone already. */
export async function deleteSsoApp(db: Db | Trx, id: string): Promise<boolean> {
  const result = await db
    .deleteFrom('sso_apps')
    .where('id', '=', id)
    .where('state', '=', 'removing')
    .executeTakeFirst()
  return result.numDeletedRows > 0n
}

/**
 * Claims abandoned applications: pending or removing, unchanged for `afterSeconds`. They become
 * `removing` and are not due again for as long, so that two processes never claim the same one.
 */
export function claimAbandonedSsoApps(
  db: Db,
  afterSeconds: number,
  limit: number,
): Promise<SsoAppRow[]> {
  return db
    .updateTable('sso_apps')
    .set({ state: 'removing', changed_at: sql<Date>`now()` })
    .where('id', 'in', (query) =>
      query
        .selectFrom('sso_apps')
        .select('id')
        .where('state', '<>', 'active')
        .where('changed_at', '<', sql<Date>`now() - make_interval(secs => ${afterSeconds})`)
        .orderBy('changed_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .returning(columns)
    .execute()
}
