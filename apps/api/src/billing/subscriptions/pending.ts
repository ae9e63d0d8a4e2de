import type { PendingChange, UpdateSubscription } from '@atrium/core/billing/subscriptions'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { SubscriptionRow } from '@atrium/db/billing/subscriptions'
import type { Db, Trx } from '@atrium/db/platform/connect'
import { type Buyer, type Requested, type Target, targetOf } from './target.ts'

/** What stays scheduled when the named fields change at once. */
export function pendingWithout(
  pending: PendingChange | null,
  input: Pick<UpdateSubscription, 'plan' | 'cycle' | 'seats'>,
): PendingChange | null {
  if (!pending) return null
  const { plan, cycle, seats, ...when } = pending
  const left = {
    ...(plan === undefined || input.plan !== undefined ? {} : { plan }),
    ...(cycle === undefined || input.cycle !== undefined ? {} : { cycle }),
    ...(seats === undefined || input.seats !== undefined ? {} : { seats }),
  }
  return Object.keys(left).length > 0 ? { ...left, ...when } : null
}

/** What is scheduled, together with one more change for the end of the period. */
export function pendingWith(row: SubscriptionRow, target: Target): Requested {
  const { plan, cycle, seats } = row.pending ?? {}
  return {
    plan: target.plan === row.plan ? plan : target.plan,
    cycle: target.cycle === row.cycle ? cycle : target.cycle,
    seats: target.seats === row.seats ? seats : target.seats,
  }
}

/**
 * The terms of the next period once the subscription has changed to `target` and `left` is still
 * scheduled. Throws AppError `price_unavailable` where the catalog does not sell both together.
 */
export async function nextTerms(
  db: Db | Trx,
  row: SubscriptionRow,
  { target, left, buyer }: { target: Target; left: PendingChange | null; buyer: Buyer },
): Promise<Target> {
  if (!left) return target
  const { total: _, ...terms } = target
  return targetOf(db, { ...row, ...terms }, left, buyer).catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error
    throw new AppError('price_unavailable', errorText('scheduledChangeConflicts'), { cause: error })
  })
}
