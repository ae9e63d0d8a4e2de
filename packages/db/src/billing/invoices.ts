import type { InvoiceStatus } from '@atrium/core/billing/billing'
import { type SqlBool, sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'

/** Amounts in the currency's minor unit. */
export interface StoredLine {
  description: string | null
  amount: number
  quantity: number | null
  proration: boolean
  periodStart: string
  periodEnd: string
}

export interface InvoiceRow {
  id: string
  tenantId: string
  stripeInvoiceId: string
  stripeSubscriptionId: string | null
  number: string | null
  status: InvoiceStatus
  billingReason: string | null
  currency: string
  subtotal: string
  discount: string
  tax: string
  total: string
  totalExcludingTax: string
  amountDue: string
  amountPaid: string
  amountRemaining: string
  amountOverpaid: string
  /** What the customer's balance paid; below 0 for what was added to it. Null: not known. */
  balanceApplied: string | null
  creditedAmount: string
  refundedAmount: string
  disputedAmount: string
  periodStart: Date | null
  periodEnd: Date | null
  dueDate: Date | null
  nextPaymentAttempt: Date | null
  attemptCount: number
  finalizedAt: Date | null
  paidAt: Date | null
  voidedAt: Date | null
  uncollectibleAt: Date | null
  partnerId: string | null
  marginPct: string | null
  lines: StoredLine[]
  readAt: Date
}

const columns = [
  'id',
  'tenant_id as tenantId',
  'stripe_invoice_id as stripeInvoiceId',
  'stripe_subscription_id as stripeSubscriptionId',
  'number',
  'status',
  'billing_reason as billingReason',
  'currency',
  'subtotal',
  'discount',
  'tax',
  'total',
  'total_excluding_tax as totalExcludingTax',
  'amount_due as amountDue',
  'amount_paid as amountPaid',
  'amount_remaining as amountRemaining',
  'amount_overpaid as amountOverpaid',
  'balance_applied as balanceApplied',
  'credited_amount as creditedAmount',
  'refunded_amount as refundedAmount',
  'disputed_amount as disputedAmount',
  'period_start as periodStart',
  'period_end as periodEnd',
  'due_date as dueDate',
  'next_payment_attempt as nextPaymentAttempt',
  'attempt_count as attemptCount',
  'finalized_at as finalizedAt',
  'paid_at as paidAt',
  'voided_at as voidedAt',
  'uncollectible_at as uncollectibleAt',
  'partner_id as partnerId',
  'margin_pct as marginPct',
  'read_at as readAt',
] as const

function select(db: Db | Trx) {
  return db.selectFrom('invoices').select(columns).select(sql<StoredLine[]>`lines`.as('lines'))
}

/** An invoice of any tenant under a row lock. Undefined for a draft. */
export function lockInvoice(trx: Trx, id: string): Promise<InvoiceRow | undefined> {
  return select(trx)
    .where('id', '=', id)
    .where('finalized_at', 'is not', null)
    .where('status', '<>', 'draft')
    .forUpdate()
    .executeTakeFirst()
}

/** Newest first by the day of finalization, without drafts; one row more than asked. */
export function listInvoices(
  db: Db,
  tenantId: string,
  page: { before?: string | undefined; limit: number },
): Promise<InvoiceRow[]> {
  let query = select(db)
    .where('tenant_id', '=', tenantId)
    .where('finalized_at', 'is not', null)
    .where('status', '<>', 'draft')
  if (page.before) {
    query = query.where(
      sql<SqlBool>`(finalized_at, id) < (select b.finalized_at, b.id from invoices b where b.id = ${page.before} and b.tenant_id = ${tenantId})`,
    )
  }
  return query
    .orderBy('finalized_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit + 1)
    .execute()
}

/** Undefined for an invoice of another tenant, and for a draft. */
export function findInvoice(
  db: Db | Trx,
  tenantId: string,
  id: string,
): Promise<InvoiceRow | undefined> {
  return select(db)
    .where('id', '=', id)
    .where('tenant_id', '=', tenantId)
    .where('finalized_at', 'is not', null)
    .where('status', '<>', 'draft')
    .executeTakeFirst()
}

/** Under a row lock, whatever its state. */
export function lockInvoiceByStripeId(
  trx: Trx,
  stripeInvoiceId: string,
): Promise<InvoiceRow | undefined> {
  return select(trx).where('stripe_invoice_id', '=', stripeInvoiceId).forUpdate().executeTakeFirst()
}

/** An invoice that is known to be mirrored here. */
export function readMirroredInvoice(trx: Trx, stripeInvoiceId: string) {
  return trx
    .selectFrom('invoices')
    .select(['id', 'tenant_id as tenantId', 'status'])
    .where('stripe_invoice_id', '=', stripeInvoiceId)
    .executeTakeFirstOrThrow()
}

/** All of a tenant's invoices, drafts too, for comparing them with the processor's. */
export function listStoredInvoices(db: Db, tenantId: string): Promise<InvoiceRow[]> {
  return select(db).where('tenant_id', '=', tenantId).orderBy('id').execute()
}

/** The oldest invoice that waits for its payment. */
export function findOldestOpenInvoice(db: Db, tenantId: string): Promise<InvoiceRow | undefined> {
  return select(db)
    .where('tenant_id', '=', tenantId)
    .where('status', '=', 'open')
    .where('amount_remaining', '>', '0')
    .orderBy('finalized_at')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
}

export interface InvoiceFields {
  tenantId: string
  stripeInvoiceId: string
  stripeSubscriptionId: string | null
  number: string | null
  status: InvoiceStatus
  billingReason: string | null
  currency: string
  subtotal: number
  discount: number
  tax: number
  total: number
  totalExcludingTax: number
  amountDue: number
  amountPaid: number
  amountRemaining: number
  amountOverpaid: number
  balanceApplied: number | null
  creditedAmount: number
  periodStart: Date | null
  periodEnd: Date | null
  dueDate: Date | null
  nextPaymentAttempt: Date | null
  attemptCount: number
  createdAt: Date
  finalizedAt: Date | null
  paidAt: Date | null
  voidedAt: Date | null
  uncollectibleAt: Date | null
  lines: readonly StoredLine[]
  readAt: Date
}

function toColumns(fields: InvoiceFields) {
  return {
    tenant_id: fields.tenantId,
    stripe_invoice_id: fields.stripeInvoiceId,
    stripe_subscription_id: fields.stripeSubscriptionId,
    number: fields.number,
    status: fields.status,
    billing_reason: fields.billingReason,
    currency: fields.currency,
    subtotal: fields.subtotal,
    discount: fields.discount,
    tax: fields.tax,
    total: fields.total,
    total_excluding_tax: fields.totalExcludingTax,
    amount_due: fields.amountDue,
    amount_paid: fields.amountPaid,
    amount_remaining: fields.amountRemaining,
    amount_overpaid: fields.amountOverpaid,
    balance_applied: fields.balanceApplied,
    credited_amount: fields.creditedAmount,
    period_start: fields.periodStart,
    period_end: fields.periodEnd,
    due_date: fields.dueDate,
    next_payment_attempt: fields.nextPaymentAttempt,
    attempt_count: fields.attemptCount,
    created_at: fields.createdAt,
    finalized_at: fields.finalizedAt,
    paid_at: fields.paidAt,
    voided_at: fields.voidedAt,
    uncollectible_at: fields.uncollectibleAt,
    lines: JSON.stringify(fields.lines),
    read_at: fields.readAt,
  }
}

/** Inserts an invoice that is not there. Undefined when it is: lock it then, and decide. */
export async function insertInvoice(trx: Trx, fields: InvoiceFields): Promise<string | undefined> {
  const row = await trx
    .insertInto('invoices')
    .values(toColumns(fields))
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  return row?.id
}

export async function updateInvoice(trx: Trx, id: string, fields: InvoiceFields): Promise<void> {
  const { tenant_id: _, created_at: __, ...values } = toColumns(fields)
  await trx.updateTable('invoices').set(values).where('id', '=', id).execute()
}

/** Who earns from an invoice, decided once: for the day it was finalized. */
export async function setInvoicePartner(
  trx: Trx,
  id: string,
  partnerId: string | null,
  marginPct: number | null,
): Promise<void> {
  await trx
    .updateTable('invoices')
    .set({ partner_id: partnerId, margin_pct: marginPct })
    .where('id', '=', id)
    .execute()
}

/** A draft that was deleted at the processor. False for an invoice that is no draft. */
export async function voidDeletedDraft(
  trx: Trx,
  stripeInvoiceId: string,
  at: Date,
): Promise<boolean> {
  const row = await trx
    .updateTable('invoices')
    .set({ status: 'void', voided_at: at, read_at: at })
    .where('stripe_invoice_id', '=', stripeInvoiceId)
    .where('status', '=', 'draft')
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export interface ReversalFields {
  id: string
  invoiceId: string
  kind: 'refund' | 'credit_note' | 'dispute'
  amount: number
  amountExcludingTax: number | null
  status: string
  effective: boolean
  createdAt: Date
  readAt: Date
  /** Of a credit note: all of it, and where its money went. */
  note?: {
    number: string
    total: number
    balanceAmount: number
    outsideAmount: number
    refundIds: readonly string[]
  }
}

/**
 * Stores the refunds and credits of an invoice as read at `readAt`. Returns false when a later
 * reading is already stored.
 */
export async function saveReversal(trx: Trx, fields: ReversalFields): Promise<boolean> {
  const values = {
    amount: fields.amount,
    amount_excluding_tax: fields.amountExcludingTax,
    status: fields.status,
    effective: fields.effective,
    read_at: fields.readAt,
    ...(fields.note && {
      number: fields.note.number,
      total: fields.note.total,
      balance_amount: fields.note.balanceAmount,
      outside_amount: fields.note.outsideAmount,
      refund_ids: [...fields.note.refundIds],
    }),
  }
  const inserted = await trx
    .insertInto('invoice_reversals')
    .values({
      id: fields.id,
      tenant_id: ({ selectFrom }) =>
        selectFrom('invoices').select('tenant_id').where('id', '=', fields.invoiceId),
      invoice_id: fields.invoiceId,
      kind: fields.kind,
      created_at: fields.createdAt,
      ...values,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (inserted) return true
  const { numUpdatedRows } = await trx
    .updateTable('invoice_reversals')
    .set(values)
    .where('id', '=', fields.id)
    .where('read_at', '<=', fields.readAt)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * Sums up on the invoice what was refunded and what is disputed. Requires `Trx`: the invoice's row
 * is locked by it.
 */
export async function sumReversals(trx: Trx, invoiceId: string): Promise<void> {
  await trx
    .updateTable('invoices')
    .set(({ fn, selectFrom, val }) => {
      const sumOf = (kind: 'refund' | 'dispute') =>
        fn.coalesce(
          selectFrom('invoice_reversals')
            .select((eb) => eb.fn.sum<string>('amount').as('sum'))
            .where('invoice_id', '=', invoiceId)
            .where('kind', '=', kind)
            .where('effective', '=', true)
            .$asScalar(),
          val('0'),
        )
      return { refunded_amount: sumOf('refund'), disputed_amount: sumOf('dispute') }
    })
    .where('id', '=', invoiceId)
    .execute()
}

export interface DueRow {
  currency: string
  amount: string
  invoices: number
  overdue: boolean
}

/** The amount due of a tenant, per currency. */
export async function sumOpenInvoices(
  db: Db | Trx,
  tenantId: string,
  now: Date,
): Promise<DueRow[]> {
  return db
    .selectFrom('invoices')
    .select(({ cast, fn }) => [
      'currency',
      cast<string>(fn.sum('amount_remaining'), 'text').as('amount'),
      cast<number>(fn.countAll(), 'integer').as('invoices'),
      sql<boolean>`bool_or(attempt_count > 0 or coalesce(due_date < ${now}, false))`.as('overdue'),
    ])
    .where('tenant_id', '=', tenantId)
    .where('status', '=', 'open')
    .where('amount_remaining', '>', '0')
    .groupBy('currency')
    .orderBy('currency')
    .execute()
}
