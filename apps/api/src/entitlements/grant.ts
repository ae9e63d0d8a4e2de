import { AppError } from '@atrium/core/errors'
import type { Plan } from '@atrium/core/tenants'
import type { Trx } from '@atrium/db/connect'
import { replaceGrant } from '@atrium/db/entitlements'
import type { Config } from '../config.ts'
import type { Caller } from '../context.ts'
import type { InTransaction } from '../house.ts'
import { followEntitlements } from './follow.ts'
import { readEntitlements } from './read.ts'

export interface Wanted {
  plan: Plan
  /** 0: no limit, or the free plan's own number. */
  seats: number
}

/** Whether these are within the free plan, so that anybody may have them. */
export function isFree({ billing }: Config, { plan, seats }: Wanted): boolean {
  return plan === 'free' && seats <= billing.freeSeats
}

/** Throws AppError `subscription_required`, with an issue for each field, when plan or seats are beyond the free plan. */
export function refuseBeyondFree(
  house: InTransaction,
  { plan = 'free', seats = 0 }: { plan?: Plan | undefined; seats?: number | undefined },
): void {
  const { freeSeats } = house.config.billing
  const issues = [
    ...(plan === 'free'
      ? []
      : [{ path: 'plan', message: `The plan ${plan} needs a subscription. Start with the free plan, then subscribe.` }]),
    ...(seats <= freeSeats ? [] : [{ path: 'seats', message: `The free plan has ${freeSeats} seats. More need a subscription.` }]),
  ]
  if (issues.length > 0) throw new AppError('subscription_required', issues[0]?.message, { issues })
}

/**
 * Records who gave the tenant plan and seats without a subscription, in place of an earlier grant; what the free plan holds needs none
 * and ends it. The caller is an operator or of the owning partner. Asks for the tenant's row lock.
 */
export async function recordGrant(trx: Trx, house: InTransaction, caller: Caller, tenantId: string, wanted: Wanted): Promise<void> {
  const now = house.clock.now()
  const grant = { ...wanted, givenBy: caller.operator ? ('operator' as const) : ('partner' as const), givenByUser: caller.id ?? null }
  if (!isFree(house.config, wanted)) return replaceGrant(trx, tenantId, grant, now)
  await replaceGrant(trx, tenantId, null, now)
  // In the days of grace after a subscription the free plan is a decision as well, and ends them.
  if ((await readEntitlements(trx, house, tenantId)).state !== 'grace') return
  await replaceGrant(trx, tenantId, { ...grant, seats: wanted.seats || house.config.billing.freeSeats }, now)
}

/** As `recordGrant`, and the tenant has it from then on. The caller provisions the file space. */
export async function grantPlan(trx: Trx, house: InTransaction, caller: Caller, tenantId: string, wanted: Wanted): Promise<void> {
  await recordGrant(trx, house, caller, tenantId, wanted)
  await followEntitlements(trx, house, tenantId, { seats: wanted.seats === 0 ? undefined : wanted.seats, provisions: true })
}

/**
 * Sets fewer seats than the tenant is entitled to; 0 for all of them. Throws AppError `subscription_required` for more. Asks for the
 * tenant's row lock.
 */
export async function chooseSeats(trx: Trx, house: InTransaction, tenantId: string, seats: number): Promise<void> {
  const { seats: entitled, reason } = await readEntitlements(trx, house, tenantId)
  if (entitled !== 0 && seats > entitled) {
    const plan = reason === 'grant' ? 'What was granted to this workplace' : 'The free plan'
    const message = `${plan} has ${entitled} seats. More need a subscription, under Billing, or the operator.`
    throw new AppError('subscription_required', message, { issues: [{ path: 'seats', message }] })
  }
  await followEntitlements(trx, house, tenantId, { seats: seats === 0 ? undefined : seats, provisions: true })
}
