import { randomUUID } from 'node:crypto'
import type {
  Plan,
  ProvisioningStep,
  StepState,
  TenantAccess,
  TenantStatus,
} from '@atrium/core/tenants/tenants'
import { sql } from 'kysely'
import { reopened } from '../members/reopened.ts'
import { clock, clockAt, isDue, leaseExpired, secondsFromNow } from '../platform/clock.ts'
import type { Db, Trx } from '../platform/connect.ts'
import { resendSecurityPolicy } from '../security-policy/security-policy.ts'
import { accessOf, followed } from '../tenants/access-conditions.ts'
import { notifyTenant } from '../tenants/tenants.ts'

/** A domain and its state in the mail server. */
export interface MailPlace {
  id: string
  name: string
  ownershipToken: string
  verifiedAt: Date | null
  mailDomainId: string | null
  mailPendingId: string | null
}

/** A claimed run: everything the steps need, read when the claim was made. */
export interface ProvisioningRun {
  run: string
  tenant: {
    id: string
    slug: string
    name: string
    status: TenantStatus
    access: TenantAccess
    plan: Plan
    identityGroupId: string | null
    identityGroupName: string
    fileSpaceId: string | null
  }
  owner:
    | {
        id: string
        subject: string
        email: string
        idpUserId: string | null
        platformAdmin: boolean
      }
    | undefined
  domains: MailPlace[]
  /** `version` says for which state of the record the run works. */
  steps: {
    step: ProvisioningStep
    state: StepState
    attempt: number
    due: boolean
    version: number
  }[]
}

/**
 * How long a run holds its tenant without a sign of life. A killed process's tenants are free after
 * that.
 */
export const leaseSeconds = 12

/**
 * Takes a tenant for one run. Undefined when another run holds it. The lease runs by the database's
 * clock, which all processes share; it is extended with `extendLease` while the run lives.
 */
export async function claimProvisioning(
  db: Db,
  tenantId: string,
): Promise<ProvisioningRun | undefined> {
  return db.transaction().execute(async (trx) => {
    const claimed = await trx
      .updateTable('tenants')
      .set({
        provisioning_run: randomUUID(),
        provisioning_lease_until: secondsFromNow(leaseSeconds),
      })
      .where('id', '=', tenantId)
      .where(leaseExpired('provisioning_lease_until'))
      .returning([
        'provisioning_run as run',
        'id',
        'slug',
        'name',
        'status',
        accessOf('tenants').as('access'),
        'plan',
        'identity_group_id as identityGroupId',
        'file_space_id as fileSpaceId',
      ])
      .returning(({ fn }) => fn.coalesce('identity_group_name', 'slug').as('identityGroupName'))
      .executeTakeFirst()
    if (!claimed?.run) return undefined
    const { run, ...tenant } = claimed
    const owner = await trx
      .selectFrom('memberships as m')
      .innerJoin('users as u', 'u.id', 'm.user_id')
      .select([
        'u.id',
        'u.idp_subject_id as subject',
        'u.email',
        'u.idp_user_id as idpUserId',
        'u.platform_admin as platformAdmin',
      ])
      .where('m.tenant_id', '=', tenantId)
      .where('m.role', '=', 'owner')
      .executeTakeFirst()
    const domains = await trx
      .selectFrom('domains')
      .select([
        'id',
        'name',
        'ownership_token as ownershipToken',
        'verified_at as verifiedAt',
        'mail_domain_id as mailDomainId',
        'mail_pending_id as mailPendingId',
      ])
      .where('tenant_id', '=', tenantId)
      .orderBy('id')
      .execute()
    const steps = await trx
      .selectFrom('provisioning_steps')
      .select(['step', 'state', 'attempt', 'version', isDue('next_at').as('due')])
      .where('tenant_id', '=', tenantId)
      .execute()
    return { run, tenant, owner, domains, steps }
  })
}

/** Keeps the run alive. False when it is no longer ours: then nothing more may be written. */
export async function extendLease(db: Db, tenantId: string, run: string): Promise<boolean> {
  const result = await db
    .updateTable('tenants')
    .set({ provisioning_lease_until: secondsFromNow(leaseSeconds) })
    .where('id', '=', tenantId)
    .where('provisioning_run', '=', run)
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}

