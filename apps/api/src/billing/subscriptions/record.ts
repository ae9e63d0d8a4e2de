import type { AuditAction } from '@atrium/core/audit/audit'
import { changedFields } from '@atrium/core/audit/audit'
import { toMinorNumber } from '@atrium/core/billing/money'
import type { ApprovalRow } from '@atrium/db/billing/approvals'
import type { SubscriptionRow } from '@atrium/db/billing/subscriptions'
import type { Trx } from '@atrium/db/platform/connect'
import type { Caller } from '../../rpc/caller.ts'
import type { Access } from '../../rpc/guards.ts'
import type { TransactionContext } from '../../rpc/services.ts'
import { toSubscriptionView } from './view.ts'

/** What an act changed of a subscription, as the audit log tells it. */
export function subscriptionEntry(
  action: AuditAction,
  before: SubscriptionRow | undefined,
  after: SubscriptionRow,
  metadata: Record<string, unknown> = {},
) {
  const changes = before
    ? changedFields(toSubscriptionView(before), toSubscriptionView(after), fields)
    : undefined
  return {
    action,
    resourceType: 'subscription',
    resourceId: after.id,
    resourceName: after.tenantName,
    tenantSlug: after.tenantSlug,
    partnerSlug: after.partnerSlug,
    metadata: {
      source: after.source,
      plan: after.plan,
      seats: after.seats,
      status: after.status,
      currency: after.currency,
      ...metadata,
      ...(changes && Object.keys(changes).length > 0 ? { changes } : {}),
    },
  }
}

/** Records a change of a subscription in its transaction. */
export async function auditSubscription(
  ctx: TransactionContext,
  trx: Trx,
  caller: Caller,
  ...entry: Parameters<typeof subscriptionEntry>
): Promise<void> {
  await ctx.services.audit.record(ctx, caller, subscriptionEntry(...entry), trx)
}

/** A partner asked the owner of its customer to approve something. */
export async function auditRequest(
  ctx: TransactionContext,
  trx: Trx,
  { caller, tenant }: Access,
  approval: ApprovalRow,
): Promise<void> {
  const entry = approvalEntry('approval.requested', approval, tenant)
  await ctx.services.audit.record(ctx, caller, entry, trx)
}

/** What became of a request, for the logs of tenant and partner. */
export function approvalEntry(
  action: AuditAction,
  approval: ApprovalRow,
  tenant: { slug: string; partnerSlug: string | null },
) {
  const { kind, currency, before, after, addedAmount, requestedBy } = approval
  return {
    action,
    resourceType: 'approval',
    resourceId: approval.id,
    resourceName: approval.partnerName,
    tenantSlug: tenant.slug,
    partnerSlug: tenant.partnerSlug,
    metadata: {
      onBehalfOf: tenant.slug,
      kind,
      currency,
      before,
      after,
      addedMinor: toMinorNumber(addedAmount),
      requestedBy,
    },
  }
}

/** The action that tells best what became different. */
export function actionOf(before: SubscriptionRow, after: SubscriptionRow): AuditAction {
  if (before.plan !== after.plan || before.cycle !== after.cycle) return 'subscription.plan_changed'
  if (before.seats !== after.seats) return 'subscription.seats_changed'
  return statusActions[`${before.status}>${after.status}`] ?? 'subscription.updated'
}

const statusActions: Readonly<Record<string, AuditAction>> = {
  'active>past_due': 'subscription.past_due',
  'trialing>past_due': 'subscription.past_due',
  'past_due>active': 'subscription.recovered',
  'unpaid>active': 'subscription.recovered',
  'paused>active': 'subscription.resumed',
  'active>paused': 'subscription.paused',
  'trialing>paused': 'subscription.paused',
}

const fields = [
  ...[
    'plan',
    'cycle',
    'currency',
    'perSeatAmount',
    'periodAmount',
    'taxBehavior',
    'seats',
    'status',
    'trialEnd',
    'currentPeriodEnd',
  ],
  ...['cancelAtPeriodEnd', 'cancelComment', 'pending', 'endedAt'],
]
