import type { AdjustmentState, PayoutStatus } from '@atrium/core/billing/payouts'
import { expressionBuilder, sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'
import type { PartnerLedgerTable } from '../schema/payouts.ts'
import type { Tables } from '../schema/tables.ts'
import { emailOf } from './email-of.ts'

/**
 * The margin in percent that holds on a day such as `2027-01-31`; undefined for an unknown partner.
 */
export async function findMarginAt(
  db: Db | Trx,
  partnerId: string,
  day: string,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('partners as p')
    .select(({ cast, fn, selectFrom }) =>
      cast<number>(
        fn.coalesce(
          selectFrom('partner_margins as m')
            .select('m.margin_pct')
            .whereRef('m.partner_id', '=', 'p.id')
            .where('m.effective_from', '<=', day)
            .orderBy('m.effective_from', 'desc')
            .limit(1),
          'p.margin_pct',
        ),
        'float8',
      ).as('margin'),
    )
    .where('p.id', '=', partnerId)
    .executeTakeFirst()
  return row?.margin
}

/** Margins that begin after a day, soonest first. */
export function listComingMargins(
  db: Db,
  partnerId: string,
  day: string,
): Promise<{ marginPct: number; effectiveFrom: string }[]> {
  return db
    .selectFrom('partner_margins')
    .select(({ cast }) => [
      cast<number>('margin_pct', 'float8').as('marginPct'),
      cast<string>('effective_from', 'text').as('effectiveFrom'),
    ])
    .where('partner_id', '=', partnerId)
    .where('effective_from', '>', day)
    .orderBy('effective_from')
    .execute()
}

export type PayoutPartner = NonNullable<Awaited<ReturnType<typeof findPayoutPartner>>>

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

export function findPayoutPartner(db: Db | Trx, slug: string) {
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
  const partner = await trx
    .updateTable('partners')
    .set(({ fn, val }) => ({
      self_billing_consent_at: fn.coalesce('self_billing_consent_at', val(at)),
      updated_at: at,
    }))
    .where('id', '=', partnerId)
    .returning('self_billing_consent_at as at')
    .executeTakeFirst()
  return partner?.at ?? at
}

/** Amounts are text: a number is exact only up to 2^53. */
function selectPayouts(db: Db | Trx) {
  return db
    .selectFrom('payouts as p')
    .innerJoin('partners as r', 'r.id', 'p.partner_id')
    .select(({ cast }) => [
      'p.id',
      'p.partner_id as partnerId',
      'r.slug as partnerSlug',
      'r.name as partnerName',
      'p.currency',
      cast<string>('p.amount', 'text').as('amount'),
      'p.status',
      'p.period_from as periodFrom',
      'p.period_to as periodTo',
      'p.statement_number as statementNumber',
      'p.cancellation_number as cancellationNumber',
      'p.held_reason as heldReason',
      'p.requested_by as requestedById',
      emailOf('p.requested_by').as('requestedBy'),
      'p.approved_by as approvedById',
      emailOf('p.approved_by').as('approvedBy'),
      'p.approved_at as approvedAt',
      'p.sent_at as sentAt',
      'p.paid_at as paidAt',
      'p.canceled_at as canceledAt',
      'p.reference',
      'p.failure_reason as failureReason',
      'p.version',
      'p.created_at as createdAt',
      'p.updated_at as updatedAt',
      'r.self_billing_consent_at as selfBillingConsentAt',
    ])
}

export type PayoutRow = NonNullable<Awaited<ReturnType<typeof findPayout>>>

export interface PayoutFilter {
  partnerId?: string | undefined
  partnerSlug?: string | undefined
  status?: PayoutStatus | undefined
  currency?: string | undefined
  before?: string | undefined
  limit: number
}

/** Newest first, one row more than requested. */
export function listPayouts(db: Db, filter: PayoutFilter): Promise<PayoutRow[]> {
  let query = selectPayouts(db)
  if (filter.partnerId) query = query.where('p.partner_id', '=', filter.partnerId)
  if (filter.partnerSlug) query = query.where('r.slug', '=', filter.partnerSlug)
  if (filter.status) query = query.where('p.status', '=', filter.status)
  if (filter.currency) query = query.where('p.currency', '=', filter.currency)
  if (filter.before) query = query.where('p.id', '<', filter.before)
  return query
    .orderBy('p.id', 'desc')
    .limit(filter.limit + 1)
    .execute()
}

export function findPayout(db: Db | Trx, id: string) {
  return selectPayouts(db).where('p.id', '=', id).executeTakeFirst()
}

/** The same under a row lock. */
export function lockPayout(trx: Trx, id: string): Promise<PayoutRow | undefined> {
  return selectPayouts(trx).where('p.id', '=', id).forUpdate('p').executeTakeFirst()
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

/** For `partner_ledger as l`. */
const entry = expressionBuilder<Tables & { l: PartnerLedgerTable }, 'l'>()

/**
 * Entries `l` that a payout with this cut-off takes: available by then, or taking away at once. A
 * claw-back of a share on hold waits for the share.
 */
const availableBy = (cutOff: Date) =>
  entry.or([
    entry('l.available_at', '<=', cutOff),
    entry.and([
      entry('l.amount', '<', '0'),
      entry('l.available_at', '<=', entry.ref('l.created_at')),
    ]),
  ])

/** Entries that a payout may take and that none has. */
const freeEntries = (db: Db | Trx, cutOff: Date) =>
  db
    .selectFrom('partner_ledger as l')
    .where('l.type', 'not in', ['payout', 'payout_reversal'])
    .where(availableBy(cutOff))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('payout_entries as e')
            .select('e.entry_id')
            .whereRef('e.entry_id', '=', 'l.id'),
        ),
      ),
    )

