import { AppError } from '@atrium/core/platform/errors'
import { findUnsettledApprovals } from '@atrium/db/billing/approvals'
import { findLiveSubscription, lockSubscriptionsOf } from '@atrium/db/billing/subscriptions'
import { databaseNow } from '@atrium/db/platform/clock'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import type { Services } from '../../rpc/services.ts'
import { applyProcessorSubscription } from './apply.ts'
import { askProcessor, oneAtATime } from './at-processor.ts'

/**
 * Runs work on a tenant's subscription at the payment processor. Where the processor rejects it,
 * our row may be older than an event that has not arrived: the subscription is read and applied,
 * and if that changed the row, the work runs once more on what holds now. Otherwise the rejection
 * is thrown.
 */
export async function onCurrentSubscription<Result>(
  services: Services,
  tenantId: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!isRejection(error) || !(await catchUp(services, tenantId))) throw error
    return work()
  }
}

/**
 * Applies what the processor has now while an order within the limit waits for its payment: the
 * payment may be made, and the event that says so not have arrived. The next order is then counted
 * on the terms that hold. Throws AppError `upstream_failed`.
 */
export async function catchUpUnsettled(services: Services, tenantId: string): Promise<void> {
  const unsettled = await findUnsettledApprovals(services.database.db, tenantId)
  if (unsettled.length > 0) await catchUp(services, tenantId)
}

function isRejection(error: unknown): boolean {
  const cause = error instanceof AppError ? error.cause : error
  return cause instanceof UpstreamError && cause.kind === 'refused'
}

/** Applies what the processor has now. False where the row was up to date. */
async function catchUp(services: Services, tenantId: string): Promise<boolean> {
  const { payments } = services.systems
  if (payments === null) return false
  return oneAtATime(services, () =>
    services.database.db.transaction().execute(async (trx) => {
      await lockSubscriptionsOf(trx, tenantId)
      const row = await findLiveSubscription(trx, tenantId)
      const id = row?.stripeSubscriptionId
      if (!row || !id) return false
      const readAt = await databaseNow(trx)
      const read = await askProcessor((signal) => payments.findSubscription(id, { signal }))
      const cause = { eventId: null, eventAt: null, readAt }
      const applied =
        read && (await applyProcessorSubscription(trx, services, tenantId, read, cause))
      return applied !== undefined && applied.after.version !== row.version
    }),
  )
}
