import { isEnded } from '@atrium/core/billing/subscription-life'
import { changeableStatuses, periodTotal } from '@atrium/core/billing/subscriptions'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import {
  findTenantSubscription,
  lockSubscriptionsOf,
  type SubscriptionRow,
} from '@atrium/db/billing/subscriptions'
import type { Trx } from '@atrium/db/platform/connect'
import type { Access } from '../../rpc/guards.ts'
import { rejectFormerAdmin } from '../../rpc/open-tenant.ts'
import { isActingAsPartner } from './consent.ts'
import type { Target } from './target.ts'

/** Somebody may have taken the caller's role away since the guard looked. */
export async function rejectFormerRight(trx: Trx, access: Access): Promise<void> {
  if (!isActingAsPartner(access)) await rejectFormerAdmin(trx, access)
}

/**
 * The tenant's subscription, with nobody else at work on it. Throws AppError `tenant_deleted`,
 * `not_found`, `subscription_ended`.
 */
export async function lockTenantSubscription(trx: Trx, access: Access): Promise<SubscriptionRow> {
  if (access.tenant.status === 'deleted') throw new AppError('tenant_deleted')
  await lockSubscriptionsOf(trx, access.tenant.id)
  await rejectFormerRight(trx, access)
  const row = await findTenantSubscription(trx, access.tenant.id)
  if (!row) throw new AppError('not_found', errorText('noSubscription'))
  if (isEnded(row.status)) throw new AppError('subscription_ended')
  return row
}

/**
 * What was agreed by hand is changed by operators, who write the bill. Throws AppError
 * `operator_managed`.
 */
export function rejectAgreedByHand({ source }: SubscriptionRow, { caller }: Access): void {
  if (source === 'manual' && !caller.operator) throw new AppError('operator_managed')
}

/**
 * Throws AppError `subscription_ended`, `uncancel_first`, `subscription_state`, `currency_locked`.
 */
export function rejectUnchangeable(row: SubscriptionRow, currency: string | undefined): void {
  if (isEnded(row.status)) throw new AppError('subscription_ended')
  if (currency !== undefined && currency !== row.currency) {
    throw new AppError(
      'currency_locked',
      errorText('subscriptionCurrency', { currency: row.currency }),
    )
  }
  if (row.cancelAtPeriodEnd) throw new AppError('uncancel_first')
  if (row.status === 'past_due')
    throw new AppError('subscription_state', errorText('payBeforeChange'))
  if (!changeableStatuses.includes(row.status)) {
    throw new AppError(
      'subscription_state',
      errorText('subscriptionNotChangeable', { status: row.status.replace('_', ' ') }),
    )
  }
}

/** What `effectOf` compares of the terms that hold now. */
export function termsOf(row: SubscriptionRow) {
  const { plan, cycle, seats, status, taxBehavior } = row
  return { plan, cycle, seats, status, taxBehavior, total: periodTotal(row) }
}

/** Whether plan, cycle or seats of the target are other ones. */
export function differsFrom(row: SubscriptionRow, target: Target): boolean {
  return row.plan !== target.plan || row.cycle !== target.cycle || row.seats !== target.seats
}

/** Throws AppError `invalid_input` when everything would stay as it is. */
export function rejectNoChange(row: SubscriptionRow, target: Target): void {
  if (!differsFrom(row, target))
    throw new AppError('invalid_input', undefined, {
      issues: [{ path: '', message: errorText('nothingWouldChange') }],
    })
}
