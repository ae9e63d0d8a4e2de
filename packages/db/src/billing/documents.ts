import type { BillingDocument, DocumentKind } from '@atrium/core/billing/documents/document'
import type { DocumentProblem } from '@atrium/core/billing/documents/problems'
import { type SqlBool, sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'

/** The postal address of a tenant or a partner, without its country. */
export interface StoredAddress {
  line1: string
  line2: string | null
  postalCode: string | null
  city: string
  region: string | null
}

/** What a document is about. */
interface DocumentSubject {
  tenantId: string
  invoiceId: string
  source: string
  kind: 'invoice' | 'credit_note'
  cancels: boolean
  number: string | null
  /** Null while it waits. */
  document: BillingDocument | null
}

export interface DocumentRow extends DocumentSubject {
  id: string
  problems: DocumentProblem[]
  createdAt: Date
  issuedAt: Date | null
}

function select(db: Db | Trx) {
  return db
    .selectFrom('billing_documents')
    .select([
      'id',
      'tenant_id as tenantId',
      'invoice_id as invoiceId',
      'source',
      'kind',
      'cancels',
      'number',
      'created_at as createdAt',
      'issued_at as issuedAt',
    ])
    .select([
      sql<BillingDocument | null>`document`.as('document'),
      sql<DocumentProblem[]>`problems`.as('problems'),
    ])
}

/** Oldest first: the invoice, then what corrects it. */
export function listInvoiceDocuments(
  db: Db | Trx,
  tenantId: string,
  invoiceId: string,
): Promise<DocumentRow[]> {
  return select(db)
    .where('tenant_id', '=', tenantId)
    .where('invoice_id', '=', invoiceId)
    .orderBy('id')
    .execute()
}

export function findDocument(
  db: Db | Trx,
  tenantId: string,
  id: string,
): Promise<DocumentRow | undefined> {
  return select(db).where('tenant_id', '=', tenantId).where('id', '=', id).executeTakeFirst()
}

export function findDocumentOf(
  db: Db | Trx,
  tenantId: string,
  source: string,
): Promise<DocumentRow | undefined> {
  return select(db)
    .where('tenant_id', '=', tenantId)
    .where('source', '=', source)
    .executeTakeFirst()
}

export interface DocumentFields extends DocumentSubject {
  problems: readonly DocumentProblem[]
  at: Date
}

/** The columns that say whether the document was issued, or why it waits. */
const resultOf = ({
  number,
  document,
  problems,
  at,
}: Pick<DocumentFields, 'number' | 'document' | 'problems' | 'at'>) => ({
  number,
  document: document === null ? null : JSON.stringify(document),
  problems: [...problems],
  issued_at: document === null ? null : at,
  checked_at: at,
})

/**
 * Issues a document, or notes why it waits. One that was issued stays as it is. Any number of calls
 * at once issue it once.
 */
export async function saveDocument(trx: Trx, fields: DocumentFields): Promise<void> {
  const values = { kind: fields.kind, ...resultOf(fields) }
  await trx
    .insertInto('billing_documents')
    .values({
      tenant_id: fields.tenantId,
      invoice_id: fields.invoiceId,
      source: fields.source,
      cancels: fields.cancels,
      created_at: fields.at,
      ...values,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['tenant_id', 'source'])
        .doUpdateSet(values)
        .where('billing_documents.document', 'is', null),
    )
    .execute()
}

/**
 * Tenants with finalized invoices that have no document yet, or documents that wait and were not
 * looked at since `before`. By id, after `after`.
 */
export async function listTenantsWithPendingDocuments(
  db: Db,
  { before, after, limit }: { before: Date; after: string | undefined; limit: number },
): Promise<string[]> {
  let query = db
    .selectFrom((eb) =>
      eb
        .selectFrom('billing_documents')
        .select('tenant_id')
        .where('document', 'is', null)
        .where('checked_at', '<=', before)
        .union(
          eb
            .selectFrom('invoices as i')
            .select('i.tenant_id')
            .where('i.finalized_at', 'is not', null)
            .where('i.number', 'is not', null)
            .where(({ exists, not, selectFrom }) =>
              not(
                exists(
                  selectFrom('billing_documents as d')
                    .select('d.tenant_id')
                    .whereRef('d.tenant_id', '=', 'i.tenant_id')
                    .whereRef('d.source', '=', 'i.stripe_invoice_id'),
                ),
              ),
            ),
        )
        .as('pending'),
    )
    .select('tenant_id as tenantId')
  if (after !== undefined) query = query.where('tenant_id', '>', after)
  const rows = await query.orderBy('tenant_id').limit(limit).execute()
  return rows.map(({ tenantId }) => tenantId)
}

/** The invoices of a tenant with a document that is missing or waits. Processor's ids. */
export async function listInvoicesToDocument(db: Db, tenantId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('invoices as i')
    .select('i.stripe_invoice_id as id')
    .where('i.tenant_id', '=', tenantId)
    .where('i.finalized_at', 'is not', null)
    .where('i.number', 'is not', null)
    .where(
      sql<SqlBool>`(not exists (select from billing_documents d where d.tenant_id = i.tenant_id and d.source = i.stripe_invoice_id)
        or exists (select from billing_documents d where d.tenant_id = i.tenant_id and d.invoice_id = i.id and d.document is null))`,
    )
    .orderBy('i.finalized_at')
    .execute()
  return rows.map(({ id }) => id)
}

export interface PendingDocumentRow {
  owner: 'tenant' | 'partner'
  slug: string
  number: string | null
  kind: DocumentKind
  problems: DocumentProblem[]
  createdAt: Date
}

/** Documents of tenants and partners that wait, oldest first. */
export async function listPendingDocuments(db: Db, limit: number): Promise<PendingDocumentRow[]> {
  // Plain SQL: a union of parts that are each sorted and cut by themselves.
  const { rows } = await sql<PendingDocumentRow>`
    (select 'tenant' as owner, t.slug, d.number, d.kind, d.problems, d.created_at as "createdAt"
      from billing_documents d join tenants t on t.id = d.tenant_id where d.document is null
      order by d.created_at limit ${limit})
    union all
    (select 'partner', p.slug, d.number, case when d.cancels then 'self_billed_credit_note' else 'self_billed_invoice' end,
        d.problems, d.created_at
      from partner_documents d join partners p on p.id = d.partner_id where d.document is null
      order by d.created_at limit ${limit})
    order by "createdAt" limit ${limit}`.execute(db)
  return rows
}

export interface NumberGap {
  prefix: string
  /** The first and the last number that is missing. */
  from: number
  to: number
}

/**
 * Gaps in the numbers of finalized invoices, by prefix. With one series per account at the payment
 * processor there is one prefix. Numbers of another form are left out.
 */
export async function listNumberGaps(db: Db, limit: number): Promise<NumberGap[]> {
  // Plain SQL: window functions over parts of the number.
  const { rows } = await sql<NumberGap>`
    with numbers as (
      select substring(number from '^(.*?)[0-9]+$') as prefix, substring(number from '([0-9]{1,15})$')::bigint as value
      from invoices where finalized_at is not null and number ~ '[0-9]{1,15}$'),
    following as (
      select prefix, value, lead(value) over (partition by prefix order by value) as next from numbers)
    select prefix, (value + 1)::float8 as "from", (next - 1)::float8 as "to" from following
    where next > value + 1 order by prefix, value limit ${limit}`.execute(db)
  return rows
}

export interface PartnerDocumentRow {
  id: string
  partnerId: string
  payoutId: string
  cancels: boolean
  number: string | null
  document: BillingDocument | null
  problems: DocumentProblem[]
}

export function listPayoutDocuments(
  db: Db | Trx,
  partnerId: string,
  payoutId: string,
): Promise<PartnerDocumentRow[]> {
  return db
    .selectFrom('partner_documents')
    .select([
      'id',
      'partner_id as partnerId',
      'payout_id as payoutId',
      'cancels',
      'number',
      sql<BillingDocument | null>`document`.as('document'),
      sql<DocumentProblem[]>`problems`.as('problems'),
    ])
    .where('partner_id', '=', partnerId)
    .where('payout_id', '=', payoutId)
    .orderBy('cancels')
    .execute()
}

/** As `saveDocument`. Requires `lockPayouts`, so that the number is given once. */
export async function savePartnerDocument(
  trx: Trx,
  fields: Omit<PartnerDocumentRow, 'id' | 'problems'> & {
    problems: readonly DocumentProblem[]
    at: Date
  },
): Promise<void> {
  const values = resultOf(fields)
  await trx
    .insertInto('partner_documents')
    .values({
      partner_id: fields.partnerId,
      payout_id: fields.payoutId,
      cancels: fields.cancels,
      created_at: fields.at,
      ...values,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['partner_id', 'payout_id', 'cancels'])
        .doUpdateSet(values)
        .where('partner_documents.document', 'is', null),
    )
    .execute()
}

/** Payouts whose documents wait, oldest first. */
export async function listPayoutsToDocument(
  db: Db,
  limit: number,
): Promise<{ partnerId: string; payoutId: string }[]> {
  return db
    .selectFrom('partner_documents')
    .select(['partner_id as partnerId', 'payout_id as payoutId'])
    .distinct()
    .where('document', 'is', null)
    .limit(limit)
    .execute()
}

export async function findTenantAddress(
  db: Db | Trx,
  tenantId: string,
): Promise<StoredAddress | null> {
  const row = await db
    .selectFrom('tenants')
    .select(sql<StoredAddress | null>`billing_address`.as('address'))
    .where('id', '=', tenantId)
    .executeTakeFirst()
  return row?.address ?? null
}

/** Documents that wait are looked at by the next run. */
export async function saveTenantAddress(
  trx: Trx,
  tenantId: string,
  address: StoredAddress | null,
): Promise<void> {
  await trx
    .updateTable('tenants')
    .set({
      billing_address: address === null ? null : JSON.stringify(address),
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', tenantId)
    .execute()
  await trx
    .updateTable('billing_documents')
    .set({ checked_at: new Date(0) })
    .where('tenant_id', '=', tenantId)
    .where('document', 'is', null)
    .execute()
}

export async function findPartnerAddress(
  db: Db | Trx,
  partnerId: string,
): Promise<StoredAddress | null> {
  const row = await db
    .selectFrom('partners')
    .select(sql<StoredAddress | null>`billing_address`.as('address'))
    .where('id', '=', partnerId)
    .executeTakeFirst()
  return row?.address ?? null
}

export async function savePartnerAddress(
  trx: Trx,
  partnerId: string,
  address: StoredAddress | null,
): Promise<void> {
  await trx
    .updateTable('partners')
    .set({
      billing_address: address === null ? null : JSON.stringify(address),
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', partnerId)
    .execute()
}
