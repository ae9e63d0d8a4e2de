import type {
  CorrectionKind,
  CorrectionState,
  CreditDestination,
  CreditReason,
} from '@atrium/core/billing/invoice-corrections'
import { sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'
import { emailOf } from './email-of.ts'

export interface CorrectionRow {
  id: string
  requestId: string
  invoiceId: string
  invoiceNumber: string | null
  stripeInvoiceId: string
  tenantId: string
  tenantSlug: string
  tenantName: string
  partnerSlug: string | null
  kind: CorrectionKind
  destination: CreditDestination | null
  category: CreditReason | null
  currency: string
  amount: string
  reason: string
  reference: string | null
  paidOn: string | null
  state: CorrectionState
  error: string | null
  creditNoteId: string | null
  creditNoteNumber: string | null
  attempts: number
  requestedById: string | null
  requestedBy: string | null
  decidedBy: string | null
  createdAt: Date
  decidedAt: Date | null
  finishedAt: Date | null
}

/** Amounts are text: a number is exact only up to 2^53. */
function selectCorrections(db: Db | Trx) {
  return db
    .selectFrom('invoice_corrections as c')
    .innerJoin('invoices as i', 'i.id', 'c.invoice_id')
    .innerJoin('tenants as t', 't.id', 'c.tenant_id')
    .leftJoin('partners as p', 'p.id', 't.partner_id')
    .leftJoin('invoice_reversals as r', 'r.id', 'c.credit_note_id')
    .select(({ cast }) => [
      'c.id',
      'c.request_id as requestId',
      'c.invoice_id as invoiceId',
      'i.number as invoiceNumber',
      'i.stripe_invoice_id as stripeInvoiceId',
      'c.tenant_id as tenantId',
      't.slug as tenantSlug',
      't.name as tenantName',
      'p.slug as partnerSlug',
      'c.kind',
      'c.destination',
      'c.category',
      'c.currency',
      cast<string>('c.amount', 'text').as('amount'),
      'c.reason',
      'c.reference',
      cast<string | null>('c.paid_on', 'text').as('paidOn'),
      'c.state',
      'c.error',
      'c.credit_note_id as creditNoteId',
      'r.number as creditNoteNumber',
      'c.attempts',
      'c.requested_by as requestedById',
      emailOf('c.requested_by').as('requestedBy'),
      emailOf('c.decided_by').as('decidedBy'),
      'c.created_at as createdAt',
      'c.decided_at as decidedAt',
      'c.finished_at as finishedAt',
    ])
}

/** Newest first, one row more than requested. */
export async function listCorrections(
  db: Db | Trx,
  filter: {
    state?: CorrectionState | undefined
    tenantSlug?: string | undefined
    invoiceId?: string | undefined
    before?: string | undefined
    limit: number
  },
): Promise<CorrectionRow[]> {
  let query = selectCorrections(db)
  if (filter.state) query = query.where('c.state', '=', filter.state)
  if (filter.tenantSlug) query = query.where('t.slug', '=', filter.tenantSlug)
  if (filter.invoiceId) query = query.where('c.invoice_id', '=', filter.invoiceId)
  if (filter.before) query = query.where('c.id', '<', filter.before)
  return query
    .orderBy('c.id', 'desc')
    .limit(filter.limit + 1)
    .execute()
}

export function findCorrection(db: Db | Trx, id: string): Promise<CorrectionRow | undefined> {
  return selectCorrections(db).where('c.id', '=', id).executeTakeFirst()
}

/** The same under a row lock. */
export function lockCorrection(trx: Trx, id: string): Promise<CorrectionRow | undefined> {
  return selectCorrections(trx).where('c.id', '=', id).forUpdate('c').executeTakeFirst()
}

/** The correction that a request made. */
export function findCorrectionOfRequest(
  db: Db | Trx,
  requestId: string,
): Promise<CorrectionRow | undefined> {
  return selectCorrections(db).where('c.request_id', '=', requestId).executeTakeFirst()
}

/** Lets one transaction at a time decide what an operator may correct for a tenant alone. */
export async function lockCorrectionsOf(trx: Trx, tenantId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext(${`corrections:${tenantId}`}))`.execute(trx)
}

export interface WaitingCorrection {
  kind: CorrectionKind
  destination: CreditDestination | null
  amount: bigint
}

/** Corrections of an invoice that are neither done nor given up. */
export async function listWaitingCorrections(
  db: Db | Trx,
  invoiceId: string,
): Promise<WaitingCorrection[]> {
  const rows = await db
    .selectFrom('invoice_corrections')
    .select(['kind', 'destination', 'amount'])
    .where('invoice_id', '=', invoiceId)
    .where('state', 'in', ['pending', 'approved'])
    .execute()
  return rows.map((row) => ({ ...row, amount: BigInt(row.amount) }))
}

export async function wasPaidByTransfer(db: Db | Trx, invoiceId: string): Promise<boolean> {
  const row = await db
    .selectFrom('invoice_corrections')
    .select('id')
    .where('invoice_id', '=', invoiceId)
    .where('kind', '=', 'transfer')
    .where('state', '=', 'done')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** What one operator corrected for a tenant alone since a moment. */
export async function listCorrectedAlone(
  trx: Trx,
  about: { tenantId: string; requestedBy: string; since: Date },
): Promise<{ currency: string; amount: bigint }[]> {
  const rows = await trx
    .selectFrom('invoice_corrections')
    .select(({ fn }) => ['currency', fn.sum<string>('amount').as('amount')])
    .where('tenant_id', '=', about.tenantId)
    .where('requested_by', '=', about.requestedBy)
    .where('decided_by', 'is', null)
    .where('state', 'in', ['approved', 'done'])
    .where('created_at', '>', about.since)
    .groupBy('currency')
    .execute()
  return rows.map(({ currency, amount }) => ({ currency, amount: BigInt(amount) }))
}

export interface NewCorrection {
  requestId: string
  invoiceId: string
  tenantId: string
  kind: CorrectionKind
  destination: CreditDestination | null
  category: CreditReason | null
  currency: string
  amount: bigint
  reason: string
  reference: string | null
  paidOn: string | null
  state: 'pending' | 'approved'
  requestedBy: string
  now: Date
}

export async function insertCorrection(trx: Trx, correction: NewCorrection): Promise<string> {
  const { id } = await trx
    .insertInto('invoice_corrections')
    .values({
      request_id: correction.requestId,
      invoice_id: correction.invoiceId,
      tenant_id: correction.tenantId,
      kind: correction.kind,
      destination: correction.destination,
      category: correction.category,
      currency: correction.currency,
      amount: correction.amount,
      reason: correction.reason,
      reference: correction.reference,
      paid_on: correction.paidOn,
      state: correction.state,
      requested_by: correction.requestedBy,
      created_at: correction.now,
      decided_at: correction.state === 'pending' ? null : correction.now,
      next_at: correction.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export async function decideCorrection(
  trx: Trx,
  id: string,
  state: 'approved' | 'rejected',
  decidedBy: string,
  at: Date,
): Promise<void> {
  await trx
    .updateTable('invoice_corrections')
    .set({
      state,
      decided_by: decidedBy,
      decided_at: at,
      ...(state === 'approved' ? { next_at: at } : { finished_at: at }),
    })
    .where('id', '=', id)
    .execute()
}

const now = sql<Date>`now()`
const inSeconds = (seconds: number) => sql<Date>`now() + make_interval(secs => ${seconds})`

/** Ids of approved corrections that are due and not leased, oldest first. */
export async function findDueCorrections(db: Db, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('invoice_corrections')
    .select('id')
    .where('state', '=', 'approved')
    .where('next_at', '<=', now)
    .where((eb) => eb.or([eb('lease_until', 'is', null), eb('lease_until', '<', now)]))
    .orderBy('next_at')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/**
 * Leases an approved correction for `leaseSeconds`; one process at a time works on it. Undefined
 * when another process does, or it is not approved any more. `attempts` counts this one.
 */
export async function claimCorrection(
  db: Db,
  id: string,
  leaseSeconds: number,
): Promise<CorrectionRow | undefined> {
  const claimed = await db
    .updateTable('invoice_corrections')
    .set(({ eb }) => ({
      lease_until: inSeconds(leaseSeconds),
      attempts: eb('attempts', '+', 1),
    }))
    .where('id', '=', id)
    .where('state', '=', 'approved')
    .where((eb) => eb.or([eb('lease_until', 'is', null), eb('lease_until', '<', now)]))
    .returning('id')
    .executeTakeFirst()
  return claimed && findCorrection(db, id)
}

/** It is retried later; `error` says why. */
export async function putOffCorrection(
  db: Db,
  id: string,
  error: string,
  afterSeconds: number,
): Promise<void> {
  await db
    .updateTable('invoice_corrections')
    .set({ error, lease_until: null, next_at: inSeconds(afterSeconds) })
    .where('id', '=', id)
    .where('state', '=', 'approved')
    .execute()
}

export async function finishCorrection(
  db: Db | Trx,
  id: string,
  outcome: { state: 'done'; creditNoteId: string | null } | { state: 'failed'; error: string },
  at: Date,
): Promise<void> {
  await db
    .updateTable('invoice_corrections')
    .set({
      state: outcome.state,
      ...(outcome.state === 'done'
        ? { credit_note_id: outcome.creditNoteId, error: null }
        : { error: outcome.error }),
      finished_at: at,
      lease_until: null,
    })
    .where('id', '=', id)
    .where('state', '=', 'approved')
    .execute()
}
