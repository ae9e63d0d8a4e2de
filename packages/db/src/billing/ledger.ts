import type { LedgerEntryType, LedgerSource, PayoutStatus } from '@atrium/core/billing/payouts'
import { type InferResult, sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'

export type LedgerInvoice = NonNullable<Awaited<ReturnType<typeof lockLedgerInvoice>>>

/**
 * An invoice as the ledger needs it, amounts in minor units. Takes `Trx`, so that only one
 * transaction at a time decides the ledger entries of an invoice.
 */
export async function lockLedgerInvoice(trx: Trx, id: string) {
  const row = await trx
    .selectFrom('invoices as i')
    .select(({ cast, selectFrom }) => [
      'i.id',
      'i.tenant_id as tenantId',
      'i.currency',
      'i.status',
      cast<string>('i.amount_paid', 'text').as('amountPaid'),
      cast<string>('i.total', 'text').as('total'),
      cast<string>('i.total_excluding_tax', 'text').as('totalExcludingTax'),
      'i.finalized_at as finalizedAt',
      'i.paid_at as paidAt',
      'i.partner_id as partnerId',
      cast<number | null>('i.margin_pct', 'float8').as('marginPct'),
      'i.stripe_invoice_id as stripeInvoiceId',
      selectFrom('partners as p')
        .select('p.terminated_at')
        .whereRef('p.id', '=', 'i.partner_id')
        .as('partnerTerminatedAt'),
    ])
    .where('i.id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  return (
    row && {
      ...row,
      amountPaid: BigInt(row.amountPaid),
      total: BigInt(row.total),
      totalExcludingTax: BigInt(row.totalExcludingTax),
    }
  )
}

export async function listReversals(trx: Trx, invoiceId: string) {
  const rows = await trx
    .selectFrom('invoice_reversals')
    .select(({ cast }) => [
      'id',
      'kind',
      cast<string>('amount', 'text').as('amount'),
      cast<string | null>('amount_excluding_tax', 'text').as('amountExcludingTax'),
      'effective',
      'created_at as createdAt',
    ])
    .where('invoice_id', '=', invoiceId)
    .execute()
  return rows.map((row) => ({
    ...row,
    amount: BigInt(row.amount),
    amountExcludingTax: row.amountExcludingTax === null ? null : BigInt(row.amountExcludingTax),
  }))
}

/** Every entry about an invoice, oldest first. */
export async function listInvoiceEntries(trx: Trx, invoiceId: string) {
  const rows = await trx
    .selectFrom('partner_ledger')
    .select(({ cast }) => [
      'type',
      cast<string>('amount', 'text').as('amount'),
      cast<string | null>('base_amount', 'text').as('base'),
      'partner_id as partnerId',
      'source_id as sourceId',
      'available_at as availableAt',
    ])
    .where('invoice_id', '=', invoiceId)
    .orderBy('id')
    .execute()
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

/** Entries with what they are about and the payout that has or is them. */
function selectEntries(db: Db | Trx) {
  return db
    .selectFrom('partner_ledger as l')
    .leftJoin('tenants as t', 't.id', 'l.tenant_id')
    .leftJoin('invoices as i', 'i.id', 'l.invoice_id')
    .leftJoin('payout_entries as e', 'e.entry_id', 'l.id')
    .leftJoin('payouts as p', (join) =>
      join.on(
        'p.id',
        '=',
        sql<string>`coalesce(e.payout_id, case when l.source_type = 'payout' then split_part(l.source_id, '#', 1)::uuid end)`,
      ),
    )
    .select(({ cast }) => [
      'l.id',
      'l.type',
      'l.currency',
      cast<string>('l.amount', 'text').as('amount'),
      cast<string | null>('l.base_amount', 'text').as('base'),
      cast<number | null>('l.margin_pct', 'float8').as('marginPct'),
      't.slug as tenantSlug',
      't.name as tenantName',
      'l.invoice_id as invoiceId',
      'i.number as invoiceNumber',
      'l.source_type as source',
      'l.source_id as sourceId',
      'l.reason',
      'l.available_at as availableAt',
      'l.created_at as createdAt',
      'p.id as payoutId',
      'p.status as payoutStatus',
      'p.statement_number as statementNumber',
    ])
}

export type LedgerRow = InferResult<ReturnType<typeof selectEntries>>[number]

export interface LedgerFilter {
  partnerId: string
  currency?: string | undefined
  type?: LedgerEntryType | undefined
  invoiceId?: string | undefined
  tenantSlug?: string | undefined
  before?: string | undefined
  limit: number
}

/** Newest first, one row more than requested. */
export function listLedger(db: Db | Trx, filter: LedgerFilter): Promise<LedgerRow[]> {
  let query = selectEntries(db).where('l.partner_id', '=', filter.partnerId)
  if (filter.currency) query = query.where('l.currency', '=', filter.currency)
  if (filter.type) query = query.where('l.type', '=', filter.type)
  if (filter.invoiceId) query = query.where('l.invoice_id', '=', filter.invoiceId)
  if (filter.tenantSlug) query = query.where('t.slug', '=', filter.tenantSlug)
  if (filter.before) query = query.where('l.id', '<', filter.before)
  return query
    .orderBy('l.id', 'desc')
    .limit(filter.limit + 1)
    .execute()
}

/** The entries of a payout, oldest first. */
export function listPayoutEntries(db: Db | Trx, payoutId: string): Promise<LedgerRow[]> {
  return selectEntries(db)
    .where('l.id', 'in', ({ selectFrom }) =>
      selectFrom('payout_entries').select('entry_id').where('payout_id', '=', payoutId),
    )
    .orderBy('l.id')
    .execute()
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

// Plain SQL from here on: sums of sums that are shown as text.
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
