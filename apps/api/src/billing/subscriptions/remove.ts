import { isEnded } from '@atrium/core/billing/subscription-life'
import type { CancelSubscription } from '@atrium/core/billing/subscriptions'
import { AppError } from '@atrium/core/platform/errors'
import { findSubscription, lockSubscriptionsOf } from '@atrium/db/billing/subscriptions'
import type { Caller } from '../../rpc/caller.ts'
import type { Context } from '../../rpc/context.ts'
import { oneAtATime } from './at-processor.ts'
import { confirmCancellation, endSubscription } from './cancel.ts'
import { onCurrentSubscription } from './catch-up.ts'
import { noSuchSubscription } from './get.ts'
import { auditSubscription } from './record.ts'

/**
 * Ends a subscription now or with its period; its row and its history stay. Throws as
 * `cancelSubscription`.
 */
export async function removeSubscription(
  ctx: Context,
  caller: Caller,
  input: CancelSubscription,
): Promise<void> {
  const { services } = ctx
  const found = await findSubscription(services.database.db, input.id)
  if (!found) throw noSuchSubscription()
  await onCurrentSubscription(services, found.tenantId, () =>
    oneAtATime(services, () =>
      services.database.db.transaction().execute(async (trx) => {
        await lockSubscriptionsOf(trx, found.tenantId)
        const row = await findSubscription(trx, input.id)
        if (!row) throw noSuchSubscription()
        if (isEnded(row.status)) throw new AppError('subscription_ended')
        if (input.when === 'period_end' && row.cancelAtPeriodEnd) return
        const ended = await endSubscription(trx, services, row, {
          when: input.when,
          comment: input.comment ?? null,
        })
        await confirmCancellation(trx, services, ended)
        const { before, after } = ended
        const { when } = input
        await auditSubscription(ctx, trx, caller, 'subscription.canceled', before, after, { when })
      }),
    ),
  )
}
