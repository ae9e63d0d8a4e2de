import type { AddressClaimPath, PersonElsewhere } from '@atrium/core/address-claims/address-claims'
import type { AuditAction } from '@atrium/core/audit/audit'
import { splitAddress } from '@atrium/core/mail/mail-addresses'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import {
  type AddressClaimRow,
  deleteAddressClaim,
  findAddressClaim,
  insertAddressClaim,
  lockPeopleElsewhere,
} from '@atrium/db/address-claims/address-claims'
import type { Trx } from '@atrium/db/platform/connect'
import { lockEmail } from '@atrium/db/users/users'
import type { AuditEntry } from '../rpc/audit-recorder.ts'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import { evenSuspended, lockOpenTenant, rejectFormerAdmin } from '../rpc/open-tenant.ts'
import type { InTransaction, TransactionContext } from '../rpc/services.ts'
import { tenantTransaction } from '../rpc/tenant-transaction.ts'
import { requirePortal } from '../users/access-link.ts'
import { provenDomain, toPersonElsewhere } from './list.ts'
import { mailClaim } from './mails.ts'

/**
 * Claims an address on a proved domain from an identity that the tenant did not create: the person
 * and the admins of the other tenant get notice by mail. Until the time is over the person can move
 * or take another address. Throws AppError `not_found`, `domain_not_verified`, `already_exists`,
 * `rate_limited`, `integration_off`, `tenant_suspended`, `tenant_deleted`.
 */
export async function startAddressClaim(
  ctx: Context,
  access: Access,
  input: AddressClaimPath,
): Promise<PersonElsewhere> {
  const { services } = ctx
  requirePortal(services.config)
  const claim = await tenantTransaction(services, access.tenant.id, async (trx) => {
    const tenant = await lockOpenTenant(trx, access.tenant.slug)
    await rejectFormerAdmin(trx, access)
    const people = await claimedPeople(trx, services, tenant.id, input)
    const started: AddressClaimRow[] = []
    for (const { id: userId, email } of people) {
      const days = services.config.addressClaimDays
      if (!(await insertAddressClaim(trx, { tenantId: tenant.id, userId, email, days }))) continue
      const row = await findAddressClaim(trx, tenant.id, userId)
      if (row) started.push(row)
    }
    const [first] = started
    if (!first) throw new AppError('already_exists', errorText('addressClaimed'))
    for (const row of started) await mailClaim(services, trx, row)
    await services.limits.takeIn(trx, ctx.request, [{ limit: 'address_claims_day', of: tenant.id }])
    await recordOnClaim(ctx, trx, access, 'address.claim_started', first.email)
    return first
  })
  return toPersonElsewhere(claim)
}

/** Ends a claim without consequences. Throws AppError `not_found`. */
export async function withdrawAddressClaim(
  ctx: Context,
  access: Access,
  input: AddressClaimPath,
): Promise<void> {
  const { services } = ctx
  await tenantTransaction(services, access.tenant.id, async (trx) => {
    const tenant = await lockOpenTenant(trx, access.tenant.slug, evenSuspended)
    await rejectFormerAdmin(trx, access)
    const people = await claimedPeople(trx, services, tenant.id, input)
    const ended: boolean[] = []
    for (const { id: userId } of people)
      ended.push(await deleteAddressClaim(trx, { tenantId: tenant.id, userId }))
    if (!ended.includes(true)) throw noSuchPerson()
    await recordOnClaim(ctx, trx, access, 'address.claim_withdrawn', input.email)
  })
}

async function claimedPeople(
  trx: Trx,
  services: InTransaction,
  tenantId: string,
  { domain, email }: AddressClaimPath,
) {
  const { name } = await provenDomain(services, trx, tenantId, domain)
  if (splitAddress(email).domain !== name) throw noSuchPerson()
  await lockEmail(trx, email)
  const people = await lockPeopleElsewhere(trx, { tenantId, domain: name, email })
  if (people.length === 0) throw noSuchPerson()
  return people
}

const noSuchPerson = () => new AppError('not_found', errorText('noPersonElsewhere'))

function recordOnClaim(
  ctx: TransactionContext,
  trx: Trx,
  { caller, tenant }: Access,
  action: AuditAction,
  email: string,
): Promise<void> {
  const entry: AuditEntry = {
    action,
    resourceType: 'address',
    resourceId: email,
    resourceName: email,
    tenantSlug: tenant.slug,
    partnerSlug: tenant.partnerSlug,
  }
  return ctx.services.audit.record(ctx, caller, entry, trx)
}
