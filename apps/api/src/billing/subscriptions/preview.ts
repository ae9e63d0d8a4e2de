import { toMinorNumber } from '@atrium/core/billing/money'
import { prorate } from '@atrium/core/billing/proration'
import { isEnded } from '@atrium/core/billing/subscription-life'
import {
  type ChangePreview,
  effectOf,
  type PreviewSubscriptionChange,
  type PreviewTotals,
  periodAt,
  periodTotal,
  quoteMinutes,
} from '@atrium/core/billing/subscriptions'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { Plan } from '@atrium/core/tenants/tenants'
import { findPaymentCustomer } from '@atrium/db/billing/payment-customers'
import { findTenantSubscription, type SubscriptionRow } from '@atrium/db/billing/subscriptions'
import type { Payments } from '@atrium/integrations/payments/port'
import type { Context } from '../../rpc/context.ts'
import type { Access } from '../../rpc/guards.ts'
import type { Services } from '../../rpc/services.ts'
import { requireOpenBilling } from '../invoices/gate.ts'
import { readTaxBuyer } from '../taxes/buyer.ts'
import { taxOfPeriods } from '../taxes/sale-tax.ts'
import { toPreviewLine, toPreviewTotals } from '../taxes/view.ts'
import { askProcessor } from './at-processor.ts'
import { catchUpUnsettled, onCurrentSubscription } from './catch-up.ts'
import { isActingAsPartner, needsApproval } from './consent.ts'
import { nextTerms, pendingWith, pendingWithout } from './pending.ts'
import { rejectExceededQuota } from './quota.ts'
import { rejectAgreedByHand, rejectNoChange, rejectUnchangeable, termsOf } from './rules.ts'
import { rejectUnpaidPeriod } from './schedule.ts'
import { type Target, targetOf } from './target.ts'

type Amounts = Pick<
  ChangePreview,
  'exact' | 'lines' | keyof PreviewTotals | 'nextAmountMinor' | 'next'
>

/**
 * What a change would cost, and from when it would hold. Exact where the payment processor computes
 * it; confirm with the quote within ten minutes, and the amount is the one shown. Throws AppError
 * as `changeSubscription` does.
 */
export async function previewChange(
  { services }: Context,
  access: Access,
  input: PreviewSubscriptionChange,
): Promise<ChangePreview> {
  if (isActingAsPartner(access)) await catchUpUnsettled(services, access.tenant.id)
  return onCurrentSubscription(services, access.tenant.id, () =>
    quoteChange(services, access, input),
  )
}

async function quoteChange(
  services: Services,
  access: Access,
  input: PreviewSubscriptionChange,
): Promise<ChangePreview> {
  const { tenant } = access
  const { db } = services.database
  const row = await findTenantSubscription(db, tenant.id)
  if (!row) throw new AppError('not_found', errorText('noSubscription'))
  if (isEnded(row.status)) throw new AppError('subscription_ended')
  rejectAgreedByHand(row, access)
  rejectUnchangeable(row, input.currency)
  const now = services.clock.now()
  const buyer = { tenantId: tenant.id, partnerId: tenant.partnerId, at: now }
  const target = await targetOf(db, row, input, buyer)
  rejectNoChange(row, target)
  await rejectExceededQuota(db, services, tenant.id, { from: row.plan, to: target.plan })
  const effect = effectOf(termsOf(row), target)
  const next =
    effect === 'period_end'
      ? await targetOf(db, row, pendingWith(row, target), buyer)
      : await nextTerms(db, row, { target, left: pendingWithout(row.pending, input), buyer })
  const prorationDate = toSecond(now)
  // Also what costs nothing now is rejected while the gate is closed: it will be carried out at the
  // processor.
  const payments = row.source === 'stripe' ? await requireOpenBilling(services, tenant) : null
  if (payments && effect === 'now') await rejectUnpaidPeriod(payments, row)
  const customerId = payments ? (await findPaymentCustomer(db, tenant.id))?.customerId : undefined
  const computed =
    payments && customerId
      ? await exactly(services, payments, customerId, row, { target, next, prorationDate })
      : estimated(row, { target, next, at: prorationDate })
  const amounts =
    effect === 'period_end' || row.status === 'paused' ? nothingNow(computed) : computed
  const described = (terms: Target | SubscriptionRow, total: bigint) => ({
    ...termsShown(terms),
    totalMinor: toMinorNumber(total),
  })
  return {
    effect,
    effectiveAt: (effect === 'now'
      ? prorationDate
      : (row.currentPeriodEnd ?? prorationDate)
    ).toISOString(),
    ...amounts,
    currency: row.currency,
    needsApproval: await needsApproval(services, access, {
      kind: 'change',
      currency: row.currency,
      before: termsOf(row),
      after: target,
    }),
    before: described(row, periodTotal(row)),
    after: described(target, target.total),
    quote: {
      prorationDate: prorationDate.toISOString(),
      validUntil: new Date(prorationDate.getTime() + quoteMinutes * 60_000).toISOString(),
      version: row.version,
      priceId: target.priceId,
    },
  }
}

