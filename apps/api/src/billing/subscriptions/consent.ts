import {
  type ApprovalKind,
  addedCost,
  approvalDays,
  monthStart,
} from '@atrium/core/billing/approvals'
import { toMinorNumber } from '@atrium/core/billing/money'
import type { SubscriptionTerms } from '@atrium/core/billing/subscriptions'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import {
  type ApprovalRow,
  countRequestedApprovals,
  decideApproval,
  findApproval,
  findPendingApproval,
  findSpendingLimit,
  insertApproval,
  sumWithinLimit,
} from '@atrium/db/billing/approvals'
import { findCustomerTenant } from '@atrium/db/billing/payment-customers'
import { findPartner } from '@atrium/db/partners/partners'
import type { Db, Trx } from '@atrium/db/platform/connect'
import { type Access, mayManageAsPartner } from '../../rpc/guards.ts'
import type { InTransaction, Services } from '../../rpc/services.ts'
import { notifyRequester } from '../approvals/notify-requester.ts'
import { sendOwnerMail } from '../invoices/mails.ts'

const dayMs = 86_400_000
/** Requests for approval per tenant and day: each one sends the owner a mail. */
const mostRequestsADay = 20

/** What is about to be ordered or changed. */
export interface Order {
  kind: ApprovalKind
  currency: string
  before: SubscriptionTerms | null
  after: SubscriptionTerms & { priceId: string | null }
}

/** Which request of the partner the caller approves, as the caller saw it. */
export interface Approves {
  id: string
  version: number
  /** Records the approval in the transaction that carries it out. */
  record: (trx: Trx) => Promise<void>
}

/** The price of a request is not what its approver saw. */
export class StaleApproval extends Error {
  readonly order: Order
  constructor(order: Order) {
    super('the price of a request for approval has changed')
    this.order = order
  }
}

/**
 * Whether the caller acts for the tenant as staff of its partner alone, without a role in the
 * tenant that allows it.
 */
export function isActingAsPartner({ caller, tenant }: Access): boolean {
  const runsTenant = tenant.role === 'admin' || tenant.role === 'owner'
  return !runsTenant && !caller.operator && mayManageAsPartner(caller, tenant)
}

/** What the audit log says of an act for a customer. */
export function onBehalfOf(access: Access): { onBehalfOf?: string } {
  return isActingAsPartner(access) ? { onBehalfOf: access.tenant.slug } : {}
}

/**
 * Ensures that the owner agrees to what a partner's order adds to the price. Returns undefined when
 * it may be carried out: the caller is no partner, it adds nothing, or it is within the limit that
 * the owner agreed to; in the latter two cases the owner gets a mail. Otherwise asks the owner and
 * returns the request. Requires `lockSubscriptionsOf`, so that several orders at once are counted
 * one after another. Throws AppError `rate_limited`.
 */
export async function requestConsent(
  trx: Trx,
  services: InTransaction,
  access: Access,
  order: Order,
): Promise<ApprovalRow | undefined> {
  const { partnerId } = access.tenant
  if (!isActingAsPartner(access) || partnerId === null) return undefined
  const added = addedCost(order.before, order.after)
  const now = services.clock.now()
  if (added <= 0n) {
    await tellOwner(trx, services, access, order, `${now.getTime()}`)
    return undefined
  }
  const fields = {
    tenantId: access.tenant.id,
    partnerId,
    kind: order.kind,
    currency: order.currency,
    ...pricedOf(order),
    requestedBy: access.caller.id ?? null,
    requestedAt: now,
    expiresAt: new Date(now.getTime() + approvalDays * dayMs),
  }
  if (await isWithinLimit(trx, access.tenant.id, order.currency, added, now)) {
    const id = await insertApproval(trx, { ...fields, status: 'within_limit' })
    await tellOwner(trx, services, access, order, id)
    return undefined
  }
  const pending = await findPendingApproval(trx, access.tenant.id)
  if (pending && pending.expiresAt > now && isSameRequest(pending, order, partnerId)) return pending
  const recent = new Date(now.getTime() - dayMs)
  if ((await countRequestedApprovals(trx, access.tenant.id, recent)) >= mostRequestsADay)
    throw new AppError('rate_limited', errorText('tooManyApprovals'), { retryAfterSeconds: 3600 })
  if (pending)
    await decideApproval(trx, pending, {
      status: pending.expiresAt > now ? 'replaced' : 'expired',
      at: now,
    })
  const id = await insertApproval(trx, { ...fields, status: 'pending' })
  const row = await findApproval(trx, access.tenant.id, id)
  if (!row) throw new Error(`the approval ${id} is gone`)
  await askOwner(trx, services, row)
  return row
}

