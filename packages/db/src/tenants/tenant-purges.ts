import type { PurgePart } from '@atrium/core/tenants/tenants'
import { purgeParts } from '@atrium/core/tenants/tenants'
import { sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'

/**
 * Whether a deleted tenant can be restored no more: its time is over, by the database's clock, or
 * its purge has begun. One without a time is kept until an operator acts.
 */
export async function isRestoreOver(trx: Trx, tenantId: string): Promise<boolean> {
  const { over } = await trx
    .selectFrom('tenants')
    .select(({ eb, fn, or }) =>
      or([
        fn.coalesce(eb('restore_until', '<=', fn<Date>('now')), eb.lit(false)),
        eb('purge_started_at', 'is not', null),
      ]).as('over'),
    )
    .where('id', '=', tenantId)
    .executeTakeFirstOrThrow()
  return Boolean(over)
}

/** How long a purge holds its tenant without a sign of life. */
export const purgeLeaseSeconds = 60

/**
 * Deleted tenants whose time to be restored is over and whose purge has not begun, the oldest
 * first. By the database's clock.
 */
export async function findExpiredTenants(db: Db, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('tenants')
    .select('id')
    .where('status', '=', 'deleted')
    .where('purge_started_at', 'is', null)
    .where('restore_until', '<=', sql<Date>`now()`)
    .orderBy('restore_until')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/**
 * Begins the purge of a deleted tenant: from here on it cannot be restored, and all members are
 * being removed. The caller holds the tenant's lock. Where a purge has begun already, its failed
 * steps become due immediately.
 */
export async function beginPurge(trx: Trx, tenantId: string): Promise<{ started: boolean }> {
  const started = await trx
    .updateTable('tenants')
    .set({ purge_started_at: sql<Date>`now()` })
    .where('id', '=', tenantId)
    .where('purge_started_at', 'is', null)
    .executeTakeFirst()
  if (started.numUpdatedRows === 0n) {
    await trx
      .updateTable('tenant_purges')
      .set({ next_at: null })
      .where('tenant_id', '=', tenantId)
      .where('state', '<>', 'ok')
      .execute()
    await trx
      .updateTable('memberships')
      .set({ next_at: null })
      .where('tenant_id', '=', tenantId)
      .execute()
    return { started: false }
  }
  await trx
    .insertInto('tenant_purges')
    .values(purgeParts.map((part) => ({ tenant_id: tenantId, part })))
    .execute()
  await trx
    .updateTable('memberships')
    .set({
      ...{
        role: sql`case when role = 'owner' then 'admin' else role end`,
        status: 'removing',
        next_at: null,
        attempt: 0,
      },
      ...{
        identity_state: 'pending',
        identity_error: null,
        mail_state: 'pending',
        mail_error: null,
        files_state: 'pending',
        files_error: null,
      },
      ...{ version: sql<number>`version + 1`, updated_at: sql<Date>`now()` },
    })
    .where('tenant_id', '=', tenantId)
    .execute()
  await sql`
    insert into membership_revocations (tenant_id, user_id) select tenant_id, user_id from memberships where tenant_id = ${tenantId}
    on conflict (tenant_id, user_id) do update set revoked_at = now()`.execute(trx)
  await trx
    .updateTable('mail_lists')
    .set({ state: 'removing', version: sql<number>`version + 1` })
    .where('tenant_id', '=', tenantId)
    .execute()
  await trx
    .updateTable('sso_apps')
    .set({ state: 'removing', changed_at: sql<Date>`now()` })
    .where('tenant_id', '=', tenantId)
    .execute()
  return { started: true }
}

/** One run of a purge, with what its parts need. */
export interface PurgeRun {
  run: string
  tenant: {
    id: string
    slug: string
    name: string
    partnerSlug: string | null
    identityGroupId: string | null
    fileSpaceId: string | null
  }
  parts: { part: PurgePart; state: 'pending' | 'ok' | 'error'; attempt: number; due: boolean }[]
}

/** Claims the tenant whose purge has been due the longest and is unclaimed. */
export async function claimPurge(db: Db): Promise<PurgeRun | undefined> {
  const { rows } = await sql<PurgeRun>`
    with claimed as (
      update tenants t set provisioning_run = new_id(), provisioning_lease_until = now() + make_interval(secs => ${purgeLeaseSeconds})
      where t.id = (
        select c.id from tenant_purges p join tenants c on c.id = p.tenant_id
        where p.state <> 'ok' and coalesce(p.next_at <= now(), true) and coalesce(c.provisioning_lease_until < now(), true)
        order by p.next_at nulls first limit 1 for update of c skip locked)
      returning t.*)
    select c.provisioning_run as run, json_build_object('id', c.id, 'slug', c.slug, 'name', c.name, 'identityGroupId', c.identity_group_id,
        'fileSpaceId', c.file_space_id, 'partnerSlug', (select p.slug from partners p where p.id = c.partner_id)) as tenant,
      (select json_agg(json_build_object('part', p.part, 'state', p.state, 'attempt', p.attempt, 'due', coalesce(p.next_at <= now(), true)))
        from tenant_purges p where p.tenant_id = c.id) as parts
    from claimed c`.execute(db)
  return rows[0]
}

export type PurgeOutcome =
  | { state: 'ok' }
  | { state: 'error'; error: string; retryInSeconds: number }

/**
 * Holds the tenant for another `purgeLeaseSeconds`. False when another run has taken over: then
 * nothing more may be done.
 */
export async function extendPurge(db: Db | Trx, { run, tenant }: PurgeRun): Promise<boolean> {
  const held = await db
    .updateTable('tenants')
    .set({
      provisioning_lease_until: sql<Date>`now() + make_interval(secs => ${purgeLeaseSeconds})`,
    })
    .where('id', '=', tenant.id)
    .where('provisioning_run', '=', run)
    .executeTakeFirst()
  return held.numUpdatedRows > 0n
}

/** Saves what became of a part. False when another run has taken over, which then does the rest. */
export async function savePurgePart(
  db: Db,
  purge: PurgeRun,
  part: PurgePart,
  outcome: PurgeOutcome,
): Promise<boolean> {
  const { tenant } = purge
  return db.transaction().execute(async (trx) => {
    if (!(await extendPurge(trx, purge))) return false
    const failed = outcome.state === 'error'
    await trx
      .updateTable('tenant_purges')
      .set({
        state: outcome.state,
        error: failed ? outcome.error : null,
        attempt: sql<number>`attempt + 1`,
        next_at: failed
          ? sql<Date>`now() + make_interval(secs => ${outcome.retryInSeconds})`
          : null,
        finished_at: failed ? null : sql<Date>`now()`,
      })
      .where('tenant_id', '=', tenant.id)
      .where('part', '=', part)
      .execute()
    return true
  })
}

/** Frees the tenant, and puts off what waits for a part that failed. */
export async function endPurgeRun(db: Db, { run, tenant }: PurgeRun): Promise<void> {
  await sql`
    update tenant_purges p set next_at = (select max(o.next_at) from tenant_purges o where o.tenant_id = p.tenant_id and o.state = 'error')
    where p.tenant_id = ${tenant.id} and p.state = 'pending'`.execute(db)
  await db
    .updateTable('tenants')
    .set({ provisioning_run: null, provisioning_lease_until: null })
    .where('id', '=', tenant.id)
    .where('provisioning_run', '=', run)
    .execute()
}

/**
 * Erases what a tenant kept of itself and of its visitors, and marks it as purged. Audit log,
 * invoices and books stay.
 */
export async function eraseTenantRecords(db: Db, tenantId: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`update outbox set booking_id = null where booking_id in (select id from bookings where tenant_id = ${tenantId})`.execute(
      trx,
    )
    await sql`delete from bookings where tenant_id = ${tenantId}`.execute(trx)
    await sql`delete from event_types where tenant_id = ${tenantId}`.execute(trx)
    await sql`delete from hosts where tenant_id = ${tenantId}`.execute(trx)
    for (const table of [
      'booking_pages',
      'brandings',
      'email_templates',
      'member_imports',
      'tenant_limits',
    ] as const) {
      await trx.deleteFrom(table).where('tenant_id', '=', tenantId).execute()
    }
    await trx.deleteFrom('membership_revocations').where('tenant_id', '=', tenantId).execute()
    await trx
      .updateTable('tenants')
      .set({
        purged_at: sql<Date>`now()`,
        suspended_reason: null,
        identity_group_id: null,
        file_space_id: null,
        updated_at: sql<Date>`now()`,
      })
      .where('id', '=', tenantId)
      .execute()
  })
}

export interface PurgeState {
  startedAt: Date | null
  purgedAt: Date | null
  parts: {
    part: PurgePart
    state: 'pending' | 'ok' | 'error'
    error: string | null
    nextAt: Date | null
    finishedAt: Date | null
  }[]
}

/** How far the purge of a tenant is; without parts when it has not begun. */
export async function readPurge(db: Db, tenantId: string): Promise<PurgeState> {
  const { startedAt, purgedAt } = await db
    .selectFrom('tenants')
    .select(['purge_started_at as startedAt', 'purged_at as purgedAt'])
    .where('id', '=', tenantId)
    .executeTakeFirstOrThrow()
  const rows = await db
    .selectFrom('tenant_purges')
    .select(['part', 'state', 'error', 'next_at as nextAt', 'finished_at as finishedAt'])
    .where('tenant_id', '=', tenantId)
    .execute()
  return {
    startedAt,
    purgedAt,
    parts: purgeParts.flatMap((part) => rows.find((row) => row.part === part) ?? []),
  }
}
