import type { AdjustmentState, PayoutStatus } from '@atrium/core/billing/payouts'
import { type SqlBool, sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'

/**
 * The margin in percent that holds on a day such as `2027-01-31`; undefined for an unknown partner.
 */
export async function findMarginAt(
  db: Db | Trx,
  partnerId: string,
  day: string,
): Promise<number | undefined> {
  const { rows } = await sql<{ margin: number }>`
    select coalesce((select m.margin_pct from partner_margins m where m.partner_id = p.id and m.effective_from <= ${day}::date
      order by m.effective_from desc limit 1), p.margin_pct)::float8 as margin
    from partners p where p.id = ${partnerId}`.execute(db)
  return rows[0]?.margin
}

/** Margins that begin after a day, soonest first. */
export async function listComingMargins(
  db: Db,
  partnerId: string,
  day: string,
): Promise<{ marginPct: number; effectiveFrom: string }[]> {
  const { rows } = await sql<{ marginPct: number; effectiveFrom: string }>`
    select margin_pct::float8 as "marginPct", effective_from::text as "effectiveFrom" from partner_margins
    where partner_id = ${partnerId} and effective_from > ${day}::date order by effective_from`.execute(
    db,
  )
  return rows
}

export interface PayoutPartner {
  id: string
  slug: string
  name: string
  status: 'active' | 'suspended' | 'terminated'
  selfBillingConsentAt: Date | null
  contactEmail: string | null
  billingCompany: string | null
  billingVatNumber: string | null
  billingCountry: string | null
  billingEmail: string | null
}

const partnerColumns = [
  'id',
  'slug',
  'name',
  'status',
  'self_billing_consent_at as selfBillingConsentAt',
  'contact_email as contactEmail',
  'billing_company as billingCompany',
  'billing_vat_number as billingVatNumber',
  'billing_country as billingCountry',
  'billing_email as billingEmail',
] as const

export function findPayoutPartner(db: Db | Trx, slug: string): Promise<PayoutPartner | undefined> {
  return db
    .selectFrom('partners')
    .select(partnerColumns)
    .where('slug', '=', slug)
    .executeTakeFirst()
}

/**
 * Lets one transaction at a time make and move payouts of a partner: entries are gathered once,
 * statement numbers follow one another. Apart from the partner's row, which every change of a
 * tenant would otherwise wait for.
 */
export async function lockPayouts(trx: Trx, partnerId: string): Promise<PayoutPartner | undefined> {
  await sql`select pg_advisory_xact_lock(hashtextextended('payouts ' || ${partnerId}, 0))`.execute(
    trx,
  )
  return trx
    .selectFrom('partners')
    .select(partnerColumns)
    .where('id', '=', partnerId)
    .executeTakeFirst()
}

/** Notes that the partner lets us write its statements. Returns when it first did. */
export async function setSelfBillingConsent(trx: Trx, partnerId: string, at: Date): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`
    update partners set self_billing_consent_at = coalesce(self_billing_consent_at, ${at}), updated_at = ${at}
    where id = ${partnerId} returning self_billing_consent_at as at`.execute(trx)
  return rows[0]?.at ?? at
}

export interface PayoutRow {
  id: string
  partnerId: string
  partnerSlug: string
  partnerName: string
  currency: string
  amount: string
  status: PayoutStatus
  periodFrom: Date | null
  periodTo: Date
  statementNumber: string | null
  cancellationNumber: string | null
  heldReason: string | null
  requestedById: string | null
  requestedBy: string | null
  approvedById: string | null
  approvedBy: string | null
  approvedAt: Date | null
  sentAt: Date | null
  paidAt: Date | null
  canceledAt: Date | null
  reference: string | null
  failureReason: string | null
  version: number
  createdAt: Date
  updatedAt: Date
  selfBillingConsentAt: Date | null
}

/** A person is kept by id; where the record is gone, the id is what is left to say. */
const addressOf = (column: string) =>
  `coalesce((select u.email from users u where u.id::text = ${column}), ${column})`

