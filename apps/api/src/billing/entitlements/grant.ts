import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { Plan } from '@atrium/core/tenants/tenants'
import { replaceGrant } from '@atrium/db/billing/entitlements'
import type { Trx } from '@atrium/db/platform/connect'
import type { Config } from '../../platform/config.ts'
import type { Caller } from '../../rpc/caller.ts'
import type { InTransaction } from '../../rpc/services.ts'
import { followEntitlements } from './follow.ts'
import { readEntitlements } from './read.ts'

export interface Requested {
  plan: Plan
  /** 0: no limit, or the free plan's own number. */
  seats: number
}

/** Whether these are within the free plan, so that anybody may have them. */
export function isFree({ billing }: Config, { plan, seats }: Requested): boolean {
  return plan === 'free' && seats <= billing.freeSeats
}

/**
 * Throws AppError `subscription_required`, with an issue for each field, when plan or seats are
 * beyond the free plan.
 */
export function rejectBeyondFree(
  services: InTransaction,
  { plan = 'free', seats = 0 }: { plan?: Plan | undefined; seats?: number | undefined },
): void {
  const { freeSeats } = services.config.billing
  const issues = [
    ...(plan === 'free'
      ? []
      : [
          {
            path: 'plan',
            message: errorText('planNeedsSubscription', { plan }),
          },
        ]),
    ...(seats <= freeSeats
      ? []
      : [
          {
            path: 'seats',
            message: errorText('freeSeats', { freeSeats }),
          },
        ]),
  ]
  if (issues.length > 0) throw new AppError('subscription_required', issues[0]?.message, { issues })
}

/**
 * Records who gave the tenant plan and seats without a subscription, in place of an earlier grant;
 * what the free plan holds needs none and ends it. The caller is an operator or of the owning
 * partner. Requires the tenant's row lock.
 */
export async function recordGrant(
  trx: Trx,
  services: InTransaction,
  caller: Pick<Caller, 'operator' | 'id'>,
  tenantId: string,
  requested: Requested,
): Promise<void> {
  const now = services.clock.now()
  const grant = {
    ...requested,
    grantedBy: caller.operator ? ('operator' as const) : ('partner' as const),
    grantedByUser: caller.id ?? null,
  }
  if (!isFree(services.config, requested)) return replaceGrant(trx, tenantId, grant, now)
  await replaceGrant(trx, tenantId, null, now)
  // In the days of grace after a subscription the free plan is a decision as well, and ends them,
  // also while the tenant is limited because of a debt.
  if ((await readEntitlements(trx, services, tenantId)).plan === 'free') return
  await replaceGrant(
    trx,
    tenantId,
    { ...grant, seats: requested.seats || services.config.billing.freeSeats },
    now,
  )
}

/** As `recordGrant`, and the tenant has it from then on. The caller provisions the file space. */
export async function grantPlan(
  trx: Trx,
  services: InTransaction,
  caller: Caller,
  tenantId: string,
  requested: Requested,
): Promise<void> {
  await recordGrant(trx, services, caller, tenantId, requested)
  await followEntitlements(trx, services, tenantId, {
    seats: requested.seats === 0 ? undefined : requested.seats,
    provisions: true,
  })
}

/**
 * Sets fewer seats than the tenant is entitled to; 0 for all of them. Throws AppError
 * `subscription_required` for more. Requires the tenant's row lock.
 */
export async function chooseSeats(
  trx: Trx,
  services: InTransaction,
  tenantId: string,
  seats: number,
): Promise<void> {
  const { seats: entitled, reason } = await readEntitlements(trx, services, tenantId)
  if (entitled !== 0 && seats > entitled) {
    const plan = reason === 'grant' ? 'What was granted to this workplace' : 'The free plan'
    const message = errorText('entitledSeats', { plan, entitled })
    throw new AppError('subscription_required', message, { issues: [{ path: 'seats', message }] })
  }
  await followEntitlements(trx, services, tenantId, {
    seats: seats === 0 ? undefined : seats,
    provisions: true,
  })
}
