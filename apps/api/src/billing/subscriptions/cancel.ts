import type {
  CancelTenantSubscription,
  TenantSubscription,
} from '@atrium/core/billing/subscriptions'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { findCustomerTenant } from '@atrium/db/billing/payment-customers'
import { type SubscriptionRow, updateSubscription } from '@atrium/db/billing/subscriptions'
import { countMembers } from '@atrium/db/members/members'
import { databaseNow } from '@atrium/db/platform/clock'
import type { Trx } from '@atrium/db/platform/connect'
import type {
  Payments,
  ProcessorInvoice,
  ProcessorSubscription,
} from '@atrium/integrations/payments/port'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import type { InTransaction } from '../../rpc/services.ts'
import { readOpenBilling, requirePayments } from '../invoices/gate.ts'
import { billedTenant, sendBillingMail } from '../invoices/mails.ts'
import { mirrorInvoice } from '../invoices/mirror.ts'
import { applyProcessorSubscription } from './apply.ts'
import { askProcessor, oneAtATime } from './at-processor.ts'
import { onCurrentSubscription } from './catch-up.ts'
import { isActingAsPartner, onBehalfOf } from './consent.ts'
import { followSubscription } from './follow.ts'
import { auditSubscription } from './record.ts'
import { lockTenantSubscription } from './rules.ts'
import { releaseSchedule } from './schedule.ts'
import { toTenantSubscription } from './view.ts'

/** The columns of a subscription in which no change waits. */
export const nothingPending = {
  pending: null,
  pending_attempts: 0,
  pending_next_at: null,
  pending_error: null,
}

export interface Acted {
  before: SubscriptionRow
  after: SubscriptionRow
}

/**
 * Ends the subscription with its period; until then it can be kept. One that still waits for its
 * first payment ends now, and the invoice of that is void; one that is paused has no period and
 * ends now too. Canceling twice changes nothing, and the billing gate never rejects it: nobody is
 * charged against their will because payments are switched off here. Throws AppError `not_found`,
 * `subscription_ended`, `subscription_state` where that payment came through meanwhile,
 * `payments_not_configured`, `upstream_failed`.
 */
export async function cancelSubscription(
  ctx: Context,
  access: Access,
  { comment }: CancelTenantSubscription,
): Promise<TenantSubscription> {
  return act(ctx, access, 'subscription.canceled', async (trx, row) => {
    if (row.cancelAtPeriodEnd) return { before: row, after: row }
    const when = row.status === 'incomplete' || row.status === 'paused' ? 'now' : 'period_end'
    const ended = await endSubscription(trx, ctx.services, row, { when, comment: comment ?? null })
    await confirmCancellation(trx, ctx.services, ended)
    return ended
  })
}

/**
 * Mails billing contact and owner when the cancellation was received and when the subscription
 * ends, once per cancellation. An order that was never paid needs no confirmation.
 */
export async function confirmCancellation(
  trx: Trx,
  services: InTransaction,
  { before, after }: Acted,
): Promise<void> {
  if (before.status === 'incomplete' || before.cancelAtPeriodEnd) return
  const tenant = await findCustomerTenant(trx, after.tenantId)
  if (!tenant) return
  const receivedAt = after.canceledAt ?? services.clock.now()
  const endsAt = after.endedAt ?? after.cancelAt ?? after.currentPeriodEnd ?? receivedAt
  await sendBillingMail(
    trx,
    services,
    billedTenant(tenant),
    { template: 'subscription.canceled', plan: after.plan, receivedAt, endsAt },
    `${after.id}:${receivedAt.getTime()}`,
  )
}

/**
 * Withdraws a cancellation before it takes effect. Changes nothing where none is scheduled. Throws
 * as `cancelSubscription`, and AppError `approval_required` for a partner's staff: it charges the
 * customer again.
 */
export async function keepSubscription(ctx: Context, access: Access): Promise<TenantSubscription> {
  const { services } = ctx
  const billing = await readOpenBilling(services)
  rejectChargeByPartner(access)
  return act(ctx, access, 'subscription.kept', async (trx, row) => {
    if (!row.cancelAtPeriodEnd) return { before: row, after: row }
    if (row.source === 'manual') {
      const kept = {
        cancel_at_period_end: false,
        cancel_at: null,
        canceled_at: null,
        cancel_reason: null,
        cancel_comment: null,
      }
      await updateSubscription(
        trx,
        row.id,
        { ...kept, state_since: services.clock.now() },
        { counted: true },
      )
      return { before: row, after: await followSubscription(trx, services, row.id) }
    }
    const [payments, id] = [billing(access.tenant), stripeId(row)]
    const read = await askProcessor((signal) =>
      payments.setCancelAtPeriodEnd(id, false, null, {
        idempotencyKey: `keep:${row.id}:${row.version}`,
        signal,
      }),
    )
    return applied(trx, services, row, read)
  })
}

function rejectChargeByPartner(access: Access): void {
  if (isActingAsPartner(access)) throw new AppError('approval_required', errorText('keepCharges'))
}

/**
 * Takes back the change that waits for the end of the period. Throws AppError `approval_required`
 * for a partner's staff, because the customer then pays more, `not_found` when none waits, and
 * `upstream_failed` or `payments_not_configured` when it cannot be taken back at the payment
 * processor.
 */
