import { changedFields } from '@atrium/core/audit/audit'
import { entitlementsOf } from '@atrium/core/billing/entitlements'
import { grantingStatuses } from '@atrium/core/billing/subscriptions'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { Plan, TenantView, UpdateTenant } from '@atrium/core/tenants/tenants'
import { findEntitlementFacts } from '@atrium/db/billing/entitlements'
import { findLiveSubscription } from '@atrium/db/billing/subscriptions'
import { arrangeDomains, listDomains, mailboxesOn } from '@atrium/db/mail/domains'
import { mailListsOn } from '@atrium/db/mail/lists'
import { holdPartner } from '@atrium/db/partners/partners'
import type { Trx } from '@atrium/db/platform/connect'
import { reopenSteps } from '@atrium/db/provisioning/provisioning'
import {
  type LockedTenant,
  lockTenant,
  notifyTenant,
  readSeats,
  readTenantSummary,
  type TenantChanges,
  type TenantTrx,
  updateTenant as writeTenant,
} from '@atrium/db/tenants/tenants'
import { chooseSeats, grantPlan } from '../billing/entitlements/grant.ts'
import { entitlementRules } from '../billing/entitlements/read.ts'
import { rejectLimited } from '../billing/invoices/limits.ts'
import {
  domainTaken,
  isDomainTaken,
  rejectPlatformNames,
  rejectUnavailable,
} from '../mail/domains/available.ts'
import { domainsLeftOut, removeDomains } from '../mail/domains/remove-many.ts'
import { runProvisioning } from '../provisioning/run.ts'
import type { AuditEntry } from '../rpc/audit-recorder.ts'
import type { Context } from '../rpc/context.ts'
import { requireVersion } from '../rpc/edit-version.ts'
import { type Access, mayManageAsPartner } from '../rpc/guards.ts'
import { rejectFormerStaff } from '../rpc/partner-lock.ts'
import type { InTransaction, TransactionContext } from '../rpc/services.ts'
import { tenantTransaction } from '../rpc/tenant-transaction.ts'
import { readTenant } from './get.ts'
import { settleMove } from './move-to-partner.ts'
import { editableTenant } from './view.ts'

/**
 * Changes a tenant. Each field has its own permission: `plan` operators and the owning partner,
 * `partnerId` operators, `domains` admins and operators, the rest admins, operators and the owning
 * partner. New domains and a new plan reach the upstream systems by a provisioning run. Domains
 * that are left out are removed one by one: last, and when the mail server fails for one (502), it
 * stays while the other changes are kept.
 */
export async function updateTenant(
  ctx: Context,
  access: Access,
  input: UpdateTenant,
): Promise<TenantView> {
  const { services } = ctx
  rejectForeignFields(access, input)
  const domains = input.domains && [...new Set(input.domains)]
  if (domains?.length === 0) {
    throw new AppError('invalid_input', undefined, {
      issues: [{ path: 'domains', message: errorText('lastDomain') }],
    })
  }
  rejectPlatformNames(services, access.tenant.slug, domains ?? [], 'domains')
  const leaving = domains ? await domainsLeftOut(services, access, domains) : []
  const { changes, added, reprovision, tenantId } = await tenantTransaction(
    services,
    access.tenant.id,
    async (trx) => {
      const written = await write(trx, services, access, input, domains)
      if (written.added.length > 0) written.changes.domains = [[], written.added]
      if (leaving.length === 0) await recordUpdate(ctx, trx, access, written)
      return written
    },
  ).catch((error: unknown) => {
    throw isDomainTaken(error) ? domainTaken('domains', error) : error
  })
  const { removed, failure } = await removeDomains(services, leaving)
  if (removed.length > 0) changes.domains = [removed, added]
  // Only now is known which domains are gone.
  if (leaving.length > 0)
    await services.database.db
      .transaction()
      .execute((trx) => recordUpdate(ctx, trx, access, { tenantId, changes }))
  if (reprovision && !(await runProvisioning(services, tenantId, 'unfinished')))
    await services.jobs.enqueueProvisioning(tenantId, 1)
  // Changes made so far are kept and recorded.
  if (failure) throw failure
  return readTenant(services, access.tenant.slug, access.tenant.role)
}

