import type { ApprovalKind, ApprovalStatus } from '@atrium/core/billing/approvals'
import { sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'
import type { ApprovalTerms } from '../schema/subscriptions.ts'

export interface ApprovalRow {
  tenantId: string
  id: string
  partnerId: string
  partnerName: string
  kind: ApprovalKind
  status: ApprovalStatus
  currency: string
  before: ApprovalTerms | null
  after: ApprovalTerms
  priceId: string | null
  /** In minor units. */
  addedAmount: string
  requestedBy: string | null
  requestedAt: Date
  expiresAt: Date
  decidedBy: string | null
  decidedAt: Date | null
  reason: string | null
  version: number
}

function select(db: Db | Trx) {
  return db
    .selectFrom('partner_approvals as a')
    .innerJoin('partners as p', 'p.id', 'a.partner_id')
    .leftJoin('users as r', 'r.id', 'a.requested_by')
    .leftJoin('users as d', 'd.id', 'a.decided_by')
    .select([
      'a.tenant_id as tenantId',
      'a.id',
      'a.partner_id as partnerId',
      'p.name as partnerName',
      'a.kind',
      'a.status',
      'a.currency',
      'a.before_terms as before',
      'a.after_terms as after',
      'a.price_id as priceId',
      sql<string>`a.added_amount::text`.as('addedAmount'),
      'r.email as requestedBy',
      'a.requested_at as requestedAt',
      'a.expires_at as expiresAt',
      'd.email as decidedBy',
      'a.decided_at as decidedAt',
      'a.reason',
      'a.version',
    ])
}

/** Newest first, one row more than asked. */
export function listApprovals(
  db: Db,
  tenantId: string,
  filter: { status?: ApprovalStatus | undefined; before?: string | undefined; limit: number },
): Promise<ApprovalRow[]> {
  let query = select(db).where('a.tenant_id', '=', tenantId)
  if (filter.status) query = query.where('a.status', '=', filter.status)
  if (filter.before) query = query.where('a.id', '<', filter.before)
  return query
    .orderBy('a.id', 'desc')
    .limit(filter.limit + 1)
    .execute()
}

export function findApproval(
  db: Db | Trx,
  tenantId: string,
  id: string,
): Promise<ApprovalRow | undefined> {
  return select(db).where('a.tenant_id', '=', tenantId).where('a.id', '=', id).executeTakeFirst()
}

export interface NewApproval {
  tenantId: string
  partnerId: string
  kind: ApprovalKind
  status: 'pending' | 'within_limit'
  currency: string
  before: ApprovalTerms | null
  after: ApprovalTerms
  priceId: string | null
  addedAmount: bigint
  requestedBy: string | null
  requestedAt: Date
  expiresAt: Date
}

/** Returns the id. Requires `lockSubscriptionsOf`, like every write of approvals and limits. */
export async function insertApproval(trx: Trx, approval: NewApproval): Promise<string> {
  const { id } = await trx
    .insertInto('partner_approvals')
    .values({
      tenant_id: approval.tenantId,
      partner_id: approval.partnerId,
      kind: approval.kind,
      status: approval.status,
      currency: approval.currency,
      before_terms: approval.before && JSON.stringify(approval.before),
      after_terms: JSON.stringify(approval.after),
      price_id: approval.priceId,
      added_amount: approval.addedAmount,
      requested_by: approval.requestedBy,
      requested_at: approval.requestedAt,
      expires_at: approval.expiresAt,
      decided_at: approval.status === 'within_limit' ? approval.requestedAt : null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Ends a pending approval. Returns false when it was decided before. */
export async function decideApproval(
  trx: Trx,
  { tenantId, id }: { tenantId: string; id: string },
  decision: {
    status: 'approved' | 'declined' | 'expired' | 'replaced'
    at: Date
    by?: string | undefined
    reason?: string | undefined
  },
): Promise<boolean> {
  const row = await trx
    .updateTable('partner_approvals')
    .set({
      status: decision.status,
      decided_at: decision.at,
      decided_by: decision.by ?? null,
      reason: decision.reason ?? null,
    })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** How many times the tenant's owner was asked since then. */
export async function countRequestedApprovals(
  trx: Trx,
  tenantId: string,
  since: Date,
): Promise<number> {
  const { count } = await trx
    .selectFrom('partner_approvals')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('tenant_id', '=', tenantId)
    .where('status', '<>', 'within_limit')
    .where('requested_at', '>=', since)
    .executeTakeFirstOrThrow()
  return count
}

/** The tenant's approval that waits for its owner; there is one at most. */
export function findPendingApproval(
  db: Db | Trx,
  tenantId: string,
): Promise<ApprovalRow | undefined> {
  return select(db)
    .where('a.tenant_id', '=', tenantId)
    .where('a.status', '=', 'pending')
    .executeTakeFirst()
}

/** Writes what a pending approval costs by now. */
export async function updateApprovalPrice(
  trx: Trx,
  { tenantId, id }: { tenantId: string; id: string },
  price: {
    before: ApprovalTerms | null
    after: ApprovalTerms
    priceId: string | null
    addedAmount: bigint
  },
): Promise<void> {
  await trx
    .updateTable('partner_approvals')
    .set({
      before_terms: price.before && JSON.stringify(price.before),
      after_terms: JSON.stringify(price.after),
      price_id: price.priceId,
      added_amount: price.addedAmount,
      version: sql<number>`version + 1`,
    })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('status', '=', 'pending')
    .execute()
}

/** Pending approvals whose time is over, the oldest first. */
export function findExpiredApprovals(
  db: Db,
  now: Date,
  limit: number,
): Promise<{ tenantId: string; id: string }[]> {
  return db
    .selectFrom('partner_approvals')
    .select(['tenant_id as tenantId', 'id'])
    .where('status', '=', 'pending')
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(limit)
    .execute()
}

export interface SpendingLimitRow {
  partnerId: string
  partnerName: string
  currency: string
  /** In minor units. */
  amount: string
  setBy: string | null
  setAt: Date
}

/** The limit for the partner that the tenant has now; one for an earlier partner is none. */
export function findSpendingLimit(
  db: Db | Trx,
  tenantId: string,
): Promise<SpendingLimitRow | undefined> {
  return db
    .selectFrom('partner_spending_limits as l')
    .innerJoin('tenants as t', (join) =>
      join.onRef('t.id', '=', 'l.tenant_id').onRef('t.partner_id', '=', 'l.partner_id'),
    )
    .innerJoin('partners as p', 'p.id', 'l.partner_id')
    .leftJoin('users as u', 'u.id', 'l.set_by')
    .select([
      'l.partner_id as partnerId',
      'p.name as partnerName',
      'l.currency',
      sql<string>`l.amount::text`.as('amount'),
      'u.email as setBy',
      'l.set_at as setAt',
    ])
    .where('l.tenant_id', '=', tenantId)
    .executeTakeFirst()
}

/** Orders within the limit whose payment is pending, and the invoice that it is for, if known. */
export function findUnsettledApprovals(
  db: Db | Trx,
  tenantId: string,
): Promise<{ id: string; after: ApprovalTerms; stripeInvoiceId: string | null }[]> {
  return db
    .selectFrom('partner_approvals')
    .select(['id', 'after_terms as after', 'stripe_invoice_id as stripeInvoiceId'])
    .where('tenant_id', '=', tenantId)
    .where('status', '=', 'within_limit')
    .where('settled_at', 'is', null)
    .execute()
}

/**
 * Stores which invoice the unsettled orders wait for. Orders that wait for an earlier one keep it.
 */
export async function saveApprovalInvoice(
  trx: Trx,
  tenantId: string,
  stripeInvoiceId: string,
): Promise<void> {
  await trx
    .updateTable('partner_approvals')
    .set({ stripe_invoice_id: stripeInvoiceId })
    .where('tenant_id', '=', tenantId)
    .where('status', '=', 'within_limit')
    .where('settled_at', 'is', null)
    .where('stripe_invoice_id', 'is', null)
    .execute()
}

/** `unpaid` ones no longer count against the limit. */
export async function settleApproval(
  trx: Trx,
  { tenantId, id }: { tenantId: string; id: string },
  status: 'within_limit' | 'unpaid',
  at: Date,
): Promise<void> {
  await trx
    .updateTable('partner_approvals')
    .set({ status, settled_at: at })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute()
}

/** What a partner's orders and changes within the limit have added since `from`, in minor units. */
export async function sumWithinLimit(
  db: Db | Trx,
  of: { tenantId: string; partnerId: string; currency: string; from: Date },
): Promise<bigint> {
  const { sum } = await db
    .selectFrom('partner_approvals')
    .select(sql<string>`coalesce(sum(added_amount), 0)::text`.as('sum'))
    .where('tenant_id', '=', of.tenantId)
    .where('partner_id', '=', of.partnerId)
    .where('currency', '=', of.currency)
    .where('status', '=', 'within_limit')
    .where('requested_at', '>=', of.from)
    .executeTakeFirstOrThrow()
  return BigInt(sum)
}

export async function saveSpendingLimit(
  trx: Trx,
  limit: {
    tenantId: string
    partnerId: string
    currency: string
    amount: number
    setBy: string | null
    setAt: Date
  },
): Promise<void> {
  const values = {
    partner_id: limit.partnerId,
    currency: limit.currency,
    amount: limit.amount,
    set_by: limit.setBy,
    set_at: limit.setAt,
  }
  await trx
    .insertInto('partner_spending_limits')
    .values({ tenant_id: limit.tenantId, ...values })
    .onConflict((conflict) => conflict.column('tenant_id').doUpdateSet(values))
    .execute()
}

/** Returns false when there was none. */
export async function deleteSpendingLimit(trx: Trx, tenantId: string): Promise<boolean> {
  const row = await trx
    .deleteFrom('partner_spending_limits')
    .where('tenant_id', '=', tenantId)
    .returning('tenant_id')
    .executeTakeFirst()
  return row !== undefined
}