export async function discardPending(ctx: Context, access: Access): Promise<void> {
  rejectChargeByPartner(access)
  await act(ctx, access, 'subscription.updated', async (trx, row) => {
    if (!row.pending) throw new AppError('not_found', errorText('noPendingChange'))
    if (row.source === 'stripe') await releaseSchedule(requirePayments(ctx.services.systems), row)
    const none = { stripe_schedule_id: null, ...nothingPending }
    await updateSubscription(trx, row.id, none, { counted: true })
    return { before: row, after: await followSubscription(trx, ctx.services, row.id) }
  })
}

async function act(
  ctx: Context,
  access: Access,
  action: 'subscription.canceled' | 'subscription.kept' | 'subscription.updated',
  work: (trx: Trx, row: SubscriptionRow) => Promise<Acted>,
): Promise<TenantSubscription> {
  const { services } = ctx
  const after = await onCurrentSubscription(services, access.tenant.id, () =>
    oneAtATime(services, () =>
      services.database.db.transaction().execute(async (trx) => {
        const acted = await work(trx, await lockTenantSubscription(trx, access))
        const { caller } = access
        if (acted.before !== acted.after)
          await auditSubscription(
            ctx,
            trx,
            caller,
            action,
            acted.before,
            acted.after,
            onBehalfOf(access),
          )
        return acted.after
      }),
    ),
  )
  return toTenantSubscription(after, await countMembers(services.database.db, access.tenant.id))
}

/**
 * Ends a subscription that has not ended, now or with its period. What waits for the end of the
 * period is dropped. `credit`: what was paid for the rest of the period is credited at the payment
 * processor, by the second; nothing is for a period that was not paid.
 */
export async function endSubscription(
  trx: Trx,
  services: InTransaction,
  row: SubscriptionRow,
  {
    when,
    comment,
    credit = false,
  }: { when: 'now' | 'period_end'; comment: string | null; credit?: boolean },
): Promise<Acted> {
  if (row.source === 'manual') {
    const now = services.clock.now()
    // Without a period there is nothing to wait for.
    const ended = when === 'now' || row.currentPeriodEnd === null
    const requested = {
      canceled_at: now,
      cancel_reason: 'cancellation_requested',
      cancel_comment: comment,
      state_since: now,
    }
    await updateSubscription(
      trx,
      row.id,
      ended
        ? { ...nothingPending, ...requested, status: 'canceled', ended_at: now }
        : {
            ...nothingPending,
            ...requested,
            cancel_at_period_end: true,
            cancel_at: row.currentPeriodEnd,
          },
      { counted: true },
    )
    return { before: row, after: await followSubscription(trx, services, row.id) }
  }
  const payments = requirePayments(services.systems)
  const id = stripeId(row)
  if (when !== 'now') await releaseSchedule(payments, row)
  const key = `cancel:${row.id}:${row.version}:${when}`
  const readAt = await databaseNow(trx)
  const { read, voided } = await askProcessor(async (signal) => {
    if (when !== 'now') {
      return {
        voided: undefined,
        read: await payments.setCancelAtPeriodEnd(id, true, comment, {
          idempotencyKey: key,
          signal,
        }),
      }
    }
    const unpaid = await voidUnpaidStart(payments, row, signal)
    const credited = credit && (await isPaid(payments, row, signal))
    const idempotencyKey = credited ? `${key}:credit` : key
    return {
      voided: unpaid,
      read: await payments.cancelNow(id, credited, { idempotencyKey, signal }),
    }
  })
  if (voided) await mirrorInvoice(trx, services, voided, readAt)
  if (row.pending) await updateSubscription(trx, row.id, nothingPending, { counted: false })
  return applied(trx, services, row, read)
}

/** Whether the current period was paid for: only then is there something to give back. */
async function isPaid(
  payments: Payments,
  { status, latestInvoiceId }: SubscriptionRow,
  signal: AbortSignal,
): Promise<boolean> {
  if (status !== 'active' || latestInvoiceId === null) return false
  return (await payments.findInvoice(latestInvoiceId, { signal }))?.status === 'paid'
}

/**
 * The invoice of a start or a resumption that was never paid: left open it would be owed for
 * nothing, and could still be paid.
 */
async function voidUnpaidStart(
  payments: Payments,
  { status, latestInvoiceId }: SubscriptionRow,
  signal: AbortSignal,
): Promise<ProcessorInvoice | undefined> {
  if ((status !== 'incomplete' && status !== 'paused') || latestInvoiceId === null) return undefined
  const first = await payments.findInvoice(latestInvoiceId, { signal })
  if (first?.status === 'paid' && status === 'incomplete')
    throw new AppError('subscription_state', errorText('firstPaymentArrived'))
  if (first?.status !== 'open') return undefined
  return payments.voidInvoice(first.id, { idempotencyKey: `void:${first.id}`, signal })
}

async function applied(
  trx: Trx,
  services: InTransaction,
  row: SubscriptionRow,
  read: ProcessorSubscription,
): Promise<Acted> {
  const result = await applyProcessorSubscription(trx, services, row.tenantId, read, {
    eventId: null,
    eventAt: null,
  })
  if (!result) throw new AppError('subscription_ended')
  return { before: row, after: result.after }
}

function stripeId({ stripeSubscriptionId }: SubscriptionRow): string {
  if (stripeSubscriptionId === null)
    throw new Error('a subscription at the payment processor has an id there')
  return stripeSubscriptionId
}