async function recordUpdate(
  ctx: TransactionContext,
  trx: Trx,
  { caller }: Access,
  { tenantId, changes }: { tenantId: string; changes: Record<string, unknown> },
): Promise<void> {
  if (Object.keys(changes).length === 0) return
  const { slug, name, partnerSlug } = await readTenantSummary(trx, tenantId)
  const entry: AuditEntry = {
    action: 'tenant.updated',
    resourceType: 'tenant',
    resourceId: tenantId,
    resourceName: name,
    tenantSlug: slug,
    partnerSlug,
    metadata: { changes },
  }
  await ctx.services.audit.record(ctx, caller, entry, trx)
}

function rejectForeignFields({ caller, tenant }: Access, input: UpdateTenant): void {
  const owningPartner = mayManageAsPartner(caller, tenant)
  const admin = tenant.role === 'admin' || tenant.role === 'owner'
  if (input.partnerId !== undefined && !caller.operator) {
    throw new AppError('operator_required', errorText('attachByOperators'))
  }
  if (input.plan !== undefined && !caller.operator && !owningPartner) {
    throw new AppError('operator_required', errorText('planByOperators'))
  }
  if (input.domains !== undefined && !caller.operator && !admin) throw new AppError('not_admin')
}

/** Columns by the names that the API gives them, as the audit log shows them. */
function named({
  partner_id,
  brand_color,
  seat_mode,
  ...rest
}: TenantChanges): Record<string, unknown> {
  return {
    ...rest,
    ...(partner_id === undefined ? {} : { partnerId: partner_id }),
    ...(brand_color === undefined ? {} : { brandColor: brand_color }),
    ...(seat_mode === undefined ? {} : { seatMode: seat_mode }),
  }
}

/**
 * Mailboxes of people and distribution lists keep their domain here as they do when it is removed
 * alone.
 */
async function rejectUsedDomains(
  trx: Trx,
  tenantId: string,
  removed: readonly string[],
): Promise<void> {
  for (const name of removed) {
    const { count, examples } = await mailboxesOn(trx, tenantId, name, 5)
    const lists = await mailListsOn(trx, tenantId, name, 5)
    if (count + lists.count === 0) continue
    const used = [
      ...(count > 0 ? [count === 1 ? 'a mailbox' : `${count} mailboxes`] : []),
      ...(lists.count > 0
        ? [lists.count === 1 ? 'a distribution list' : `${lists.count} distribution lists`]
        : []),
    ]
    const message = errorText('domainUsedAmong', {
      name,
      used: used.join(' and '),
      value: [...examples, ...lists.examples].join(', '),
    })
    throw new AppError('domain_in_use', message, { issues: [{ path: 'domains', message }] })
  }
}

/**
 * Plan and seats: given by operators and the owning partner, chosen within what there is by admins.
 * Returns what changed.
 */
async function changePlan(
  trx: Trx,
  services: InTransaction,
  access: Access,
  before: LockedTenant,
  { plan, seats }: UpdateTenant,
) {
  const grants = access.caller.operator || mayManageAsPartner(access.caller, access.tenant)
  const changedTerms = changedFields(
    before,
    { plan: plan ?? before.plan, seats: seats ?? before.seats },
    ['plan', 'seats'],
  )
  const same = Object.keys(changedTerms).length === 0
  // The plan that a tenant still has after its subscription is granted when it is named, not when
  // other fields are saved.
  if (same && (plan === undefined || !grants || (await isSubscribed(trx, before.id)))) return {}
  if (!same) await rejectWhileSubscribed(trx, before.id, changedTerms.plan ? 'plan' : 'seats')
  const requested = {
    plan: plan ?? (await lastingPlan(trx, services, before)),
    seats: seats ?? before.seats,
  }
  if (grants) await grantPlan(trx, services, access.caller, before.id, requested)
  else await chooseSeats(trx, services, before.id, requested.seats)
  const after = await readSeats(trx, before.id)
  return changedFields(before, { ...before, ...after }, ['plan', 'seats'])
}

/** The plan apart from the days of grace after a subscription. */
async function lastingPlan(
  trx: Trx,
  services: InTransaction,
  { id, plan }: LockedTenant,
): Promise<Plan> {
  const now = services.clock.now()
  const facts = await findEntitlementFacts(trx, id, now)
  const rules = entitlementRules(services.config)
  if (entitlementsOf(facts, rules, now).state !== 'grace') return plan
  return entitlementsOf({ ...facts, subscription: null, overdue: null }, rules, now).plan
}