export interface StepOutcome {
  state: Extract<StepState, 'ok' | 'skipped' | 'error'>
  error?: string
  /** Seconds until the next try of a failed step. */
  retryInSeconds?: number
  identityGroupId?: string
  fileSpaceId?: string
  mailDomains?: readonly { id: string; mailDomainId: string | null; mailPendingId: string | null }[]
  ownerIdpUserId?: { userId: string; idpUserId: string }
  /** The `sub` claims of everyone in the tenant's group. Anyone missing has to be added. */
  groupMembers?: readonly string[]
}

/** Marks the moment a step starts, so that watchers see it working. */
export async function markStepStarted(
  db: Db,
  run: ProvisioningRun,
  step: ProvisioningStep,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    if (!(await holdsRun(trx, run))) return
    await trx
      .updateTable('provisioning_steps')
      .set((row) => ({
        started_at: sql<Date>`now()`,
        finished_at: null,
        attempt: row('attempt', '+', 1),
        // A failed step that is retried is waiting for its outcome; one that is right stays so
        // while it is looked at again.
        state: row
          .case()
          .when('state', '=', 'error')
          .then('pending' as const)
          .else(row.ref('state'))
          .end(),
        error: null,
      }))
      .where('tenant_id', '=', run.tenant.id)
      .where('step', '=', step)
      .execute()
    await notifyTenant(trx, run.tenant.id)
  })
}

/**
 * Saves the outcome of one step as soon as it is known. When its target changed meanwhile, the step
 * stays due and only the upstream result is stored. Does nothing when another run took over.
 */
export async function saveStepOutcome(
  db: Db,
  run: ProvisioningRun,
  step: ProvisioningStep,
  outcome: StepOutcome,
): Promise<boolean> {
  const version = run.steps.find((row) => row.step === step)?.version ?? 0
  return db.transaction().execute(async (trx) => {
    if (!(await holdsRun(trx, run))) return false
    await trx
      .updateTable('provisioning_steps')
      .from(clockAt())
      .set((row) => ({
        state: outcome.state,
        error: outcome.state === 'error' ? (outcome.error ?? 'unknown failure') : null,
        next_at:
          outcome.retryInSeconds === undefined ? null : secondsFromNow(outcome.retryInSeconds),
        finished_at: sql<Date>`now()`,
        ...(outcome.state === 'error' ? {} : { attempt: 0 }),
        changed_at: row
          .case()
          .when('state', '=', outcome.state)
          .then(row.ref('changed_at'))
          .else(clock.now)
          .end(),
      }))
      .where('tenant_id', '=', run.tenant.id)
      .where('step', '=', step)
      .where('version', '=', version)
      .execute()
    if (outcome.identityGroupId !== undefined || outcome.fileSpaceId !== undefined) {
      await trx
        .updateTable('tenants')
        .set({
          ...(outcome.identityGroupId === undefined
            ? {}
            : { identity_group_id: outcome.identityGroupId }),
          ...(outcome.fileSpaceId === undefined ? {} : { file_space_id: outcome.fileSpaceId }),
        })
        .where('id', '=', run.tenant.id)
        .execute()
    }
    // A group that was made again lacks the policy that the former one had.
    const groupBefore = run.tenant.identityGroupId
    if (outcome.identityGroupId !== undefined && outcome.identityGroupId !== groupBefore)
      await resendSecurityPolicy(trx, run.tenant.id)
    // Members who could not be let into it do not wait for their next try.
    if (step === 'files' && outcome.state === 'ok') await hurryFiles(trx, run.tenant.id)
    if (outcome.groupMembers) await reopenIdentities(trx, run.tenant.id, outcome.groupMembers)
    const spaceBefore = run.tenant.fileSpaceId
    if (
      outcome.fileSpaceId !== undefined &&
      spaceBefore !== null &&
      outcome.fileSpaceId !== spaceBefore
    ) {
      await reopenFiles(trx, run.tenant.id)
    }
    for (const domain of outcome.mailDomains ?? []) {
      const { mailDomainId: mail_domain_id, mailPendingId: mail_pending_id } = domain
      let update = trx
        .updateTable('domains')
        .set({ mail_domain_id, mail_pending_id })
        .where('id', '=', domain.id)
      // A domain that was proven meanwhile is in its place already.
      if (mail_domain_id === null)
        update = update.where('mail_domain_id', 'is', null).where('verified_at', 'is', null)
      await update.execute()
    }
    if (outcome.ownerIdpUserId) {
      const { userId, idpUserId } = outcome.ownerIdpUserId
      await trx
        .updateTable('users')
        .set({ idp_user_id: idpUserId })
        .where('id', '=', userId)
        .execute()
    }
    await notifyTenant(trx, run.tenant.id)
    return true
  })
}

