import { randomUUID } from 'node:crypto'
import type { PurgePart } from '@atrium/core/tenants/tenants'
import { provisioningSteps, purgeParts } from '@atrium/core/tenants/tenants'
import { sql } from 'kysely'
import { jsonArrayFrom, jsonBuildObject } from 'kysely/helpers/postgres'
import { reopened } from '../members/reopened.ts'
import { isDue, leaseExpired, secondsFromNow } from '../platform/clock.ts'
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
    .set((eb) => ({
      role: eb
        .case()
        .when('role', '=', 'owner')
        .then('admin' as const)
        .else(eb.ref('role'))
        .end(),
      status: 'removing',
      ...reopened(eb.ref('version'), provisioningSteps),
    }))
    .where('tenant_id', '=', tenantId)
    .execute()
  await trx
    .insertInto('membership_revocations')
    .columns(['tenant_id', 'user_id'])
    .expression(
      trx
        .selectFrom('memberships')
        .select(['tenant_id', 'user_id'])
        .where('tenant_id', '=', tenantId),
    )
    .onConflict((conflict) =>
      conflict.columns(['tenant_id', 'user_id']).doUpdateSet(({ ref }) => ({
        revoked_at: ref('excluded.revoked_at'),
      })),
    )
    .execute()
  await trx
    .updateTable('mail_lists')
    .set((eb) => ({ state: 'removing', version: eb('version', '+', 1) }))
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
export type PurgeRun = NonNullable<Awaited<ReturnType<typeof claimPurge>>>

/** Claims the tenant whose purge has been due the longest and is unclaimed. */
export function claimPurge(db: Db) {
  const due = db
    .selectFrom('tenant_purges as p')
    .innerJoin('tenants as c', 'c.id', 'p.tenant_id')
    .select('c.id')
    .where('p.state', '<>', 'ok')
    .where(isDue('p.next_at'))
    .where(leaseExpired('c.provisioning_lease_until'))
    .orderBy('p.next_at', (order) => order.asc().nullsFirst())
    .limit(1)
    .forUpdate('c')
    .skipLocked()
  return db
    .with('claimed', (cte) =>
      cte
        .updateTable('tenants')
        .set({
          provisioning_run: randomUUID(),
          provisioning_lease_until: secondsFromNow(purgeLeaseSeconds),
        })
        .where('id', '=', due)
        .returningAll(),
    )
    .selectFrom('claimed as c')
    .select(({ eb, ref, selectFrom }) => [
      ref('c.provisioning_run').$notNull().as('run'),
      jsonBuildObject({
        id: ref('c.id'),
        slug: ref('c.slug'),
        name: ref('c.name'),
        identityGroupId: ref('c.identity_group_id'),
        fileSpaceId: ref('c.file_space_id'),
        partnerSlug: selectFrom('partners as p')
          .select('p.slug')
          .whereRef('p.id', '=', 'c.partner_id')
          .$asScalar(),
      }).as('tenant'),
      jsonArrayFrom(
        eb
          .selectFrom('tenant_purges as p')
          .select(['p.part', 'p.state', 'p.attempt', isDue('p.next_at').as('due')])
          .whereRef('p.tenant_id', '=', 'c.id'),
      ).as('parts'),
    ])
    .executeTakeFirst()
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
      provisioning_lease_until: secondsFromNow(purgeLeaseSeconds),
    })
    .where('id', '=', tenant.id)
    .where('provisioning_run', '=', run)
    .executeTakeFirst()
  return held.numUpdatedRows > 0n
}

/** Saves what became of a part. False when another run has taken over, which then does the rest. */
export async function savePurgePart(
  trx: Trx,
  purge: PurgeRun,
  part: PurgePart,
  outcome: PurgeOutcome,
): Promise<boolean> {
  const { tenant } = purge
  if (!(await extendPurge(trx, purge))) return false
  const failed = outcome.state === 'error'
  await trx
    .updateTable('tenant_purges')
    .set((eb) => ({
      state: outcome.state,
      error: failed ? outcome.error : null,
      attempt: eb('attempt', '+', 1),
      next_at: failed ? secondsFromNow(outcome.retryInSeconds) : null,
      finished_at: failed ? null : sql<Date>`now()`,
    }))
    .where('tenant_id', '=', tenant.id)
    .where('part', '=', part)
    .execute()
  return true
}

/** Frees the tenant, and puts off what waits for a part that failed. */
export async function endPurgeRun(db: Db, { run, tenant }: PurgeRun): Promise<void> {
  await db
    .updateTable('tenant_purges as p')
    .set(({ selectFrom }) => ({
      next_at: selectFrom('tenant_purges as o')
        .select(({ fn }) => fn.max('o.next_at').as('at'))
        .whereRef('o.tenant_id', '=', 'p.tenant_id')
        .where('o.state', '=', 'error'),
    }))
    .where('p.tenant_id', '=', tenant.id)
    .where('p.state', '=', 'pending')
    .execute()
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
    await trx
      .updateTable('outbox')
      .set({ booking_id: null })
      .where('booking_id', 'in', ({ selectFrom }) =>
        selectFrom('bookings').select('id').where('tenant_id', '=', tenantId),
      )
      .execute()
    for (const table of [
      'bookings',
      'event_types',
      'hosts',
      'booking_pages',
      'brandings',
      'email_templates',
      'member_imports',
      'invitations',
      'service_tokens',
      'webhook_endpoints',
      'tenant_limits',
      'membership_revocations',
    ] as const)
      await trx.deleteFrom(table).where('tenant_id', '=', tenantId).execute()
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