/** Whether `requestConsent` would ask the owner now. */
export async function needsApproval(
  { database: { db }, clock }: Pick<Services, 'database' | 'clock'>,
  access: Access,
  order: Order,
): Promise<boolean> {
  const added = addedCost(order.before, order.after)
  if (!isActingAsPartner(access) || added <= 0n) return false
  return !(await isWithinLimit(db, access.tenant.id, order.currency, added, clock.now()))
}

/**
 * Marks the partner's request as approved, within the transaction that carries it out. Throws
 * AppError `not_found`, `approval_state`, `quote_expired`, and `StaleApproval` when it costs
 * something else by now.
 */
export async function useApproval(
  trx: Trx,
  services: InTransaction,
  { tenant, caller }: Access,
  { id, version }: Omit<Approves, 'record'>,
  order: Order,
): Promise<ApprovalRow> {
  const row = await findApproval(trx, tenant.id, id)
  const now = services.clock.now()
  if (!row) throw new AppError('not_found', errorText('unknownApproval'))
  rejectDecided(row, tenant.partnerId, now)
  if (!isSameRequest(row, order, row.partnerId) || !isSamePrice(row, order))
    throw new StaleApproval(order)
  if (row.version !== version) throw new AppError('quote_expired')
  const decision = { status: 'approved', at: now, by: caller.id } as const
  if (!(await decideApproval(trx, row, decision))) throw new AppError('approval_state')
  await notifyRequester(trx, services, row, 'approved')
  return row
}

/** Throws AppError `approval_state` for a request that cannot be decided any more. */
export function rejectDecided(row: ApprovalRow, partnerId: string | null, now: Date): void {
  if (row.status !== 'pending') throw new AppError('approval_state', errorText('approvalDecided'))
  if (row.expiresAt <= now) throw new AppError('approval_state', errorText('approvalExpired'))
  // The tenant has moved to another partner since, or to none.
  if (row.partnerId !== partnerId)
    throw new AppError('approval_state', errorText('approvalOfFormerPartner'))
}

/** What an approval keeps of an order. */
export function pricedOf({ before, after }: Order) {
  const terms = ({ plan, cycle, seats, taxBehavior, total }: SubscriptionTerms) => ({
    plan,
    cycle,
    seats,
    taxBehavior,
    totalMinor: toMinorNumber(total),
  })
  return {
    before: before && terms(before),
    after: terms(after),
    priceId: after.priceId,
    addedAmount: addedCost(before, after),
  }
}

async function isWithinLimit(
  db: Db | Trx,
  tenantId: string,
  currency: string,
  added: bigint,
  now: Date,
): Promise<boolean> {
  const limit = await findSpendingLimit(db, tenantId)
  if (limit?.currency !== currency) return false
  const { partnerId } = limit
  const used = await sumWithinLimit(db, { tenantId, partnerId, currency, from: monthStart(now) })
  return used + added <= BigInt(limit.amount)
}

function isSameRequest(row: ApprovalRow, order: Order, partnerId: string): boolean {
  const { plan, cycle, seats } = order.after
  return (
    row.kind === order.kind &&
    row.partnerId === partnerId &&
    row.currency === order.currency &&
    row.after.plan === plan &&
    row.after.cycle === cycle &&
    row.after.seats === seats &&
    row.before?.plan === order.before?.plan &&
    row.before?.cycle === order.before?.cycle &&
    row.before?.seats === order.before?.seats
  )
}

function isSamePrice(row: ApprovalRow, order: Order): boolean {
  return (
    row.priceId === order.after.priceId &&
    BigInt(row.after.totalMinor) === order.after.total &&
    BigInt(row.addedAmount) === addedCost(order.before, order.after)
  )
}

async function askOwner(trx: Trx, services: InTransaction, row: ApprovalRow): Promise<void> {
  const tenant = await findCustomerTenant(trx, row.tenantId)
  if (!tenant) return
  await sendOwnerMail(trx, services, tenant, {
    template: 'subscription.approval_requested',
    partner: row.partnerName,
    terms: row.after,
    currency: row.currency,
    added: BigInt(row.addedAmount),
    expiresOn: row.expiresAt,
    key: row.id,
  })
}

/** `key` names the occasion: the owner is told of it once. */
async function tellOwner(
  trx: Trx,
  services: InTransaction,
  { tenant: { id, partnerId } }: Access,
  { after, currency }: Order,
  key: string,
): Promise<void> {
  const tenant = await findCustomerTenant(trx, id)
  const partner = partnerId === null ? undefined : await findPartner(trx, partnerId)
  if (!tenant || !partner) return
  await sendOwnerMail(trx, services, tenant, {
    template: 'subscription.changed_by_partner',
    partner: partner.name,
    terms: { ...after, totalMinor: toMinorNumber(after.total) },
    currency,
    key: `${id}:${key}`,
  })
}