const payoutColumns =
  sql.raw(`p.id, p.partner_id as "partnerId", r.slug as "partnerSlug", r.name as "partnerName", p.currency,
  p.amount::text as amount, p.status, p.period_from as "periodFrom", p.period_to as "periodTo", p.statement_number as "statementNumber", p.cancellation_number as "cancellationNumber",
  p.held_reason as "heldReason", p.requested_by as "requestedById", ${addressOf('p.requested_by')} as "requestedBy",
  p.approved_by as "approvedById", ${addressOf('p.approved_by')} as "approvedBy", p.approved_at as "approvedAt", p.sent_at as "sentAt", p.paid_at as "paidAt",
  p.canceled_at as "canceledAt", p.reference, p.failure_reason as "failureReason", p.version, p.created_at as "createdAt",
  p.updated_at as "updatedAt", r.self_billing_consent_at as "selfBillingConsentAt"
  from payouts p join partners r on r.id = p.partner_id`)

export interface PayoutFilter {
  partnerId?: string | undefined
  partnerSlug?: string | undefined
  status?: PayoutStatus | undefined
  currency?: string | undefined
  before?: string | undefined
  limit: number
}

/** Newest first, one row more than asked. */
export async function listPayouts(db: Db, filter: PayoutFilter): Promise<PayoutRow[]> {
  const conditions = [
    sql<SqlBool>`true`,
    ...(filter.partnerId ? [sql<SqlBool>`p.partner_id = ${filter.partnerId}`] : []),
    ...(filter.partnerSlug ? [sql<SqlBool>`r.slug = ${filter.partnerSlug}`] : []),
    ...(filter.status ? [sql<SqlBool>`p.status = ${filter.status}`] : []),
    ...(filter.currency ? [sql<SqlBool>`p.currency = ${filter.currency}`] : []),
    ...(filter.before ? [sql<SqlBool>`p.id < ${filter.before}`] : []),
  ]
  const { rows } =
    await sql<PayoutRow>`select ${payoutColumns} where ${sql.join(conditions, sql` and `)}
    order by p.id desc limit ${filter.limit + 1}`.execute(db)
  return rows
}

export async function findPayout(db: Db | Trx, id: string): Promise<PayoutRow | undefined> {
  const { rows } = await sql<PayoutRow>`select ${payoutColumns} where p.id = ${id}`.execute(db)
  return rows[0]
}

/** The same under a row lock. */
export async function lockPayout(trx: Trx, id: string): Promise<PayoutRow | undefined> {
  const { rows } =
    await sql<PayoutRow>`select ${payoutColumns} where p.id = ${id} for update of p`.execute(trx)
  return rows[0]
}

/**
 * Whether the partner has another payout in the currency that is neither paid, failed nor canceled.
 */
export async function hasOtherOpenPayout(
  trx: Trx,
  { id, partnerId, currency }: Pick<PayoutRow, 'id' | 'partnerId' | 'currency'>,
): Promise<boolean> {
  const row = await trx
    .selectFrom('payouts')
    .select('id')
    .where('partner_id', '=', partnerId)
    .where('currency', '=', currency)
    .where('id', '<>', id)
    .where('status', 'in', ['draft', 'held', 'approved', 'in_transit'])
    .executeTakeFirst()
  return row !== undefined
}

export interface NewPayout {
  partnerId: string
  currency: string
  status: 'draft' | 'held'
  heldReason: string | null
  requestedBy: string | null
  /** Entries that were available by then, and negative ones without a hold (`availableBy`). */
  cutOff: Date
  minimum: bigint
  mostEntries: number
  now: Date
}

/**
 * Entries `l` that a payout with this cut-off takes: available by then, or taking away at once. A
 * claw-back of a share on hold waits for the share.
 */
const availableBy = (cutOff: Date) =>
  sql<SqlBool>`(l.available_at <= ${cutOff} or (l.amount < 0 and l.available_at <= l.created_at))`

/**
 * Makes a payout of the entries that no other one has, oldest first. Undefined when they are worth
 * less than the minimum, or another one is under way in this currency. Asks for `lockPayouts`.
 */
