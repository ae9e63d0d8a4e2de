import { hasPartnerRight } from '@atrium/core/partners/partner-access'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { isReservedSlug, slugCandidates, slugify } from '@atrium/core/tenants/slugs'
import type { CreateTenant, TenantView } from '@atrium/core/tenants/tenants'
import type { InvitationRow } from '@atrium/db/invitations/invitations'
import { findPartner, holdPartner } from '@atrium/db/partners/partners'
import type { Trx } from '@atrium/db/platform/connect'
import { ownsSuspendedAlone } from '@atrium/db/tenants/tenant-access'
import {
  countOwnedTenants,
  insertTenant,
  isSlugTaken,
  type NewTenant,
} from '@atrium/db/tenants/tenants'
import { findCaller } from '@atrium/db/users/callers'
import { insertUser, placeholderEmail } from '@atrium/db/users/users'
import { checkedBillingInfo } from '../billing/billing-info/check.ts'
import { isFree, recordGrant, rejectBeyondFree } from '../billing/entitlements/grant.ts'
import {
  domainTaken,
  isDomainTaken,
  rejectPlatformNames,
  rejectUnavailable,
} from '../mail/domains/available.ts'
import { isManaged } from '../mail/domains/view.ts'
import { readSettings } from '../partners/settings.ts'
import type { Config } from '../platform/config.ts'
import { recoverAfterSeconds } from '../provisioning/jobs.ts'
import { runProvisioning } from '../provisioning/run.ts'
import type { AuditEntry } from '../rpc/audit-recorder.ts'
import type { Caller, RequestInfo } from '../rpc/caller.ts'
import type { Context } from '../rpc/context.ts'
import type { InTransaction, Services } from '../rpc/services.ts'
import { requirePortal } from '../users/access-link.ts'
import { inviterOf, issueInvitation, nameFrom, toRecipient } from '../users/issue-invitation.ts'
import { invitationEntry } from '../users/record-invitation.ts'
import { readTenant } from './get.ts'
import { groupNameFor, hasForeignGroup } from './group-name.ts'

/**
 * Creates a tenant and provisions it. The record is kept even when steps fail; the response has
 * each step's state. A requested slug that is taken returns 409 `already_exists`; a derived one
 * gets a number. Operators may name a partner, and operators and partner staff an owner, who is
 * invited by mail; until somebody accepts, the tenant awaits its owner. Partner staff creates
 * tenants for its partner, with the plan and seats of its settings by default, and owns none. Both
 * may give a plan and seats, which are recorded as a grant; anyone else gets the free plan: 409
 * `subscription_required` for more.
 */
export async function createTenant(
  ctx: Context,
  someone: Caller,
  input: CreateTenant,
): Promise<TenantView> {
  const { services } = ctx
  rejectForeignFields(someone, input)
  const caller = someone.service ? someone : { ...someone, id: await storedId(services, someone) }
  const ownerId = chooseOwner(services, caller, input)
  const partner = await choosePartner(services, caller, input)
  const defaults =
    partner && partner === caller.partner
      ? await readSettings(services.database.db, partner.id)
      : undefined
  const requested = {
    plan: input.plan ?? defaults?.defaultPlan ?? 'free',
    seats: input.seats ?? defaults?.defaultSeats ?? 0,
  }
  const grants = caller.operator || defaults !== undefined
  if (!grants) rejectBeyondFree(services, requested)
  const tenant = {
    name: input.name,
    plan: requested.plan,
    seats:
      requested.seats === 0 && isFree(services.config, requested)
        ? services.config.billing.freeSeats
        : requested.seats,
    partnerId: partner?.id ?? null,
    industry: input.industry ?? null,
    brandColor: input.brandColor ?? null,
    billing: checkedBillingInfo(input.billingInfo ?? {}, 'billingInfo.').billingInfo,
    ownerId,
  }
  const created = await insertUnderFreeSlug(ctx, caller, tenant, input, async (trx, made) => {
    const { id, slug } = made
    await recordGrant(trx, services, caller, id, requested)
    const invitation =
      ownerId === null && input.ownerEmail !== undefined
        ? await inviteOwner(services, trx, id, caller, input.ownerEmail)
        : undefined
    await services.jobs.enqueueProvisioning(id, recoverAfterSeconds, trx)
    const entry: AuditEntry = {
      action: 'tenant.created',
      resourceType: 'tenant',
      resourceId: id,
      resourceName: input.name,
      tenantSlug: slug,
      partnerSlug: partner?.slug ?? null,
      metadata: {
        plan: tenant.plan,
        ...(ownerId === null ? { awaitsOwner: true } : {}),
        ...(input.domains?.length ? { domains: input.domains } : {}),
      },
    }
    await services.audit.record(ctx, caller, entry, trx)
    if (!invitation) return
    const invited = invitationEntry('invitation.created', invitation)
    await services.audit.record(ctx, caller, invited, trx)
  })
  if (input.respondAsync) {
    services.background.run('provisioning', () =>
      runProvisioning(services, created.id, 'unfinished'),
    )
  } else {
    await runProvisioning(services, created.id, 'unfinished')
  }
  return readTenant(services, created.slug, ownerId === caller.id ? 'owner' : null)
}

