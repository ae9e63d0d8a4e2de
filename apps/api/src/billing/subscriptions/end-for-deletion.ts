import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import {
  findLiveSubscription,
  lockSubscriptionsOf,
  type SubscriptionRow,
} from '@atrium/db/billing/subscriptions'
import type { Trx } from '@atrium/db/platform/connect'
import type { InTransaction } from '../../rpc/services.ts'
import type { Subscriber } from './at-processor.ts'
import { endSubscription } from './cancel.ts'

export interface EndedSubscription {
  before: SubscriptionRow
  after: SubscriptionRow
}

/**
 * Ends the running subscription of a tenant that is being deleted, whatever the billing gate says,
 * and credits what was paid for the rest of the period. Undefined without one. The call's key
 * follows from the subscription's version, so another try after a lost answer or a killed process
 * is the same call. Throws AppError `upstream_failed` or `payments_not_configured`: then it runs
 * on.
 */
export async function endForDeletion(
  trx: Trx,
  services: InTransaction,
  tenant: Subscriber,
): Promise<EndedSubscription | undefined> {
  await lockSubscriptionsOf(trx, tenant.id)
  const row = await findLiveSubscription(trx, tenant.id)
  if (!row) return undefined
  const terms = { when: 'now', comment: null, credit: true } as const
  return endSubscription(trx, services, row, terms).catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error
    throw new AppError(error.code, errorText('subscriptionNotEnded', { message: error.text }), {
      cause: error,
    })
  })
}