/** The payment processor counts in whole seconds. */
function toSecond(at: Date): Date {
  return new Date(Math.floor(at.getTime() / 1000) * 1000)
}

/** What holds from the next period on costs nothing now. */
function nothingNow({ exact, nextAmountMinor, next }: Amounts): Amounts {
  const now = { lines: [], netMinor: 0, taxes: [], taxMinor: 0, totalMinor: 0 }
  return { exact, ...now, nextAmountMinor, next }
}

/** Without tax, which only the payment processor computes. */
function estimate(lines: ChangePreview['lines'], now: bigint, next: Target): Amounts {
  const total = (amount: bigint): PreviewTotals => {
    const minor = toMinorNumber(amount)
    return { netMinor: minor, taxes: [], taxMinor: 0, totalMinor: minor }
  }
  return {
    exact: false,
    lines,
    ...total(now),
    nextAmountMinor: toMinorNumber(next.total),
    next: { ...total(next.total), ...termsShown(next) },
  }
}

const termsShown = ({ plan, cycle, seats }: Target | SubscriptionRow) => ({ plan, cycle, seats })

async function exactly(
  services: Services,
  payments: Payments,
  customerId: string,
  row: SubscriptionRow,
  { target, next, prorationDate }: { target: Target; next: Target; prorationDate: Date },
): Promise<Amounts> {
  const { stripeSubscriptionId: subscriptionId, stripeItemId: itemId } = row
  const { stripePriceId: priceId, seats } = target
  if (!subscriptionId || !itemId || !priceId || !next.stripePriceId)
    throw new AppError('price_unavailable')
  const { stripePriceId: nextPriceId } = next
  const cycleChanges = row.cycle !== target.cycle
  // A paused subscription stays in the period that it was paused in.
  const { status, currentPeriodEnd: end } = row
  const at = status === 'paused' && end !== null && end < prorationDate ? end : prorationDate
  const buyer = await readTaxBuyer(services.database.db, row.tenantId)
  const preview = await askProcessor(async (signal) => {
    const behaviors = { behavior: target.taxBehavior, nextBehavior: next.taxBehavior }
    const { tax, nextTax } = await taxOfPeriods(services.config, payments, buyer, behaviors, {
      signal,
    })
    return payments.previewChange(
      {
        customerId,
        subscriptionId,
        itemId,
        priceId,
        seats,
        prorationDate: at,
        cycleChanges,
        tax,
        next: { priceId: nextPriceId, seats: next.seats, tax: nextTax },
      },
      { signal },
    )
  })
  return {
    exact: true,
    lines: preview.lines.map(toPreviewLine),
    ...toPreviewTotals(preview),
    nextAmountMinor: preview.next.total,
    next: { ...toPreviewTotals(preview.next), ...termsShown(next) },
  }
}

/**
 * Our own reckoning of a manual subscription: what is given back of the old terms, and the new
 * terms for the rest of the period.
 */
function estimated(
  row: SubscriptionRow,
  { target, next, at }: { target: Target; next: Target; at: Date },
): Amounts {
  const { currentPeriodStart: start, currentPeriodEnd: end } = row
  if (row.status === 'trialing' || !start || !end || end <= start) return estimate([], 0n, next)
  const parts = prorate(periodTotal(row), target.total, { start, end, at })
  const renewed = row.cycle === target.cycle ? undefined : periodAt(at, target.cycle, at)
  const charge = renewed ? target.total : parts.charge
  const line = (amount: bigint, quantity: number, description: string, periodEnd: Date) => ({
    description,
    quantity,
    amountMinor: toMinorNumber(amount),
    proration: true,
    periodStart: at.toISOString(),
    periodEnd: periodEnd.toISOString(),
  })
  const lines = [
    line(
      parts.credit,
      row.seats,
      `Unused time of ${seatsLabel(row.seats)} on ${named(row.plan)}`,
      end,
    ),
    line(
      charge,
      target.seats,
      `${renewed ? `First ${target.cycle}` : 'Remaining time'} of ${seatsLabel(target.seats)} on ${named(target.plan)}`,
      renewed?.end ?? end,
    ),
  ]
  return estimate(lines, parts.credit + charge, next)
}

const seatsLabel = (seats: number) => (seats === 1 ? '1 seat' : `${seats} seats`)
const named = (plan: Plan) => plan.charAt(0).toUpperCase() + plan.slice(1)