/**
 * Creates a payout of the entries that are in no other, oldest first. Returns undefined when they
 * are worth less than the minimum, or another payout in this currency is under way. Requires
 * `lockPayouts`.
 */
export async function insertPayout(trx: Trx, payout: NewPayout): Promise<string | undefined> {
  const { partnerId, currency } = payout
  const free = freeEntries(trx, payout.cutOff)
    .select(['l.id', 'l.amount'])
    .where('l.partner_id', '=', partnerId)
    .where('l.currency', '=', currency)
    // What takes away is never left for later.
    .orderBy(({ eb }) => eb('l.amount', '>=', '0'))
    .orderBy('l.id')
    .limit(payout.mostEntries)
  // Plain SQL: the new row is conditional on its own sum.
  const { rows } = await sql<{ id: string }>`
    with free as (${free}),
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

/** Requires `Trx`: the state that it leaves was read under `lockPayout`. */
export async function updatePayout(
  trx: Trx,
  id: string,
  changes: PayoutChanges,
  now: Date,
): Promise<void> {
  await trx
    .updateTable('payouts')
    .set((eb) => ({ ...changes, version: eb('version', '+', 1), updated_at: now }))
    .where('id', '=', id)
    .execute()
}

/** Lets other payouts have the entries of a canceled one. */
export async function freePayoutEntries(trx: Trx, id: string): Promise<void> {
  await trx.deleteFrom('payout_entries').where('payout_id', '=', id).execute()
}

/**
 * How many statements and cancellations of statements the partner has. Requires `lockPayouts`, so
 * that the next number is given once.
 */
export async function countStatements(trx: Trx, partnerId: string): Promise<number> {
  const { count } = await trx
    .selectFrom('payouts')
    .select(({ eb, fn }) =>
      eb(fn.count<number>('statement_number'), '+', fn.count<number>('cancellation_number')).as(
        'count',
      ),
    )
    .where('partner_id', '=', partnerId)
    .executeTakeFirstOrThrow()
  return count
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
export function listPayoutsDue(
  db: Db,
  monthStart: Date,
): Promise<{ partnerId: string; currency: string }[]> {
  return freeEntries(db, monthStart)
    .select(['l.partner_id as partnerId', 'l.currency'])
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('payouts as p')
            .select('p.id')
            .whereRef('p.partner_id', '=', 'l.partner_id')
            .whereRef('p.currency', '=', 'l.currency')
            .where(({ eb, and, or }) =>
              or([
                eb('p.status', 'in', ['draft', 'held', 'approved', 'in_transit', 'failed']),
                and([eb('p.requested_by', 'is', null), eb('p.period_to', '>=', monthStart)]),
              ]),
            ),
        ),
      ),
    )
    .groupBy(['l.partner_id', 'l.currency'])
    .having(({ fn }) => fn.sum('l.amount'), '>', 0)
    .execute()
}

function selectAdjustments(db: Db | Trx) {
  return db
    .selectFrom('ledger_adjustments as a')
    .innerJoin('partners as r', 'r.id', 'a.partner_id')
    .select(({ cast }) => [
      'a.id',
      'a.partner_id as partnerId',
      'r.slug as partnerSlug',
      'a.currency',
      cast<string>('a.amount', 'text').as('amount'),
      'a.reason',
      'a.state',
      'a.requested_by as requestedById',
      emailOf('a.requested_by').as('requestedBy'),
      emailOf('a.decided_by').as('decidedBy'),
      'a.created_at as createdAt',
      'a.decided_at as decidedAt',
    ])
}

export type AdjustmentRow = NonNullable<Awaited<ReturnType<typeof findAdjustment>>>

/** Newest first, one row more than requested. */
export function listAdjustments(
  db: Db,
  filter: {
    state?: AdjustmentState | undefined
    partnerSlug?: string | undefined
    before?: string | undefined
    limit: number
  },
): Promise<AdjustmentRow[]> {
  let query = selectAdjustments(db)
  if (filter.state) query = query.where('a.state', '=', filter.state)
  if (filter.partnerSlug) query = query.where('r.slug', '=', filter.partnerSlug)
  if (filter.before) query = query.where('a.id', '<', filter.before)
  return query
    .orderBy('a.id', 'desc')
    .limit(filter.limit + 1)
    .execute()
}

export function findAdjustment(db: Db | Trx, id: string) {
  return selectAdjustments(db).where('a.id', '=', id).executeTakeFirst()
}

/** The same under a row lock. */
export function lockAdjustment(trx: Trx, id: string): Promise<AdjustmentRow | undefined> {
  return selectAdjustments(trx).where('a.id', '=', id).forUpdate('a').executeTakeFirst()
}

/**
 * What one person entered alone for a partner since a moment, without signs, in minor units of each
 * currency.
 */
export async function sumAdjustedAlone(
  trx: Trx,
  about: { partnerId: string; requestedBy: string; since: Date },
): Promise<{ currency: string; amount: bigint }[]> {
  const rows = await trx
    .selectFrom('ledger_adjustments')
    .select(({ cast, fn }) => [
      'currency',
      cast<string>(fn.sum(fn('abs', ['amount'])), 'text').as('amount'),
    ])
    .where('partner_id', '=', about.partnerId)
    .where('requested_by', '=', about.requestedBy)
    .where('state', '=', 'entered')
    .where('decided_by', 'is', null)
    .where('created_at', '>', about.since)
    .groupBy('currency')
    .execute()
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