export async function insertPayout(trx: Trx, payout: NewPayout): Promise<string | undefined> {
  const { partnerId, currency } = payout
  const { rows } = await sql<{ id: string }>`
    with free as (
      select l.id, l.amount from partner_ledger l
      where l.partner_id = ${partnerId} and l.currency = ${currency} and l.type not in ('payout', 'payout_reversal')
        and ${availableBy(payout.cutOff)}
        and not exists (select from payout_entries e where e.entry_id = l.id)
      -- What takes away is never left for later.
      order by l.amount >= 0, l.id limit ${payout.mostEntries}),
    made as (
      insert into payouts (partner_id, currency, amount, status, held_reason, requested_by, period_from, period_to, created_at, updated_at)
      select ${partnerId}, ${currency}, sum(amount), ${payout.status}, ${payout.heldReason}, ${payout.requestedBy},
        (select max(period_to) from payouts where partner_id = ${partnerId} and currency = ${currency} and status <> 'canceled'),
        ${payout.cutOff}::timestamptz, ${payout.now}::timestamptz, ${payout.now}::timestamptz
      from free
      having sum(amount) >= ${payout.minimum}::bigint
        and not exists (select from payouts where partner_id = ${partnerId} and currency = ${currency}
          and status in ('draft', 'held', 'approved', 'in_transit', 'failed'))
      returning id),
    linked as (insert into payout_entries (entry_id, payout_id) select free.id, made.id from free, made)
    select id from made`.execute(trx)
  return rows[0]?.id
}

export interface PayoutChanges {
  status: PayoutStatus
  held_reason?: string | null
  approved_by?: string | null
  approved_at?: Date | null
  sent_at?: Date | null
  paid_at?: Date | null
  canceled_at?: Date | null
  reference?: string | null
  failure_reason?: string | null
  statement_number?: string
  cancellation_number?: string
  statement?: string
}

/** Asks for `Trx`: the state that it leaves was read under `lockPayout`. */
export async function updatePayout(
  trx: Trx,
  id: string,
  changes: PayoutChanges,
  now: Date,
): Promise<void> {
  await trx
    .updateTable('payouts')
    .set({ ...changes, version: sql`version + 1`, updated_at: now })
    .where('id', '=', id)
    .execute()
}

/** Lets other payouts have the entries of a canceled one. */
export async function freePayoutEntries(trx: Trx, id: string): Promise<void> {
  await trx.deleteFrom('payout_entries').where('payout_id', '=', id).execute()
}

/**
 * How many statements and cancellations of statements the partner has. Asks for `lockPayouts`, so
 * that the next number is given once.
 */
