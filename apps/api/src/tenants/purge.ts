import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { stepFailureText } from '@atrium/core/platform/failure-text'
import type { PurgePart, PurgeTenant, TenantPurge } from '@atrium/core/tenants/tenants'
import { purgeParts } from '@atrium/core/tenants/tenants'
import { deleteDomain, listDomains } from '@atrium/db/mail/domains'
import { deleteMailLists, findLeftMailList, listMailListIds } from '@atrium/db/mail/lists'
import { countMemberships } from '@atrium/db/members/members'
import type { Trx } from '@atrium/db/platform/connect'
import { listSsoApps } from '@atrium/db/sso/sso'
import { unfinishedMembersOf } from '@atrium/db/tenants/tenant-access'
import {
  beginPurge,
  claimPurge,
  endPurgeRun,
  eraseTenantRecords,
  extendPurge,
  findExpiredTenants,
  type PurgeOutcome,
  type PurgeRun,
  readPurge,
  savePurgePart,
} from '@atrium/db/tenants/tenant-purges'
import { lockTenant, readTenantSummary } from '@atrium/db/tenants/tenants'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import { requireNames } from '../mail/domains/follow-name.ts'
import { hasMail } from '../mail/domains/view.ts'
import { pushList } from '../mail/lists/push.ts'
import { syncMember } from '../members/jobs.ts'
import { retryDelaySeconds } from '../platform/retry-delay.ts'
import { StepRejected } from '../platform/step-rejected.ts'
import { sentenceOf } from '../provisioning/run.ts'
import type { AuditEntry } from '../rpc/audit-recorder.ts'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import type { InTransaction, Services } from '../rpc/services.ts'
import { tenantTransaction } from '../rpc/tenant-transaction.ts'
import { deprovision } from '../sso/deprovision.ts'

/** Tenants whose purge begins in one run. */
const mostExpired = 20
/** No further tenant is taken after this: the job that does it comes every minute. */
const mostMs = 40_000
const partMs = 30_000
const firstRetrySeconds = 60
/** Members that one run of a purge removes. */
const mostMembers = 100

/**
 * Begins the purge of a deleted tenant at once; of one that has begun, tries again what failed. 409
 * `not_deleted`.
 */
export async function purgeTenant(
  ctx: Context,
  access: Access,
  input: PurgeTenant,
): Promise<TenantPurge> {
  const { services } = ctx
  if (input.confirm !== access.tenant.slug) {
    throw new AppError('invalid_input', undefined, {
      issues: [{ path: 'confirm', message: errorText('confirmSlug') }],
    })
  }
  await tenantTransaction(services, access.tenant.id, async (trx) => {
    const tenant = await lockTenant(trx, access.tenant.slug)
    if (tenant?.status !== 'deleted') throw new AppError('not_deleted')
    const { started } = await beginPurge(trx, tenant.id)
    const entry: AuditEntry = {
      action: 'tenant.purge_started',
      resourceType: 'tenant',
      resourceId: tenant.id,
      resourceName: tenant.name,
      tenantSlug: access.tenant.slug,
      partnerSlug: access.tenant.partnerSlug,
      metadata: {
        ...(started ? {} : { again: true }),
        ...(input.reason === undefined ? {} : { reason: input.reason }),
      },
    }
    await services.audit.record(ctx, access.caller, entry, trx)
  })
  return toPurgeView(services, access.tenant.id)
}

export async function toPurgeView({ database }: Services, tenantId: string): Promise<TenantPurge> {
  const { startedAt, purgedAt, parts } = await readPurge(database.db, tenantId)
  const text = (at: Date | null) => at?.toISOString() ?? null
  return {
    startedAt: text(startedAt),
    purgedAt: text(purgedAt),
    parts: parts.map(({ nextAt, finishedAt, ...part }) => ({
      ...part,
      nextAt: text(nextAt),
      finishedAt: text(finishedAt),
    })),
  }
}

/**
 * Begins the purge of the tenants whose time to be restored is over, and carries on with those that
 * are due.
 */
export async function purgeTenants(services: Services): Promise<void> {
  const { db } = services.database
  for (const id of await findExpiredTenants(db, mostExpired)) await beginExpired(services, id)
  const endAt = performance.now() + mostMs
  while (performance.now() < endAt) {
    const run = await claimPurge(db)
    if (!run) return
    await carryOn(services, run)
  }
}

async function beginExpired(services: Services, tenantId: string): Promise<void> {
  const { slug, name, partnerSlug } = await readTenantSummary(services.database.db, tenantId)
  await tenantTransaction(services, tenantId, async (trx) => {
    const tenant = await lockTenant(trx, slug)
    // An operator may have restored it in this moment.
    if (tenant?.status !== 'deleted' || !(await beginPurge(trx, tenantId)).started) return
    const of = { id: tenantId, slug, name, partnerSlug }
    await record(services, trx, 'tenant.purge_started', of, { reason: 'restore_expired' })
  })
}