/**
 * Members whom the tenant's group lacks are put into it again. Until then no token without the
 * group takes the membership away.
 */
async function reopenIdentities(
  trx: Trx,
  tenantId: string,
  subjects: readonly string[],
): Promise<void> {
  await trx
    .updateTable('memberships')
    .set(({ ref }) => reopened(ref('version'), ['identity']))
    .where('tenant_id', '=', tenantId)
    .where('status', 'in', ['active', 'provisioning'])
    .where('role', '<>', 'owner')
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('users as u')
          .select('u.id')
          .whereRef('u.id', '=', 'memberships.user_id')
          .where('u.deactivated_at', 'is', null)
          // They are in no tenant's group.
          .where('u.platform_admin', '=', false)
          // One parameter, however many people the group has.
          .where(sql<boolean>`u.idp_subject_id <> all(${[...subjects]}::text[])`),
      ),
    )
    .execute()
}

/** The tenant has a new space: everyone with a file account gets access to it. */
async function reopenFiles(trx: Trx, tenantId: string): Promise<void> {
  await trx
    .updateTable('memberships')
    .set(({ ref }) => reopened(ref('version'), ['files']))
    .where('tenant_id', '=', tenantId)
    .where('status', 'in', ['active', 'provisioning'])
    .where('file_account_id', 'is not', null)
    .execute()
}

async function hurryFiles(trx: Trx, tenantId: string): Promise<void> {
  await trx
    .updateTable('memberships')
    .set({ files_state: 'pending', files_error: null, next_at: null })
    .where('tenant_id', '=', tenantId)
    .where('files_state', '=', 'error')
    .execute()
}

/**
 * Says that these steps have to be done again, because what they bring about was changed. Under the
 * tenant's lock.
 */
export async function reopenSteps(
  trx: Trx,
  tenantId: string,
  steps: readonly ProvisioningStep[],
): Promise<void> {
  if (steps.length === 0) return
  await trx
    .updateTable('provisioning_steps')
    .set((row) => ({
      state: 'pending' as const,
      error: null,
      next_at: null,
      version: row('version', '+', 1),
    }))
    .where('tenant_id', '=', tenantId)
    .where('step', 'in', [...steps])
    .execute()
}

async function holdsRun(trx: Trx, run: ProvisioningRun): Promise<boolean> {
  const held = await trx
    .selectFrom('tenants')
    .select('id')
    .where('id', '=', run.tenant.id)
    .where('provisioning_run', '=', run.run)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return held !== undefined
}

/** Ends a run: frees the tenant, and makes it active when it was pending and every step is done. */
export async function finishProvisioning(db: Db, run: ProvisioningRun): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx
      .updateTable('tenants')
      .set(({ eb, and, not, exists, selectFrom }) => ({
        provisioning_run: null,
        provisioning_lease_until: null,
        status: eb
          .case()
          .when(
            and([
              eb('status', '=', 'pending'),
              not(
                exists(
                  selectFrom('provisioning_steps')
                    .select('step')
                    .whereRef('tenant_id', '=', 'tenants.id')
                    .where('state', 'not in', ['ok', 'skipped']),
                ),
              ),
            ]),
          )
          .then('active' as const)
          .else(eb.ref('status'))
          .end(),
        updated_at: sql<Date>`now()`,
      }))
      .where('id', '=', run.tenant.id)
      .where('provisioning_run', '=', run.run)
      .execute()
    await notifyTenant(trx, run.tenant.id)
  })
}

/** For `provisioning_steps as s`. */
const unfinished = sql<boolean>`s.state in ('pending', 'error')`

