import {
  type ListSubscriptions,
  mostStates,
  type ReadSubscription,
  type SubscriptionDetail,
  type SubscriptionPage,
  type TenantSubscription,
} from '@atrium/core/billing/subscriptions'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { cutPage } from '@atrium/core/platform/paging'
import {
  findSubscription,
  findTenantSubscription,
  listSubscriptionStates,
  listSubscriptions as querySubscriptions,
} from '@atrium/db/billing/subscriptions'
import { countMembers } from '@atrium/db/members/members'
import type { Services } from '../../rpc/services.ts'
import { toSubscriptionState, toSubscriptionView, toTenantSubscription } from './view.ts'

/** Newest first, ended ones too. */
export async function listSubscriptions(
  { database }: Services,
  { cursor, ...filter }: ListSubscriptions,
): Promise<SubscriptionPage> {
  const rows = await querySubscriptions(database.db, { ...filter, before: cursor })
  const { items, nextCursor } = cutPage(rows, filter.limit)
  return { items: items.map(toSubscriptionView), nextCursor }
}

/**
 * With every state that it was in, newest first, or with the one that held at `asOf`. Throws
 * AppError `not_found`.
 */
export async function getSubscription(
  { database }: Services,
  { id, asOf }: ReadSubscription,
): Promise<SubscriptionDetail> {
  const row = await findSubscription(database.db, id)
  if (!row) throw noSuchSubscription()
  const states = await listSubscriptionStates(database.db, id, {
    asOf: asOf === undefined ? undefined : new Date(asOf),
    limit: mostStates,
  })
  return { ...toSubscriptionView(row), history: states.map(toSubscriptionState) }
}

/** The one that has not ended, else the one that ended last; null when the tenant never had one. */
export async function getTenantSubscription(
  { database }: Services,
  tenantId: string,
): Promise<TenantSubscription | null> {
  const [row, assigned] = await Promise.all([
    findTenantSubscription(database.db, tenantId),
    countMembers(database.db, tenantId),
  ])
  return row ? toTenantSubscription(row, assigned) : null
}

export const noSuchSubscription = () => new AppError('not_found', errorText('unknownSubscription'))