/**
 * Each part needs those before it: a space that is gone has no members, and a domain without
 * mailboxes and lists can go.
 */
async function carryOn(services: Services, run: PurgeRun): Promise<void> {
  const { db } = services.database
  for (const part of purgeParts) {
    const row = run.parts.find((one) => one.part === part)
    if (!row || row.state === 'ok') continue
    if (!row.due) break
    const outcome = await attempt(services, run, part, row.attempt)
    const saved = await db.transaction().execute(async (trx) => {
      if (!(await savePurgePart(trx, run, part, outcome))) return false
      const purged = part === 'records' && outcome.state === 'ok'
      if (purged) await record(services, trx, 'tenant.purged', run.tenant, {})
      return true
    })
    if (!saved) return
    services.log.info({ tenant: run.tenant.slug, part, ...outcome }, 'purge step ended')
    if (outcome.state === 'error') break
  }
  await endPurgeRun(db, run)
}

async function attempt(
  services: Services,
  run: PurgeRun,
  part: PurgePart,
  tries: number,
): Promise<PurgeOutcome> {
  const signal = AbortSignal.timeout(partMs)
  try {
    await parts[part](services, run, signal)
    return { state: 'ok' }
  } catch (error) {
    if (!(error instanceof UpstreamError || error instanceof StepRejected) && !signal.aborted) {
      services.log.error(
        { err: error, tenant: run.tenant.slug, part },
        'unexpected error in a purge step',
      )
    }
    const sentence = sentenceOf(error, signal, partMs)
    return {
      state: 'error',
      error: sentence,
      retryInSeconds: retryDelaySeconds(tries + 1, firstRetrySeconds),
    }
  }
}

/**
 * Before each of many calls of one part: no other process takes the purge while it goes on, however
 * slow the upstream systems are.
 */
async function keepHolding({ database }: Services, run: PurgeRun): Promise<void> {
  if (!(await extendPurge(database.db, run))) throw new StepRejected(stepFailureText('purgeHeld'))
}

const parts: Readonly<
  Record<PurgePart, (services: Services, run: PurgeRun, signal: AbortSignal) => Promise<void>>
> = {
  async files({ systems }, { tenant }, signal) {
    if (tenant.fileSpaceId !== null) await systems.files?.purgeSpace(tenant.fileSpaceId, { signal })
  },
  async members(services, run, signal) {
    const { tenant } = run
    const { db } = services.database
    const { mail } = services.systems
    // What a creation with a lost response left there is found by its address.
    if (hasMail(services) && mail) await requireNames(services, mail, tenant.id, signal)
    for (const userId of await unfinishedMembersOf(db, tenant.id, mostMembers)) {
      await keepHolding(services, run)
      await syncMember(services, tenant.id, userId)
    }
    const count = await countMemberships(db, tenant.id)
    if (count > 0) throw new StepRejected(stepFailureText('membersLeft', count))
  },
  async mail(services, run, signal) {
    const { tenant } = run
    const { db } = services.database
    const { mail } = services.systems
    const there = hasMail(services) ? mail : null
    if (there) await requireNames(services, there, tenant.id, signal)
    for (const id of there ? await listMailListIds(db, tenant.id) : []) {
      await keepHolding(services, run)
      await pushList(services, id)
    }
    const left = there && (await findLeftMailList(db, tenant.id))
    if (left) throw new StepRejected(stepFailureText('listLeft', left.address))
    if (!there) await deleteMailLists(db, tenant.id)
    for (const { id, mailDomainId, mailPendingId } of await listDomains(db, tenant.id)) {
      for (const domainId of [mailDomainId, mailPendingId])
        if (domainId !== null) await there?.removeDomain(domainId, { signal })
      await db.transaction().execute((trx) => deleteDomain(trx, id))
    }
  },
  async identity(services, { tenant }, signal) {
    const { identity } = services.systems
    if (!identity) return
    for (const app of await listSsoApps(services.database.db, tenant.id)) {
      if (!(await deprovision(services, identity, app)))
        throw new StepRejected(stepFailureText('applicationLeft', app.name))
    }
    if (tenant.identityGroupId !== null)
      await identity.deleteGroup(tenant.identityGroupId, { signal })
  },
  async records({ database }, { tenant }) {
    await eraseTenantRecords(database.db, tenant.id)
  },
}

function record(
  { audit }: InTransaction,
  trx: Trx,
  action: 'tenant.purge_started' | 'tenant.purged',
  {
    id,
    slug,
    name,
    partnerSlug,
  }: { id: string; slug: string; name: string; partnerSlug: string | null },
  metadata: Record<string, unknown>,
): Promise<void> {
  const entry: AuditEntry = {
    action,
    resourceType: 'tenant',
    resourceId: id,
    resourceName: name,
    tenantSlug: slug,
    partnerSlug,
    metadata,
  }
  return audit.recordSystem(entry, trx)
}
