import { isEnded } from '@atrium/core/billing/subscription-life'
import { findCustomerTenant } from '@atrium/db/billing/payment-customers'
import { findSubscriptionByStripeId, type SubscriptionRow } from '@atrium/db/billing/subscriptions'
import { findInboxEvent } from '@atrium/db/billing/webhook-inbox'
import type { ProcessorSubscription } from '@atrium/integrations/payments/port'
import { Misshapen } from '@atrium/integrations/payments/shapes'
import { snapshotOf } from '@atrium/integrations/payments/snapshots'
import type { AuditEntry } from '../../rpc/audit-recorder.ts'
import { attendDunning } from '../invoices/dunning.ts'
import { billedTenant, sendBillingMail } from '../invoices/mails.ts'
import { findTenantOf } from '../invoices/tenant-of.ts'
import { applyProcessorSubscription } from '../subscriptions/apply.ts'
import { confirmCancellation } from '../subscriptions/cancel.ts'
import { isSameState, recordShownState } from '../subscriptions/state.ts'
import {
  applied,
  type EventWork,
  goneThere,
  type Outcome,
  stale,
  unknownTenant,
} from './outcome.ts'

/**
 * Brings the subscription to what the processor has now; then what follows from it: audit, dunning,
 * mails.
 */
export async function subscriptionChanged(work: EventWork): Promise<Outcome> {
  const { services, event, payments } = work
  const { db } = services.database
  if (!payments && (await isOfEarlierKind(work))) return stale
  const shown = shownBy(work)
  const found = payments ? await payments.findSubscription(event.objectId ?? '') : shown
  if (!found) return goneThere
  const tenantId = await findTenantOf(db, {
    customerId: found.customerId,
    subscriptionId: found.id,
    metadataTenantId: found.metadata.tenantId,
  })
  if (tenantId === undefined) return unknownTenant
  // What was read is as new as its reading; what the event shows, as old as the event.
  const readAt = payments ? event.claimedAt : event.created
  const change = await db.transaction().execute(async (trx) => {
    const made = await applyProcessorSubscription(trx, services, tenantId, found, {
      eventId: event.id,
      eventAt: event.created,
      readAt,
      stateAt: !shown || isSameState(shown, found) ? undefined : services.clock.now(),
    })
    const row = made?.after ?? (await findSubscriptionByStripeId(trx, found.id))
    if (row && shown) await recordShownState(trx, services, row, shown, event.created)
    // Canceled on the processor's own pages: what was canceled here is told already.
    if (made?.before && made.after.cancelAtPeriodEnd)
      await confirmCancellation(trx, services, { before: made.before, after: made.after })
    if (event.type === 'customer.subscription.trial_will_end') {
      // A later reading that stands already was for another event: the mail is this one's.
      if (row) await remindOfTrial(work, trx, tenantId, row)
    }
    for (const entry of made ? entriesOf(made, event.type) : [])
      await services.audit.recordSystem({ ...entry, source: 'webhook' }, trx)
    return made
  })
  if (!change) return stale
  await attendDunning(services, change.after.id)
  return applied
}

/**
 * Without keys, of two events of one second the one further in the life of a subscription wins: the
 * processor counts in seconds, and makes a subscription and its first change within one.
 */
async function isOfEarlierKind({ services, event }: EventWork): Promise<boolean> {
  const { db } = services.database
  const stored = await findSubscriptionByStripeId(db, event.objectId ?? '')
  if (!stored?.stripeEventId || stored.stripeEventAt?.getTime() !== event.created.getTime())
    return false
  const newest = await findInboxEvent(db, stored.stripeEventId)
  return newest !== undefined && rankOf(event.type) < rankOf(newest.type)
}

function rankOf(type: string): number {
  return type.endsWith('.created') ? 0 : type.endsWith('.deleted') ? 2 : 1
}

/**
 * The subscription as the event shows it. Undefined for the shape of another version of the
 * processor's API, where it can be read instead.
 */
function shownBy({ event, payments }: EventWork): ProcessorSubscription | undefined {
  try {
    const snapshot = snapshotOf(event.payload)
    return snapshot?.kind === 'subscription' ? snapshot.subscription : undefined
  } catch (error) {
    if (payments && error instanceof Misshapen) return undefined
    throw error
  }
}

/** The event fires also when a trial is cut short, so the state decides. */
async function remindOfTrial(
  { services }: EventWork,
  trx: Parameters<typeof sendBillingMail>[0],
  tenantId: string,
  subscription: SubscriptionRow,
): Promise<void> {
  const { status, trialEnd, plan } = subscription
  const tenant = await findCustomerTenant(trx, tenantId)
  if (status !== 'trialing' || trialEnd === null || trialEnd <= services.clock.now() || !tenant)
    return
  await sendBillingMail(
    trx,
    services,
    billedTenant(tenant),
    { template: 'subscription.trial_ending', plan, trialEnd },
    `${subscription.id}:${trialEnd.getTime()}`,
  )
}

interface Change {
  before: SubscriptionRow | undefined
  after: SubscriptionRow
}

const watched = ['plan', 'cycle', 'seats', 'status', 'cancelAtPeriodEnd'] as const

/**
 * What is worth an entry: changes that nobody here asked for, since those that somebody did are
 * applied and recorded by then.
 */
function entriesOf({ before, after }: Change, type: string): AuditEntry[] {
  const entry = (action: AuditEntry['action'], metadata: Record<string, unknown>): AuditEntry => ({
    action,
    resourceType: 'subscription',
    resourceId: after.id,
    resourceName: after.plan,
    tenantSlug: after.tenantSlug,
    partnerSlug: after.partnerSlug,
    metadata,
  })
  if (type === 'customer.subscription.pending_update_expired') {
    return [
      {
        ...entry('subscription.updated', {
          reason: 'not_paid_in_time',
        }),
        outcome: 'failure',
      },
    ]
  }
  if (!before) return [entry('subscription.created', { status: after.status, seats: after.seats })]
  const changes = Object.fromEntries(
    watched.flatMap((field) =>
      before[field] === after[field] ? [] : [[field, [before[field], after[field]]]],
    ),
  )
  if (Object.keys(changes).length === 0) return []
  if (isEnded(after.status) && !isEnded(before.status))
    return [entry('subscription.canceled', { changes, reason: after.cancelReason })]
  if (after.status === 'paused') return [entry('subscription.paused', { changes })]
  if (before.status === 'paused') return [entry('subscription.resumed', { changes })]
  return [entry('subscription.updated', { changes })]
}