function rejectForeignFields(caller: Caller, input: CreateTenant): void {
  if (caller.service?.kind === 'tenant')
    throw new AppError('insufficient_scope', errorText('notForTenantTokens'))
  if (caller.operator) return
  if (input.partnerId !== undefined || (input.ownerEmail !== undefined && !caller.partner))
    throw new AppError('operator_required', errorText('operatorFields'))
}

/**
 * A caller whose first call is this one has no record yet. One is created, because a tenant needs
 * its owner; existing records are written from a token only by GET /users/me.
 */
async function storedId(services: Services, caller: Caller): Promise<string> {
  if (caller.id) return caller.id
  const email = caller.token.email ?? placeholderEmail(caller.subject)
  const inserted = await insertUser(services.database.db, {
    subject: caller.subject,
    email,
    name: caller.token.name ?? email,
  })
  const id = inserted?.id ?? (await findCaller(services.database, caller.subject))?.id
  if (!id) throw new AppError('internal')
  return id
}

/**
 * Null for a tenant that awaits its owner: no one owns a tenant by address alone, and staff of a
 * partner and programs set tenants up for others.
 */
function chooseOwner(
  { config }: Services,
  caller: Caller,
  { ownerEmail }: CreateTenant,
): string | null {
  if (ownerEmail !== undefined && ownerEmail !== caller.email) {
    requirePortal(config)
    return null
  }
  const forOthers = ownerEmail === undefined && !caller.operator && caller.partner !== undefined
  return forOthers ? null : (caller.id ?? null)
}

async function inviteOwner(
  services: InTransaction,
  trx: Trx,
  tenantId: string,
  caller: Caller,
  email: string,
): Promise<InvitationRow> {
  const { invitation } = await issueInvitation(services, trx, {
    kind: 'owner',
    role: 'owner',
    tenantId,
    email,
    name: nameFrom({ email }),
    inviter: inviterOf(caller, 'Atrium'),
  })
  await services.limits.takeIn(trx, undefined, [toRecipient(email)])
  return invitation
}

async function choosePartner(
  services: Services,
  caller: Caller,
  input: CreateTenant,
): Promise<{ id: string; slug: string } | undefined> {
  if (input.partnerId === undefined) return caller.operator ? undefined : ownPartner(caller)
  const partner = await findPartner(services.database.db, input.partnerId)
  if (!partner) {
    throw new AppError('invalid_input', undefined, {
      issues: [{ path: 'partnerId', message: errorText('unknownPartner') }],
    })
  }
  if (partner.status !== 'active') throw new AppError('partner_unavailable')
  return partner
}

/**
 * People who work for a partner create tenants for it, or none: a tenant of their own would escape
 * the partner's accounts.
 */
function ownPartner({ partner }: Caller): Caller['partner'] {
  if (partner === undefined) return undefined
  if (!hasPartnerRight(partner.access, 'manageCustomers')) throw new AppError('access_level')
  if (partner.status !== 'active') throw new AppError('partner_suspended')
  return partner
}

/**
 * A slug that begins with the prefix of groups would, without it, be the name of another tenant's
 * group.
 */
function bearsPrefix({ config: { tenantGroupPrefix } }: Services, slug: string): boolean {
  return tenantGroupPrefix !== '' && slug.startsWith(tenantGroupPrefix)
}

/**
 * Candidate slugs, starting with the first, whose group no one else has created. At most three are
 * looked up at the provider.
 */