/**
 * When the tenant's unfinished work is due: seconds from now (0 when overdue); undefined when
 * nothing is left to do. A tenant that is pending with every step done is unfinished too: its run
 * was killed after the last outcome and before its end.
 */
export async function secondsUntilDue(db: Db, tenantId: string): Promise<number | undefined> {
  const due = await db
    .selectFrom('provisioning_steps as s')
    .innerJoin('tenants as t', 't.id', 's.tenant_id')
    // Plain SQL, for the filtered aggregates within `greatest`, which passes over nulls. Without
    // the count a tenant with nothing left to do would look overdue.
    .select(
      sql<
        number | null
      >`case when count(*) filter (where ${unfinished}) > 0 or bool_or(t.status = 'pending') then
        extract(epoch from greatest(min(coalesce(s.next_at, now())) filter (where ${unfinished}), max(t.provisioning_lease_until), now())
          - now())::float8 end`.as('seconds'),
    )
    .where('s.tenant_id', '=', tenantId)
    .where(followed)
    .executeTakeFirst()
  return due?.seconds ?? undefined
}

/**
 * Tenants with work left that a run holds, and in how many seconds it is to be taken for dead
 * unless it gives a sign of life; by id, at most `limit`, and only those behind `after`.
 */
export async function findHeldTenants(
  db: Db,
  limit: number,
  after?: string,
): Promise<{ id: string; heldSeconds: number }[]> {
  return db
    .selectFrom('tenants as t')
    .select([
      't.id',
      sql<number>`extract(epoch from t.provisioning_lease_until - now())::float8`.as('heldSeconds'),
    ])
    .where('t.provisioning_lease_until', '>=', sql<Date>`now()`)
    .where(({ eb, or, exists, selectFrom }) =>
      or([
        eb('t.status', '=', 'pending'),
        exists(
          selectFrom('provisioning_steps as s')
            .select('s.step')
            .whereRef('s.tenant_id', '=', 't.id')
            .where(unfinished)
            .where(followed),
        ),
      ]),
    )
    .$if(after !== undefined, (query) => query.where('t.id', '>', after ?? ''))
    .orderBy('t.id')
    .limit(limit)
    .execute()
}

/**
 * Tenants with work that is due and that no living run holds; by id, at most `limit`, and only
 * those behind `after`.
 */
export async function findAbandonedTenants(
  db: Db,
  limit: number,
  after?: string,
): Promise<string[]> {
  const rows = await db
    .selectFrom('provisioning_steps as s')
    .innerJoin('tenants as t', 't.id', 's.tenant_id')
    .select('t.id')
    .where(leaseExpired('t.provisioning_lease_until'))
    .where(followed)
    .where(({ eb, or }) => or([unfinished, eb('t.status', '=', 'pending')]))
    .$if(after !== undefined, (query) => query.where('t.id', '>', after ?? ''))
    .groupBy('t.id')
    .having(({ eb, fn, or, lit }) =>
      or([
        eb(fn.countAll<number>().filterWhere(unfinished), '=', lit(0)),
        fn.agg<boolean>('bool_or', [isDue('s.next_at')]).filterWhere(unfinished),
      ]),
    )
    .orderBy('t.id')
    .limit(limit)
    .execute()
  return rows.map((row) => row.id)
}

/** How far each step of a tenant is; a step without a row has not begun. */
export function listStepStates(db: Db | Trx, tenantId: string) {
  return db
    .selectFrom('provisioning_steps')
    .select(['step', 'state', 'error'])
    .where('tenant_id', '=', tenantId)
    .execute()
}

/** Tenants that are not deleted and have a failed step; by id, at most `limit`, behind `after`. */
export async function findFailedTenants(db: Db, limit: number, after?: string) {
  return db
    .selectFrom('tenants as t')
    .select(['t.id', 't.slug', 't.name'])
    .where('t.status', '<>', 'deleted')
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('provisioning_steps as s')
          .select('s.step')
          .whereRef('s.tenant_id', '=', 't.id')
          .where('s.state', '=', 'error'),
      ),
    )
    .$if(after !== undefined, (query) => query.where('t.id', '>', after ?? ''))
    .orderBy('t.id')
    .limit(limit)
    .execute()
}