/** What a tenant pays for, and what it has, are the same. */
async function rejectWhileSubscribed(
  trx: Trx,
  tenantId: string,
  path: 'plan' | 'seats',
): Promise<void> {
  if (!(await isSubscribed(trx, tenantId))) return
  const message = errorText('planFollowsSubscription')
  throw new AppError('subscription_exists', message, { issues: [{ path, message }] })
}

async function isSubscribed(trx: Trx, tenantId: string): Promise<boolean> {
  const subscription = await findLiveSubscription(trx, tenantId)
  return subscription !== undefined && grantingStatuses.includes(subscription.status)
}

async function readEditable(
  trx: TenantTrx,
  { id, name, plan, seats, seat_mode, industry, brand_color, language, partner_id }: LockedTenant,
) {
  const domains = (await listDomains(trx, id)).map((domain) => domain.name)
  return editableTenant({
    name,
    plan,
    seats,
    seatMode: seat_mode,
    industry,
    brandColor: brand_color,
    language,
    partnerId: partner_id,
    domains,
  })
}

async function write(
  trx: TenantTrx,
  services: InTransaction,
  access: Access,
  input: UpdateTenant,
  domains: readonly string[] | undefined,
) {
  const before = await lockTenant(trx, input.slug)
  if (!before) throw new AppError('not_found')
  await rejectFormerStaff(trx, access, before.partner_id, { evenAdmins: input.plan !== undefined })
  if (before.status === 'deleted') throw new AppError('tenant_deleted')
  if (input.expectedVersion !== undefined)
    requireVersion(input.expectedVersion, await readEditable(trx, before))
  // As one by one: the rest of a suspended tenant may be put in order.
  if (domains && before.status === 'suspended') throw new AppError('tenant_suspended')
  if (input.partnerId) {
    const partner = await holdPartner(trx, input.partnerId)
    if (!partner)
      throw new AppError('invalid_input', undefined, {
        issues: [{ path: 'partnerId', message: errorText('unknownPartner') }],
      })
    if (partner.status !== 'active') throw new AppError('partner_unavailable')
  }
  const requested: TenantChanges = {
    ...(input.name === undefined ? {} : { name: input.name }),
    ...(input.partnerId === undefined ? {} : { partner_id: input.partnerId }),
    ...(input.seatMode === undefined ? {} : { seat_mode: input.seatMode }),
    ...(input.industry === undefined ? {} : { industry: input.industry }),
    ...(input.brandColor === undefined ? {} : { brand_color: input.brandColor }),
    ...(input.language === undefined ? {} : { language: input.language }),
  }
  const changes = changedFields(
    named(before),
    named({ ...before, ...requested }),
    Object.keys(named(requested)),
  )
  if (Object.keys(changes).length > 0) await writeTenant(trx, before.id, requested)
  if (changes.partnerId && input.partnerId !== undefined) {
    const move = { tenantId: before.id, from: before.partner_id, to: input.partnerId }
    await settleMove(trx, services, move)
  }
  Object.assign(changes, await changePlan(trx, services, access, before, input))
  const { added, others, firstIsPrimary } = domains
    ? await arrangeDomains(trx, before.id, domains, services.config.tenantDomain)
    : { added: [], others: [], firstIsPrimary: true }
  if (!firstIsPrimary) {
    const message = errorText('primaryNotVerified', { value: domains?.[0] ?? '' })
    throw new AppError('domain_not_verified', message, { issues: [{ path: 'domains', message }] })
  }
  await rejectUsedDomains(trx, before.id, others)
  if (added.length > 0) {
    await rejectLimited(trx, services, before.id)
    await services.limits.requireCapacity(trx, 'domains', before.id, (domains?.length ?? 0) - 1)
    await rejectUnavailable(trx, before.id, added, 'domains')
  }
  const affected = [
    ...(added.length > 0 ? (['mail'] as const) : []),
    ...(changes.plan || changes.name ? (['files'] as const) : []),
  ]
  await reopenSteps(trx, before.id, affected)
  await notifyTenant(trx, before.id)
  return { changes, added, reprovision: affected.length > 0, tenantId: before.id }
}