export async function countStatements(trx: Trx, partnerId: string): Promise<number> {
  const { count } = await trx
    .selectFrom('payouts')
    .select(sql<number>`count(statement_number) + count(cancellation_number)`.as('count'))
    .where('partner_id', '=', partnerId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** What a statement said when it was written; null before the payout was paid. */
export async function findStatement(db: Db | Trx, id: string): Promise<unknown> {
  const row = await db
    .selectFrom('payouts')
    .select('statement')
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.statement ?? null
}

/**
 * Partners and currencies for which the run of the month that begins at `monthStart` has made no
 * payout yet and something is to be paid.
 */
export async function listPayoutsDue(
  db: Db,
  monthStart: Date,
): Promise<{ partnerId: string; currency: string }[]> {
  const { rows } = await sql<{ partnerId: string; currency: string }>`
    select l.partner_id as "partnerId", l.currency from partner_ledger l
    where l.type not in ('payout', 'payout_reversal') and ${availableBy(monthStart)}
      and not exists (select from payout_entries e where e.entry_id = l.id)
      and not exists (select from payouts p where p.partner_id = l.partner_id and p.currency = l.currency
        and (p.status in ('draft', 'held', 'approved', 'in_transit', 'failed') or (p.requested_by is null and p.period_to >= ${monthStart})))
    group by l.partner_id, l.currency having sum(l.amount) > 0`.execute(db)
  return rows
}

export interface AdjustmentRow {
  id: string
  partnerId: string
  partnerSlug: string
  currency: string
  amount: string
  reason: string
  state: AdjustmentState
  requestedById: string | null
  requestedBy: string | null
  decidedBy: string | null
  createdAt: Date
  decidedAt: Date | null
}

const adjustmentColumns =
  sql.raw(`a.id, a.partner_id as "partnerId", r.slug as "partnerSlug", a.currency, a.amount::text as amount,
  a.reason, a.state, a.requested_by as "requestedById", ${addressOf('a.requested_by')} as "requestedBy",
  ${addressOf('a.decided_by')} as "decidedBy", a.created_at as "createdAt", a.decided_at as "decidedAt"
  from ledger_adjustments a join partners r on r.id = a.partner_id`)

/** Newest first, one row more than asked. */
export async function listAdjustments(
  db: Db,
  filter: {
    state?: AdjustmentState | undefined
    partnerSlug?: string | undefined
    before?: string | undefined
    limit: number
  },
): Promise<AdjustmentRow[]> {
  const conditions = [
    sql<SqlBool>`true`,
    ...(filter.state ? [sql<SqlBool>`a.state = ${filter.state}`] : []),
    ...(filter.partnerSlug ? [sql<SqlBool>`r.slug = ${filter.partnerSlug}`] : []),
    ...(filter.before ? [sql<SqlBool>`a.id < ${filter.before}`] : []),
  ]
  const { rows } =
    await sql<AdjustmentRow>`select ${adjustmentColumns} where ${sql.join(conditions, sql` and `)}
    order by a.id desc limit ${filter.limit + 1}`.execute(db)
  return rows
}

export async function findAdjustment(db: Db | Trx, id: string): Promise<AdjustmentRow | undefined> {
  const { rows } = await sql<AdjustmentRow>`select ${adjustmentColumns} where a.id = ${id}`.execute(
    db,
  )
  return rows[0]
}

/** The same under a row lock. */
export async function lockAdjustment(trx: Trx, id: string): Promise<AdjustmentRow | undefined> {
  const { rows } =
    await sql<AdjustmentRow>`select ${adjustmentColumns} where a.id = ${id} for update of a`.execute(
      trx,
    )
  return rows[0]
}

/**
 * What one person entered alone for a partner since a moment, without signs, in minor units of each
 * currency.
 */
export async function sumAdjustedAlone(
  trx: Trx,
  about: { partnerId: string; requestedBy: string; since: Date },
): Promise<{ currency: string; amount: bigint }[]> {
  const { rows } = await sql<{ currency: string; amount: string }>`
    select currency, sum(abs(amount))::text as amount from ledger_adjustments
    where partner_id = ${about.partnerId} and requested_by = ${about.requestedBy}
      and state = 'entered' and decided_by is null and created_at > ${about.since}
    group by currency`.execute(trx)
  return rows.map(({ currency, amount }) => ({ currency, amount: BigInt(amount) }))
}

export interface NewAdjustment {
  partnerId: string
  currency: string
  amount: bigint
  reason: string
  state: 'pending' | 'entered'
  requestedBy: string
  now: Date
}

export async function insertAdjustment(trx: Trx, adjustment: NewAdjustment): Promise<string> {
  const { id } = await trx
    .insertInto('ledger_adjustments')
    .values({
      partner_id: adjustment.partnerId,
      currency: adjustment.currency,
      amount: adjustment.amount,
      reason: adjustment.reason,
      state: adjustment.state,
      requested_by: adjustment.requestedBy,
      decided_by: null,
      created_at: adjustment.now,
      decided_at: adjustment.state === 'pending' ? null : adjustment.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export async function decideAdjustment(
  trx: Trx,
  id: string,
  state: 'entered' | 'refused',
  decidedBy: string,
  at: Date,
): Promise<void> {
  await trx
    .updateTable('ledger_adjustments')
    .set({ state, decided_by: decidedBy, decided_at: at })
    .where('id', '=', id)
    .execute()
}
