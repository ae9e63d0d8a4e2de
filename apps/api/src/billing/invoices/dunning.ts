import { reminderDaysDue, suspensionDays } from '@atrium/core/billing/billing'
import { isEnded } from '@atrium/core/billing/subscription-life'
import {
  clearPastDue,
  type DunnedSubscription,
  type DunningCase,
  findDunningWork,
  lockDunnedSubscription,
  lockDunningCase,
  openDunningCase,
  saveDunningCase,
} from '@atrium/db/billing/dunning'
import { sumOpenInvoices } from '@atrium/db/billing/invoices'
import type { Trx } from '@atrium/db/platform/connect'
import { transitionTenant } from '@atrium/db/tenants/tenant-access'
import type { AuditEntry } from '../../rpc/audit-recorder.ts'
import type { InTransaction, Services } from '../../rpc/services.ts'
import { readEntitlements } from '../entitlements/read.ts'
import { liftSuspension, overdueReason } from './lift-suspension.ts'
import { sendBillingMail } from './mails.ts'

const batch = 200
const dayMs = 86_400_000

/** Checks every subscription that is or was past due. A failure of one does not stop the others. */
export async function runDunning(services: Services): Promise<void> {
  for (let after: string | undefined; ; ) {
    const ids: string[] = await findDunningWork(
      services.database.db,
      services.clock.now(),
      after,
      batch,
    )
    for (const id of ids) {
      await attendDunning(services, id).catch((err: unknown) =>
        services.log.error({ err, subscriptionId: id }, 'the dunning of a subscription failed'),
      )
    }
    after = ids.at(-1)
    if (ids.length < batch) return
  }
}

/**
 * Does for one subscription what is due by the clock: mails on the day a payment is missed and on
 * days 3, 7 and 12, the limit after the days of grace, the suspension where the installation wants
 * it; and lifts everything once it is paid. The end of a subscription ends none of this while an
 * invoice of it is overdue. May run any number of times.
 */
export async function attendDunning(services: Services, subscriptionId: string): Promise<void> {
  await services.database.db.transaction().execute(async (trx) => {
    const subscription = await lockDunnedSubscription(trx, subscriptionId, services.clock.now())
    const entries = subscription ? await attend(trx, services, subscription) : []
    for (const entry of entries) await services.audit.recordSystem(entry, trx)
  })
}

async function attend(
  trx: Trx,
  services: InTransaction,
  subscription: DunnedSubscription,
): Promise<AuditEntry[]> {
  const { owedSince: pastDueSince } = subscription
  const open = await lockDunningCase(trx, subscription.id)
  // A case of an earlier stretch was paid and missed again before anybody looked. The end of a
  // subscription begins no other stretch.
  const another =
    pastDueSince !== null &&
    !isEnded(subscription.status) &&
    open?.pastDueSince.getTime() !== pastDueSince.getTime()
  const entries =
    open && (pastDueSince === null || another) ? await close(trx, services, subscription, open) : []
  if (pastDueSince === null) return entries
  await openDunningCase(trx, {
    subscriptionId: subscription.id,
    tenantId: subscription.tenantId,
    pastDueSince,
  })
  const current = await lockDunningCase(trx, subscription.id)
  return current ? [...entries, ...(await advance(trx, services, subscription, current))] : entries
}

async function close(
  trx: Trx,
  services: InTransaction,
  subscription: DunnedSubscription,
  open: DunningCase,
): Promise<AuditEntry[]> {
  const now = services.clock.now()
  // The invoices of an ended one were paid or are void; a manual one has none.
  const ended = isEnded(subscription.status) && subscription.source === 'manual'
  await saveDunningCase(trx, open.id, { closedAt: now, outcome: ended ? 'ended' : 'recovered' })
  if (isEnded(subscription.status)) await clearPastDue(trx, subscription.id)
  if (ended) return []
  const resumed =
    open.suspendedAt !== null && (await liftSuspension(trx, services, subscription.tenantId))
  const recovered = entry(subscription, 'subscription.recovered', {
    pastDueSince: open.pastDueSince.toISOString(),
  })
  return resumed
    ? [recovered, tenantEntry(subscription, 'tenant.resumed', { reason: 'Paid.' })]
    : [recovered]
}

