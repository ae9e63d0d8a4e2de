import { AppError } from '@atrium/core/errors'
import { isReservedSlug, slugCandidates, slugify } from '@atrium/core/slugs'
import type { CreateTenant, TenantView } from '@atrium/core/tenants'
import { findCaller } from '@atrium/db/callers'
import { violatedConstraint } from '@atrium/db/failures'
import { findPartner } from '@atrium/db/partners'
import { insertTenant, type NewTenant } from '@atrium/db/tenants'
import { findUserByEmail, insertUser, placeholderEmail } from '@atrium/db/users'
import { checkedBillingInfo } from '../billing-info/check.ts'
import type { Caller, Context } from '../context.ts'
import { domainTaken, refusePlatformNames } from '../domains/platform-names.ts'
import type { House } from '../house.ts'
import { recoverAfterSeconds } from '../provisioning/jobs.ts'
import { runProvisioning } from '../provisioning/run.ts'
import { readTenant } from './get.ts'

/**
 * Creates a tenant and provisions it. The record stands even when steps fail; the answer tells each step's state. A slug that was
 * asked for and is taken answers 409 `already_exists`; a derived one gets a number. Operators may name an owner and a partner.
 */
export async function createTenant(ctx: Context, someone: Caller, input: CreateTenant): Promise<TenantView> {
  const { house } = ctx
  refuseForeignFields(someone, input)
  const caller = { ...someone, id: await storedId(house, someone) }
  const ownerId = await chooseOwner(house, caller, input)
  const partner = await choosePartner(house, caller, input)
  const tenant = {
    name: input.name,
    plan: input.plan ?? 'free',
    partnerId: partner?.id ?? null,
    seats: input.seats ?? 0,
    industry: input.industry ?? null,
    brandColor: input.brandColor ?? null,
    billing: checkedBillingInfo(input.billingInfo ?? {}, 'billingInfo.').billingInfo,
    ownerId,
  }
  const created = await insertUnderFreeSlug(house, tenant, input)
  await house.audit.record(ctx, caller, {
    action: 'tenant.created',
    resourceType: 'tenant',
    resourceId: created.id,
    resourceName: input.name,
    tenantSlug: created.slug,
    partnerSlug: partner?.slug ?? null,
    metadata: { plan: tenant.plan, ...(input.domains?.length ? { domains: input.domains } : {}) },
  })
  if (input.respondAsync) {
    house.background.run('provisioning', () => runProvisioning(house, created.id, 'unfinished'))
  } else {
    await runProvisioning(house, created.id, 'unfinished')
  }
  return readTenant(house, created.slug, ownerId === caller.id ? 'owner' : null)
}

function refuseForeignFields(caller: Caller, input: CreateTenant): void {
  if (caller.operator) return
  if (input.ownerEmail !== undefined || input.partnerId !== undefined) {
    throw new AppError('operator_required', 'Only operators may set ownerEmail and partnerId.')
  }
}

/**
 * Somebody whose first call is this one has no record yet. One is made, because a tenant needs its owner; an existing record is
 * written from a token by GET /users/me alone.
 */
async function storedId(house: House, caller: Caller): Promise<string> {
  if (caller.id) return caller.id
  const email = caller.token.email ?? placeholderEmail(caller.subject)
  const inserted = await insertUser(house.database.db, { subject: caller.subject, email, name: caller.token.name ?? email })
  const id = inserted?.id ?? (await findCaller(house.database, caller.subject))?.id
  if (!id) throw new AppError('internal')
  return id
}

async function chooseOwner(house: House, caller: Caller & { id: string }, input: CreateTenant): Promise<string> {
  if (input.ownerEmail === undefined || input.ownerEmail === caller.email) return caller.id
  const owner = await findUserByEmail(house.database.db, input.ownerEmail)
  if (owner) return owner.id
  throw new AppError('invalid_input', undefined, {
    issues: [{ path: 'ownerEmail', message: 'Nobody with this address has signed in yet.' }],
  })
}

async function choosePartner(house: House, caller: Caller, input: CreateTenant): Promise<{ id: string; slug: string } | undefined> {
  if (input.partnerId === undefined) return caller.operator ? undefined : caller.partner
  const partner = await findPartner(house.database.db, input.partnerId)
  if (!partner) {
    throw new AppError('invalid_input', undefined, { issues: [{ path: 'partnerId', message: 'There is no such partner.' }] })
  }
  if (partner.status !== 'active') throw new AppError('partner_unavailable')
  return partner
}

async function insertUnderFreeSlug(
  house: House,
  tenant: Omit<NewTenant, 'slug' | 'domains' | 'platformDomain'>,
  input: CreateTenant,
): Promise<{ id: string; slug: string }> {
  const groups = Object.values(house.config.groups)
  if (input.slug !== undefined && isReservedSlug(input.slug, groups)) {
    throw new AppError('invalid_input', undefined, { issues: [{ path: 'slug', message: 'This name is reserved.' }] })
  }
  const candidates = input.slug !== undefined ? [input.slug] : [...slugCandidates(slugify(input.name) ?? 'tenant', 100)]
  const free = candidates.filter((slug) => !isReservedSlug(slug, groups))
  try {
    return await house.database.db.transaction().execute(async (trx) => {
      for (const slug of free) {
        refusePlatformNames(house, slug, input.domains ?? [], 'domains')
        const domains = [...new Set(input.domains?.length ? input.domains : [`${slug}.${house.config.tenantDomain}`])]
        const inserted = await insertTenant(trx, { ...tenant, slug, domains, platformDomain: house.config.tenantDomain })
        if (!inserted) continue
        await house.jobs.wakeProvisioning(inserted.id, recoverAfterSeconds, trx)
        return inserted
      }
      const message = 'A tenant with this slug exists already.'
      throw new AppError('already_exists', message, { issues: [{ path: 'slug', message }] })
    })
  } catch (error) {
    if (violatedConstraint(error) === 'domains_name_key') throw domainTaken('domains', error)
    throw error
  }
}
