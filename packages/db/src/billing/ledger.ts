import type { LedgerEntryType, LedgerSource, PayoutStatus } from '@atrium/core/billing/payouts'
import { type SqlBool, sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'

/**
 * An invoice as the ledger looks at it. Amounts in minor units; `bigint` columns come as text or
 * number and are made whole by the caller.
 */
export interface LedgerInvoice {
  id: string
  tenantId: string
  currency: string
  status: string
  amountPaid: bigint
  total: bigint
  totalExcludingTax: bigint
  finalizedAt: Date | null
  paidAt: Date | null
  partnerId: string | null
  marginPct: number | null
  partnerTerminatedAt: Date | null
  stripeInvoiceId: string
}

interface InvoiceRow extends Omit<LedgerInvoice, 'amountPaid' | 'total' | 'totalExcludingTax'> {
  amountPaid: string
  total: string
  totalExcludingTax: string
}

/** Takes `Trx`, so that only one transaction at a time decides the ledger entries of an invoice. */
export async function lockLedgerInvoice(trx: Trx, id: string): Promise<LedgerInvoice | undefined> {
  const { rows } = await sql<InvoiceRow>`
    select i.id, i.tenant_id as "tenantId", i.currency, i.status, i.amount_paid::text as "amountPaid", i.total::text as total,
      i.total_excluding_tax::text as "totalExcludingTax", i.finalized_at as "finalizedAt", i.paid_at as "paidAt",
      i.partner_id as "partnerId", i.margin_pct::float8 as "marginPct", i.stripe_invoice_id as "stripeInvoiceId",
      (select p.terminated_at from partners p where p.id = i.partner_id) as "partnerTerminatedAt"
    from invoices i where i.id = ${id} for update`.execute(trx)
  const [row] = rows
  if (!row) return undefined
  return {
    ...row,
    amountPaid: BigInt(row.amountPaid),
    total: BigInt(row.total),
    totalExcludingTax: BigInt(row.totalExcludingTax),
  }
}

export interface ReversalRow {
  id: string
  kind: 'refund' | 'credit_note' | 'dispute'
  amount: bigint
  amountExcludingTax: bigint | null
  effective: boolean
  createdAt: Date
}

export async function listReversals(trx: Trx, invoiceId: string): Promise<ReversalRow[]> {
  const { rows } = await sql<
    Omit<ReversalRow, 'amount' | 'amountExcludingTax'> & {
      amount: string
      amountExcludingTax: string | null
    }
  >`
    select id, kind, amount::text as amount, amount_excluding_tax::text as "amountExcludingTax", effective, created_at as "createdAt"
    from invoice_reversals where invoice_id = ${invoiceId}`.execute(trx)
  return rows.map((row) => ({
    ...row,
    amount: BigInt(row.amount),
    amountExcludingTax: row.amountExcludingTax === null ? null : BigInt(row.amountExcludingTax),
  }))
}

export interface InvoiceEntry {
  type: LedgerEntryType
  amount: bigint
  base: bigint | null
  partnerId: string
  sourceId: string
  availableAt: Date
}

/** Every entry about an invoice, oldest first. */
export async function listInvoiceEntries(trx: Trx, invoiceId: string): Promise<InvoiceEntry[]> {
  const { rows } = await sql<
    Omit<InvoiceEntry, 'amount' | 'base'> & { amount: string; base: string | null }
  >`
    select type, amount::text as amount, base_amount::text as base, partner_id as "partnerId", source_id as "sourceId",
      available_at as "availableAt"
    from partner_ledger where invoice_id = ${invoiceId} order by id`.execute(trx)
  return rows.map((row) => ({
    ...row,
    amount: BigInt(row.amount),
    base: row.base === null ? null : BigInt(row.base),
  }))
}

export interface NewLedgerEntry {
  partnerId: string
  currency: string
  type: LedgerEntryType
  /** Signed. */
  amount: bigint
  base?: bigint
  marginPct?: number
  tenantId?: string
  invoiceId?: string
  sourceType: LedgerSource
  sourceId: string
  reason?: string
  createdBy?: string
  availableAt: Date
  createdAt: Date
}

/**
 * Throws the unique violation of its source when the same entry is there already; callers hold a
 * lock that keeps that from happening.
 */
export async function insertLedgerEntry(trx: Trx, entry: NewLedgerEntry): Promise<string> {
  const { id } = await trx
    .insertInto('partner_ledger')
    .values({
      partner_id: entry.partnerId,
      currency: entry.currency,
      type: entry.type,
      amount: entry.amount,
      base_amount: entry.base ?? null,
      margin_pct: entry.marginPct ?? null,
      tenant_id: entry.tenantId ?? null,
      invoice_id: entry.invoiceId ?? null,
      source_type: entry.sourceType,
      source_id: entry.sourceId,
      reason: entry.reason ?? null,
      created_by: entry.createdBy ?? null,
      available_at: entry.availableAt,
      created_at: entry.createdAt,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export interface LedgerRow {
  id: string
  type: LedgerEntryType
  currency: string
  amount: string
  base: string | null
  marginPct: number | null
  tenantSlug: string | null
  tenantName: string | null
  invoiceId: string | null
  invoiceNumber: string | null
  source: LedgerSource
  sourceId: string
  reason: string | null
  availableAt: Date
  createdAt: Date
  payoutId: string | null
  payoutStatus: PayoutStatus | null
  statementNumber: string | null
}

const entryColumns =
  sql.raw(`l.id, l.type, l.currency, l.amount::text as amount, l.base_amount::text as base, l.margin_pct::float8 as "marginPct",
  t.slug as "tenantSlug", t.name as "tenantName", l.invoice_id as "invoiceId", i.number as "invoiceNumber", l.source_type as source,
  l.source_id as "sourceId", l.reason, l.available_at as "availableAt", l.created_at as "createdAt", p.id as "payoutId",
  p.status as "payoutStatus", p.statement_number as "statementNumber"`)
const entryJoins =
  sql.raw(`from partner_ledger l left join tenants t on t.id = l.tenant_id left join invoices i on i.id = l.invoice_id
  left join payout_entries e on e.entry_id = l.id
  left join payouts p on p.id = coalesce(e.payout_id, case when l.source_type = 'payout' then split_part(l.source_id, '#', 1)::uuid end)`)

export interface LedgerFilter {
  partnerId: string
  currency?: string | undefined
  type?: LedgerEntryType | undefined
  invoiceId?: string | undefined
  tenantSlug?: string | undefined
  before?: string | undefined
  limit: number
}

/** Newest first, one row more than asked. */
export async function listLedger(db: Db | Trx, filter: LedgerFilter): Promise<LedgerRow[]> {
  const conditions = [
    sql<SqlBool>`l.partner_id = ${filter.partnerId}`,
    ...(filter.currency ? [sql<SqlBool>`l.currency = ${filter.currency}`] : []),
    ...(filter.type ? [sql<SqlBool>`l.type = ${filter.type}`] : []),
    ...(filter.invoiceId ? [sql<SqlBool>`l.invoice_id = ${filter.invoiceId}`] : []),
    ...(filter.tenantSlug ? [sql<SqlBool>`t.slug = ${filter.tenantSlug}`] : []),
    ...(filter.before ? [sql<SqlBool>`l.id < ${filter.before}`] : []),
  ]
  const { rows } =
    await sql<LedgerRow>`select ${entryColumns} ${entryJoins} where ${sql.join(conditions, sql` and `)}
    order by l.id desc limit ${filter.limit + 1}`.execute(db)
  return rows
}

/** The entries of a payout, oldest first. */
export async function listPayoutEntries(db: Db | Trx, payoutId: string): Promise<LedgerRow[]> {
  const { rows } = await sql<LedgerRow>`select ${entryColumns} ${entryJoins}
    where l.id in (select entry_id from payout_entries where payout_id = ${payoutId}) order by l.id`.execute(
    db,
  )
  return rows
}

export interface BalanceRow {
  currency: string
  balance: string
  available: string
  pending: string
  reserved: string
  earned: string
  paidOut: string
  nextAvailableAt: Date | null
  openPayoutId: string | null
  openPayoutStatus: PayoutStatus | null
  openPayoutAmount: string | null
}

const openStates = sql.raw(`('draft', 'held', 'approved', 'in_transit', 'failed')`)

/**
 * Sums per currency at a moment (docs/reference/contract.md, ledger and payouts), in minor units as
 * text. `earned` counts from `monthStart`.
 */
export async function readBalances(
  db: Db | Trx,
  partnerId: string,
  at: Date,
  monthStart: Date,
): Promise<BalanceRow[]> {
  const { rows } = await sql<BalanceRow>`
    with sums as (
      select currency, sum(amount)::text as balance,
        coalesce(sum(amount) filter (where available_at <= ${at}), 0)::text as available,
        coalesce(sum(amount) filter (where available_at > ${at}), 0)::text as pending,
        coalesce(sum(amount) filter (where created_at >= ${monthStart} and type not in ('payout', 'payout_reversal', 'adjustment')), 0)::text as earned,
        coalesce(-sum(amount) filter (where type in ('payout', 'payout_reversal')), 0)::text as "paidOut"
      from partner_ledger where partner_id = ${partnerId} group by currency),
    -- A share that was clawed back while on hold leaves nothing to become available.
    coming as (
      select currency, available_at from partner_ledger where partner_id = ${partnerId} and available_at > ${at}
      group by currency, available_at having sum(amount) > 0)
    select s.*, (select min(c.available_at) from coming c where c.currency = s.currency) as "nextAvailableAt", coalesce(r.amount, 0)::text as reserved, o.id as "openPayoutId", o.status as "openPayoutStatus", o.amount::text as "openPayoutAmount"
    from sums s
    left join lateral (select sum(p.amount) as amount from payouts p
      where p.partner_id = ${partnerId} and p.currency = s.currency and p.status in ${openStates}) r on true
    -- One that failed may stand beside the next one, which is shown first.
    left join lateral (select p.id, p.status, p.amount from payouts p
      where p.partner_id = ${partnerId} and p.currency = s.currency and p.status in ${openStates}
      order by p.status = 'failed', p.id desc limit 1) o on true
    order by s.currency`.execute(db)
  return rows
}

/**
 * What is available for a payout at a moment, in minor units: what is available at all, less what
 * other payouts have reserved. Below zero when more was clawed back.
 */
export async function readAvailableFor(
  trx: Trx,
  { id, partnerId, currency }: { id: string; partnerId: string; currency: string },
  at: Date,
): Promise<bigint> {
  const { rows } = await sql<{ available: string }>`
    select (coalesce((select sum(amount) from partner_ledger
        where partner_id = ${partnerId} and currency = ${currency} and available_at <= ${at}), 0)
      - coalesce((select sum(amount) from payouts
        where partner_id = ${partnerId} and currency = ${currency} and id <> ${id} and status in ${openStates}), 0))::text as available`.execute(
    trx,
  )
  return BigInt(rows[0]?.available ?? '0')
}

/** Entries of this type that a payout has made itself; a payout that came back is paid again. */
export async function countPayoutCharges(
  trx: Trx,
  type: 'payout' | 'payout_reversal',
  payoutId: string,
): Promise<number> {
  const { count } = await trx
    .selectFrom('partner_ledger')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('source_type', '=', 'payout')
    .where('type', '=', type)
    .where('source_id', 'like', `${payoutId}%`)
    .executeTakeFirstOrThrow()
  return count
}
