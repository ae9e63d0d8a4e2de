import type { DeclineGrant, GrantPath, GrantView } from '@atrium/core/access-grants/access-grants'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import {
  acknowledgeGrant as acknowledge,
  approveGrant as approve,
  declineGrant as decline,
  findGrant,
  type GrantRow,
  isRequesterEligible,
} from '@atrium/db/access-grants/access-grants'
import type { TenantTrx } from '@atrium/db/tenants/tenants'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import { evenSuspended, lockOpenTenant } from '../rpc/open-tenant.ts'
import { tenantTransaction } from '../rpc/tenant-transaction.ts'
import { readVisibleGrant, rejectFormerOwner } from './find.ts'
import { mailDecision } from './mails.ts'
import { grantEntry, statusAt, toGrantView } from './view.ts'

/**
 * Gives the access that was asked for, until the end that was asked for. Throws AppError
 * `not_found`, `not_owner`, `grant_state` for a request that was decided, has expired, or whose
 * person is no longer who asked: off the staff, deactivated, or of a partner that does not have the
 * tenant.
 */
export async function approveGrant(
  ctx: Context,
  access: Access,
  { id }: GrantPath,
): Promise<GrantView> {
  const { services } = ctx
  const now = services.clock.now()
  const row = await tenantTransaction(services, access.tenant.id, async (trx) => {
    const { by, request } = await pendingRequest(trx, access, id, now)
    if (request.userId === access.caller.id)
      throw new AppError('grant_state', errorText('grantNotNeeded'))
    if (
      !(await isRequesterEligible(trx, request)) ||
      !(await approve(trx, request, { at: now, by }))
    )
      throw new AppError('grant_state', errorText('grantOfFormerStaff'))
    await mailDecision(trx, services, request, 'approved')
    const approved = await readBack(trx, request)
    const entry = grantEntry(approved, 'access_grant.approved')
    await services.audit.record(ctx, access.caller, entry, trx)
    return approved
  })
  return toGrantView(row, access.caller, now)
}

/** Throws AppError `not_found`, `not_owner`, `grant_state`. */
export async function declineGrant(
  ctx: Context,
  access: Access,
  { id, reason }: DeclineGrant,
): Promise<GrantView> {
  const { services } = ctx
  const now = services.clock.now()
  const row = await tenantTransaction(services, access.tenant.id, async (trx) => {
    const { by, request } = await pendingRequest(trx, access, id, now)
    if (!(await decline(trx, request, { at: now, by, reason }))) throw new AppError('grant_state')
    await mailDecision(trx, services, request, 'declined')
    const declined = await readBack(trx, request)
    const entry = grantEntry(declined, 'access_grant.declined')
    await services.audit.record(ctx, access.caller, entry, trx)
    return declined
  })
  return toGrantView(row, access.caller, now)
}

/**
 * Notes that the owner knows of a break-glass access. Until then every admin sees its banner.
 * Repeating it changes nothing. Throws AppError `not_found`, `not_owner`, `grant_state`.
 */
export async function acknowledgeGrant(
  ctx: Context,
  access: Access,
  { id }: GrantPath,
): Promise<GrantView> {
  const { services } = ctx
  const now = services.clock.now()
  const row = await tenantTransaction(services, access.tenant.id, async (trx) => {
    await lockOpenTenant(trx, access.tenant.slug, evenSuspended)
    const by = await rejectFormerOwner(trx, access)
    const found = await readVisibleGrant(trx, access, id)
    if (found.kind !== 'break_glass') throw new AppError('grant_state')
    const first = await acknowledge(trx, found, { at: now, by })
    const acknowledged = await readBack(trx, found)
    const entry = grantEntry(acknowledged, 'access_grant.acknowledged')
    if (first) await services.audit.record(ctx, access.caller, entry, trx)
    return acknowledged
  })
  return toGrantView(row, access.caller, now)
}

/** A request that the caller may decide, under the tenant's lock. */
async function pendingRequest(
  trx: TenantTrx,
  access: Access,
  id: string,
  now: Date,
): Promise<{ by: string; request: GrantRow }> {
  await lockOpenTenant(trx, access.tenant.slug, evenSuspended)
  const by = await rejectFormerOwner(trx, access)
  const request = await readVisibleGrant(trx, access, id)
  if (request.status !== 'pending') throw new AppError('grant_state', errorText('grantDecided'))
  if (statusAt(request, now) !== 'pending')
    throw new AppError('grant_state', errorText('grantExpired'))
  return { by, request }
}

async function readBack(trx: TenantTrx, { tenantId, id }: GrantRow): Promise<GrantRow> {
  const row = await findGrant(trx, tenantId, id)
  if (!row) throw new Error(`the grant ${id} is gone`)
  return row
}