async function withoutForeignGroup(
  services: Services,
  slugs: readonly string[],
): Promise<readonly string[]> {
  const { identity } = services.systems
  if (!identity) return slugs
  for (let at = 0; at < Math.min(slugs.length, 3); at++) {
    if (!(await hasForeignGroup(services, identity, slugs[at] ?? ''))) return slugs.slice(at)
  }
  return slugs.slice(3)
}

/**
 * Counts a workplace for who creates it; operators create as many as they want. Throws AppError
 * `rate_limited`, `limit_reached`.
 */
async function takeWorkplace(
  trx: Trx,
  { services: { limits }, request }: { services: InTransaction; request: RequestInfo },
  caller: Caller,
  tenant: { ownerId: string | null; partnerId: string | null },
) {
  if (caller.operator) return
  if (await ownsSuspendedAlone(trx, caller.subject)) throw new AppError('workplace_suspended')
  if (tenant.partnerId !== null) {
    return limits.takeIn(trx, request, [{ limit: 'workplaces_partner_day', of: caller.subject }])
  }
  // First: what one person creates at the same time waits here, and is counted below.
  await limits.takeIn(trx, request, [{ limit: 'workplaces_person_day', of: caller.subject }])
  if (tenant.ownerId === null) return
  await limits.requireCapacity(
    trx,
    'workplaces_person',
    undefined,
    await countOwnedTenants(trx, tenant.ownerId),
  )
}

async function insertUnderFreeSlug(
  { services, request }: Context,
  caller: Caller,
  tenant: Omit<NewTenant, 'slug' | 'identityGroupName' | 'domains' | 'platformDomain'>,
  input: CreateTenant,
  inserted: (trx: Trx, made: { id: string; slug: string }) => Promise<void>,
): Promise<{ id: string; slug: string }> {
  const { config } = services
  const groups = Object.values(config.groups)
  if (input.slug !== undefined && isReservedSlug(input.slug, groups)) {
    throw new AppError('invalid_input', undefined, {
      issues: [{ path: 'slug', message: errorText('reservedName') }],
    })
  }
  const candidates =
    input.slug !== undefined
      ? [input.slug]
      : [...slugCandidates(slugify(input.name) ?? 'tenant', 100)]
  const provided = candidates.filter(
    (slug) => !isReservedSlug(slug, groups) && !bearsPrefix(services, slug),
  )
  const free = await withoutForeignGroup(services, provided)
  if (input.slug !== undefined && free.length === 0) {
    throw new AppError('invalid_input', undefined, {
      issues: [{ path: 'slug', message: errorText('reservedName') }],
    })
  }
  try {
    return await services.database.db.transaction().execute(async (trx) => {
      await takeWorkplace(trx, { services, request }, caller, tenant)
      if (tenant.partnerId && (await holdPartner(trx, tenant.partnerId))?.status !== 'active')
        throw new AppError('partner_unavailable')
      for (const slug of free) {
        rejectPlatformNames({ config }, slug, input.domains ?? [], 'domains')
        const domains = domainsOf(config, slug, input.domains ?? [])
        const identityGroupName = groupNameFor(config, slug)
        const made = await insertTenant(trx, {
          ...tenant,
          slug,
          identityGroupName,
          domains,
          platformDomain: services.config.tenantDomain,
        })
        if (!made) continue
        await rejectUnavailable(trx, made.id, input.domains ?? [], 'domains')
        await inserted(trx, made)
        return made
      }
      const groupTaken = input.slug !== undefined && !(await isSlugTaken(trx, input.slug))
      const message = errorText(groupTaken ? 'tenantGroupTaken' : 'tenantSlugTaken')
      throw new AppError('already_exists', message, { issues: [{ path: 'slug', message }] })
    })
  } catch (error) {
    throw isDomainTaken(error) ? domainTaken('domains', error) : error
  }
}

/**
 * The domains of a new tenant, the primary one first. Nothing can be addressed on a domain before
 * its proof, so the first one wanted is primary only when it needs none; else the tenant's own name
 * below the platform's domain is.
 */
function domainsOf(config: Config, slug: string, requested: readonly string[]): string[] {
  const [first] = requested
  const platform = `${slug}.${config.tenantDomain}`
  return [
    ...new Set(
      first !== undefined && isManaged({ config }, first) ? requested : [platform, ...requested],
    ),
  ]
}