async function advance(
  trx: Trx,
  services: InTransaction,
  subscription: DunnedSubscription,
  open: DunningCase,
): Promise<AuditEntry[]> {
  const now = services.clock.now()
  const { autoSuspend } = services.config.billing
  const entries: AuditEntry[] = []
  const due = reminderDaysDue(open.pastDueSince, now).filter(
    (day) => !open.remindedDays.includes(day),
  )
  const latest = due.at(-1)
  if (latest !== undefined) {
    // After days without a worker the newest reminder stands for those that were missed.
    await remind(trx, services, subscription, open, latest)
    await saveDunningCase(trx, open.id, { remindedDays: [...open.remindedDays, ...due] })
    const action = due.includes(0) ? 'subscription.past_due' : 'subscription.payment_reminded'
    entries.push(
      entry(subscription, action, { day: latest, pastDueSince: open.pastDueSince.toISOString() }),
    )
  }
  const { state } = await readEntitlements(trx, services, subscription.tenantId)
  if (state === 'limited' && open.limitedAt === null) {
    await saveDunningCase(trx, open.id, { limitedAt: now })
    entries.push(
      tenantEntry(subscription, 'tenant.limited', {
        pastDueSince: open.pastDueSince.toISOString(),
      }),
    )
  }
  const days = (now.getTime() - open.pastDueSince.getTime()) / dayMs
  const running = subscription.tenantStatus === 'active' || subscription.tenantStatus === 'pending'
  if (autoSuspend && days >= suspensionDays && running && open.suspendedAt === null) {
    await transitionTenant(trx, subscription.tenantId, {
      status: 'suspended',
      mode: 'no_sign_in',
      reason: overdueReason,
      by: 'billing',
    })
    await services.jobs.enqueueProvisioning(subscription.tenantId, 0, trx)
    await saveDunningCase(trx, open.id, { suspendedAt: now })
    entries.push(
      tenantEntry(subscription, 'tenant.suspended', { reason: overdueReason, mode: 'no_sign_in' }),
    )
  }
  return entries
}

async function remind(
  trx: Trx,
  services: InTransaction,
  subscription: DunnedSubscription,
  open: DunningCase,
  day: number,
): Promise<void> {
  const now = services.clock.now()
  const { limitedFrom } = await readEntitlements(trx, services, subscription.tenantId)
  const sums = await sumOpenInvoices(trx, subscription.tenantId, now)
  const outstanding = sums.find(({ currency }) => currency === subscription.currency)
  await sendBillingMail(
    trx,
    services,
    subscription,
    {
      template: day === 0 ? 'subscription.past_due' : 'subscription.reminder',
      plan: subscription.plan,
      amount: BigInt(outstanding?.amount ?? 0),
      currency: subscription.currency,
      limitedOn: limitedFrom ?? now,
    },
    `${open.id}:${day}`,
  )
}

function entry(
  { id, plan, tenantSlug, partnerSlug }: DunnedSubscription,
  action: 'subscription.past_due' | 'subscription.payment_reminded' | 'subscription.recovered',
  metadata: Record<string, unknown>,
): AuditEntry {
  return {
    action,
    resourceType: 'subscription',
    resourceId: id,
    resourceName: plan,
    tenantSlug,
    partnerSlug,
    metadata,
  }
}

function tenantEntry(
  { tenantId, tenantName, tenantSlug, partnerSlug }: DunnedSubscription,
  action: 'tenant.limited' | 'tenant.suspended' | 'tenant.resumed',
  metadata: Record<string, unknown>,
): AuditEntry {
  return {
    action,
    resourceType: 'tenant',
    resourceId: tenantId,
    resourceName: tenantName,
    tenantSlug,
    partnerSlug,
    metadata,
  }
}
