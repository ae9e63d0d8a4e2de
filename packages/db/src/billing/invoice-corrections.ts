import type {
  CorrectionKind,
  CorrectionState,
  CreditDestination,
  CreditReason,
} from '@atrium/core/billing/invoice-corrections'
import { type SqlBool, sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'

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

const addressOf = (column: string) =>
  `coalesce((select u.email from users u where u.id::text = ${column}), ${column})`

const columns =
  sql.raw(`c.id, c.request_id as "requestId", c.invoice_id as "invoiceId", i.number as "invoiceNumber",
  i.stripe_invoice_id as "stripeInvoiceId", c.tenant_id as "tenantId", t.slug as "tenantSlug", t.name as "tenantName",
  (select p.slug from partners p where p.id = t.partner_id) as "partnerSlug", c.kind, c.destination, c.category,
  c.currency, c.amount::text as amount, c.reason, c.reference, c.paid_on::text as "paidOn", c.state, c.error,
  c.credit_note_id as "creditNoteId",
  (select r.number from invoice_reversals r where r.id = c.credit_note_id) as "creditNoteNumber", c.attempts,
  c.requested_by as "requestedById", ${addressOf('c.requested_by')} as "requestedBy",
  ${addressOf('c.decided_by')} as "decidedBy", c.created_at as "createdAt", c.decided_at as "decidedAt",
  c.finished_at as "finishedAt"
  from invoice_corrections c join invoices i on i.id = c.invoice_id join tenants t on t.id = c.tenant_id`)

/** Newest first, one row more than asked. */
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
  const conditions = [
    sql<SqlBool>`true`,
    ...(filter.state ? [sql<SqlBool>`c.state = ${filter.state}`] : []),
    ...(filter.tenantSlug ? [sql<SqlBool>`t.slug = ${filter.tenantSlug}`] : []),
    ...(filter.invoiceId ? [sql<SqlBool>`c.invoice_id = ${filter.invoiceId}`] : []),
    ...(filter.before ? [sql<SqlBool>`c.id < ${filter.before}`] : []),
  ]
  const { rows } = await sql<CorrectionRow>`
    select ${columns} where ${sql.join(conditions, sql` and `)}
    order by c.id desc limit ${filter.limit + 1}`.execute(db)
  return rows
}

export async function findCorrection(db: Db | Trx, id: string): Promise<CorrectionRow | undefined> {
  const { rows } = await sql<CorrectionRow>`select ${columns} where c.id = ${id}`.execute(db)
  return rows[0]
}

/** The same under a row lock. */
export async function lockCorrection(trx: Trx, id: string): Promise<CorrectionRow | undefined> {
  const { rows } = await sql<CorrectionRow>`
    select ${columns} where c.id = ${id} for update of c`.execute(trx)
  return rows[0]
}

/** The correction that a request made. */
export async function findCorrectionOfRequest(
  db: Db | Trx,
  requestId: string,
): Promise<CorrectionRow | undefined> {
  const { rows } = await sql<CorrectionRow>`
    select ${columns} where c.request_id = ${requestId}`.execute(db)
  return rows[0]
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
  const { rows } = await sql<{ currency: string; amount: string }>`
    select currency, sum(amount)::text as amount from invoice_corrections
    where tenant_id = ${about.tenantId} and requested_by = ${about.requestedBy} and decided_by is null
      and state in ('approved', 'done') and created_at > ${about.since}
    group by currency`.execute(trx)
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

/** Ids of approved corrections that nobody works on and whose time has come, oldest first. */
export async function findDueCorrections(db: Db, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from invoice_corrections
    where state = 'approved' and next_at <= now() and (lease_until is null or lease_until < now())
    order by next_at limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

/**
 * Takes an approved correction for `leaseSeconds`; one process at a time works on it. Undefined
 * when somebody else does, or it is not approved any more. `attempts` counts this one.
 */
export async function claimCorrection(
  db: Db,
  id: string,
  leaseSeconds: number,
): Promise<CorrectionRow | undefined> {
  const { rows } = await sql<{ id: string }>`
    update invoice_corrections
    set lease_until = now() + make_interval(secs => ${leaseSeconds}), attempts = attempts + 1
    where id = ${id} and state = 'approved' and (lease_until is null or lease_until < now())
    returning id`.execute(db)
  return rows[0] && findCorrection(db, id)
}

/** It is tried again later; `error` says why. */
export async function putOffCorrection(
  db: Db,
  id: string,
  error: string,
  afterSeconds: number,
): Promise<void> {
  await sql`
    update invoice_corrections
    set error = ${error}, lease_until = null, next_at = now() + make_interval(secs => ${afterSeconds})
    where id = ${id} and state = 'approved'`.execute(db)
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
