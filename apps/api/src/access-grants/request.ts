import {
  type AskForAccess,
  type BreakGlass,
  type GrantView,
  grantRequestDays,
  grantScopes,
  longestGrantDays,
} from '@atrium/core/access-grants/access-grants'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import {
  countBreakGlass,
  countPendingGrants,
  countRequestedGrants,
  endGrant,
  findGrant,
  findOpenGrant,
  type GrantRow,
  insertGrant,
  type NewGrant,
} from '@atrium/db/access-grants/access-grants'
import type { Trx } from '@atrium/db/platform/connect'
import type { TenantTrx } from '@atrium/db/tenants/tenants'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import { evenSuspended, lockOpenTenant } from '../rpc/open-tenant.ts'
import { rejectFormerStaff } from '../rpc/partner-lock.ts'
import { tenantTransaction } from '../rpc/tenant-transaction.ts'
import { mailBreakGlass, mailOwnerRequest } from './mails.ts'
import { grantEntry, statusAt, toGrantView } from './view.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** Requests that a partner, or the operators together, may have open at a tenant. */
const mostPending = 5
/** Requests at a tenant in a day: each one sends its owner a mail. */
const mostRequestsADay = 20
/** Break-glass accesses of an operator in a day: an operator account that was taken over. */
const mostBreakGlassADay = 10

/**
 * Asks the tenant's owner for access, in the caller's own name. Throws AppError `invalid_input` for
 * an end that is past or more than 30 days away, `grant_exists`, `grant_state` for who administers
 * the tenant already, `limit_reached`, `rate_limited`, and what a closed tenant is rejected with.
 */
export async function askForAccess(
  ctx: Context,
  access: Access,
  input: AskForAccess,
): Promise<GrantView> {
  const { services } = ctx
  const { caller, tenant } = access
  const now = services.clock.now()
  const endsAt = new Date(input.endsAt)
  if (endsAt <= now || endsAt.getTime() > now.getTime() + longestGrantDays * dayMs) {
    const message = errorText('grantEnd', { days: longestGrantDays })
    throw new AppError('invalid_input', undefined, { issues: [{ path: 'endsAt', message }] })
  }
  if (tenant.role === 'admin' || tenant.role === 'owner')
    throw new AppError('grant_state', errorText('grantNotNeeded'))
  const partnerId = caller.operator ? null : (caller.partner?.id ?? null)
  const row = await tenantTransaction(services, tenant.id, async (trx) => {
    const open = await lockOpenTenant(trx, tenant.slug)
    await rejectFormerStaff(trx, access, open.partner_id, { evenAdmins: true })
    if ((await countPendingGrants(trx, open.id, now, { partnerId })) >= mostPending)
      throw new AppError('limit_reached', errorText('tooManyOpenGrants', { most: mostPending }))
    const since = new Date(now.getTime() - dayMs)
    if ((await countRequestedGrants(trx, open.id, since)) >= mostRequestsADay)
      throw new AppError('rate_limited', errorText('tooManyGrants'), { retryAfterSeconds: 3600 })
    await endOverdue(trx, access, now)
    const made = await insert(trx, {
      tenantId: open.id,
      kind: 'requested',
      status: 'pending',
      userId: idOf(access),
      partnerId,
      role: input.role,
      scopes: input.scopes,
      reason: input.reason,
      requestedAt: now,
      expiresAt: new Date(now.getTime() + grantRequestDays * dayMs),
      endsAt,
    })
    await mailOwnerRequest(trx, services, made)
    await services.audit.record(ctx, caller, grantEntry(made, 'access_grant.requested'), trx)
    return made
  })
  return toGrantView(row, caller, now)
}

/**
 * Gives an operator access to everything that can be delegated, at once and without consent. Owner
 * and admins get a mail in the same transaction. It takes the place of what the operator had or had
 * asked for. Throws AppError `rate_limited`, `tenant_deleted`.
 */
export async function breakGlass(
  ctx: Context,
  access: Access,
  { reason, hours }: BreakGlass,
): Promise<GrantView> {
  const { services } = ctx
  const { caller, tenant } = access
  const userId = idOf(access)
  const now = services.clock.now()
  const since = new Date(now.getTime() - dayMs)
  const row = await tenantTransaction(services, tenant.id, async (trx) => {
    await lockOpenTenant(trx, tenant.slug, evenSuspended)
    if ((await countBreakGlass(trx, userId, since)) >= mostBreakGlassADay)
      throw new AppError('rate_limited', errorText('tooManyBreakGlass'), {
        retryAfterSeconds: 3600,
      })
    const before = await findOpenGrant(trx, tenant.id, userId)
    if (before) await endGrant(trx, before, { at: now, by: userId, ending: 'replaced' })
    const endsAt = new Date(now.getTime() + hours * hourMs)
    const made = await insert(trx, {
      tenantId: tenant.id,
      kind: 'break_glass',
      status: 'active',
      userId,
      partnerId: null,
      role: 'admin',
      scopes: grantScopes,
      reason,
      requestedAt: now,
      expiresAt: endsAt,
      endsAt,
    })
    await mailBreakGlass(trx, services, made)
    if (before) {
      const ended = grantEntry(before, 'access_grant.ended', { ending: 'replaced' })
      await services.audit.record(ctx, caller, ended, trx)
    }
    await services.audit.record(ctx, caller, grantEntry(made, 'access_grant.break_glass'), trx)
    return made
  })
  return toGrantView(row, caller, now)
}

function idOf({ caller }: Access): string {
  if (caller.id === undefined) throw new Error('the caller of a guarded tenant has a record')
  return caller.id
}

/** What the caller had and whose time is over makes way, also before the job has ended it. */
async function endOverdue(trx: TenantTrx, access: Access, now: Date): Promise<void> {
  const before = await findOpenGrant(trx, access.tenant.id, idOf(access))
  if (before && statusAt(before, now) !== before.status)
    await endGrant(trx, before, { at: now, by: null, ending: 'time' })
}

async function insert(trx: Trx, grant: NewGrant): Promise<GrantRow> {
  const id = await insertGrant(trx, grant)
  if (id === undefined) throw new AppError('grant_exists')
  const row = await findGrant(trx, grant.tenantId, id)
  if (!row) throw new Error(`the grant ${id} is gone`)
  return row
}
