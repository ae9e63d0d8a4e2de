import type { PaymentCard } from '@atrium/core/billing/payment-records'
import type { Plan } from '@atrium/core/tenants/tenants'
import { sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'
import type { StoredAddress } from './documents.ts'

export interface PaymentCustomerRow {
  tenantId: string
  /** Null once it was deleted at the processor. */
  customerId: string | null
  formerIds: string[]
  /** The default card as last reported by the payment processor. */
  card: PaymentCard | null
  cardReadAt: Date | null
  /** Minor units by currency; below 0 for a debt. Null: not read yet. */
  credits: Readonly<Record<string, number>> | null
  cardChosenAt: Date | null
  cardFailure: string | null
  cardFailureAt: Date | null
  taxId: string | null
  taxIdValue: string | null
  taxIdStatus: string | null
}

const columns = [
  'tenant_id as tenantId',
  'customer_id as customerId',
  'former_ids as formerIds',
  'card_read_at as cardReadAt',
  'card_chosen_at as cardChosenAt',
  'card_failure as cardFailure',
  'card_failure_at as cardFailureAt',
  'tax_id as taxId',
  'tax_id_value as taxIdValue',
  'tax_id_status as taxIdStatus',
] as const

function select(db: Db | Trx) {
  return db
    .selectFrom('payment_customers')
    .select(columns)
    .select(sql<PaymentCard | null>`card`.as('card'))
    .select(sql<PaymentCustomerRow['credits']>`credits`.as('credits'))
}

export function findPaymentCustomer(
  db: Db | Trx,
  tenantId: string,
): Promise<PaymentCustomerRow | undefined> {
  return select(db).where('tenant_id', '=', tenantId).executeTakeFirst()
}

/**
 * The tenant that a customer is or was; what comes late of a deleted customer is still its
 * tenant's.
 */
export async function findTenantOfCustomer(
  db: Db | Trx,
  customerId: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('payment_customers')
    .select('tenant_id')
    .where((where) =>
      where.or([
        where('customer_id', '=', customerId),
        where(sql<string[]>`former_ids`, '@>', sql<string[]>`array[${customerId}]`),
      ]),
    )
    .executeTakeFirst()
  return row?.tenant_id
}

/** Lets one transaction at a time make a tenant's customer. */
export async function lockPaymentCustomer(trx: Trx, tenantId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`payment customer ${tenantId}`}, 0))`.execute(
    trx,
  )
}

/** Requires `Trx`: two would make two customers without `lockPaymentCustomer`. */
export async function savePaymentCustomer(
  trx: Trx,
  tenantId: string,
  customerId: string,
): Promise<void> {
  await trx
    .insertInto('payment_customers')
    .values({ tenant_id: tenantId, customer_id: customerId })
    .onConflict((conflict) => conflict.column('tenant_id').doUpdateSet({ customer_id: customerId }))
    .execute()
}

/**
 * The customer is gone at the processor: forgets it and what was known of it. False when another
 * one was stored meanwhile.
 */
export async function deletePaymentCustomer(db: Db | Trx, customerId: string): Promise<boolean> {
  const row = await db
    .updateTable('payment_customers')
    .set({
      customer_id: null,
      former_ids: sql`array_append(former_ids, ${customerId})`,
      card: null,
      card_read_at: null,
      credits: null,
      tax_id: null,
      tax_id_value: null,
      tax_id_status: null,
      tax_id_read_at: null,
    })
    .where('customer_id', '=', customerId)
    .returning('tenant_id')
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Stores the card, and the credits where they were read with it, as of `readAt`, unless a later
 * reading is already stored.
 */
export async function saveCard(
  db: Db | Trx,
  customerId: string,
  { card, credits }: { card: PaymentCard | null; credits?: Readonly<Record<string, number>> },
  readAt: Date,
): Promise<void> {
  await db
    .updateTable('payment_customers')
    .set({
      card: card === null ? null : JSON.stringify(card),
      card_read_at: readAt,
      ...(credits && { credits: JSON.stringify(credits) }),
      ...(card ? { card_failure: null, card_failure_at: null } : {}),
    })
    .where('customer_id', '=', customerId)
    .where((where) =>
      where.or([where('card_read_at', 'is', null), where('card_read_at', '<=', readAt)]),
    )
    .execute()
}

/** Records that a card was chosen at `at`. Returns false when a later choice is already stored. */
export async function noteCardChoice(db: Db | Trx, customerId: string, at: Date): Promise<boolean> {
  const row = await db
    .updateTable('payment_customers')
    .set({ card_chosen_at: at })
    .where('customer_id', '=', customerId)
    .where((where) =>
      where.or([where('card_chosen_at', 'is', null), where('card_chosen_at', '<=', at)]),
    )
    .returning('tenant_id')
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Why a card could not be set up. Ignores a failure that is older than the stored one or than the
 * last choice of a card.
 */
export async function saveCardFailure(
  db: Db | Trx,
  customerId: string,
  reason: string,
  at: Date,
): Promise<void> {
  await db
    .updateTable('payment_customers')
    .set({ card_failure: reason, card_failure_at: at })
    .where('customer_id', '=', customerId)
    .where((where) =>
      where.or([where('card_failure_at', 'is', null), where('card_failure_at', '<=', at)]),
    )
    .where((where) =>
      where.or([where('card_chosen_at', 'is', null), where('card_chosen_at', '<=', at)]),
    )
    .execute()
}

/**
 * The customer's VAT number at the processor and what the authority said of it, as read at
 * `readAt`; null for none.
 */
export async function saveTaxId(
  db: Db | Trx,
  customerId: string,
  taxId: { id: string; value: string; status: string | null } | null,
  readAt: Date,
): Promise<void> {
  await db
    .updateTable('payment_customers')
    .set({
      tax_id: taxId?.id ?? null,
      tax_id_value: taxId?.value ?? null,
      tax_id_status: taxId?.status ?? null,
      tax_id_read_at: readAt,
    })
    .where('customer_id', '=', customerId)
    .where((where) =>
      where.or([where('tax_id_read_at', 'is', null), where('tax_id_read_at', '<=', readAt)]),
    )
    .execute()
}

export interface CustomerTenant {
  id: string
  slug: string
  name: string
  company: string | null
  email: string | null
  country: string | null
  /** Street and city; null until they are entered. */
  address: StoredAddress | null
  vatNumber: string | null
  ownerEmail: string | null
  partnerSlug: string | null
  plan: Plan
  ownerName: string | null
}

/** The invoice recipient as sent to the payment processor. */
export function findCustomerTenant(
  db: Db | Trx,
  tenantId: string,
): Promise<CustomerTenant | undefined> {
  return db
    .selectFrom('tenants as t')
    .leftJoin('partners as p', 'p.id', 't.partner_id')
    .select([
      't.id',
      't.slug',
      't.name',
      't.billing_company as company',
      't.billing_email as email',
      't.billing_country as country',
      't.billing_vat_number as vatNumber',
      'p.slug as partnerSlug',
      't.plan',
    ])
    .select(sql<StoredAddress | null>`t.billing_address`.as('address'))
    .select((row) =>
      row
        .selectFrom('memberships as m')
        .innerJoin('users as u', 'u.id', 'm.user_id')
        .select('u.email')
        .where('m.tenant_id', '=', tenantId)
        .where('m.role', '=', 'owner')
        .limit(1)
        .as('ownerEmail'),
    )
    .select((row) =>
      row
        .selectFrom('memberships as m')
        .innerJoin('users as u', 'u.id', 'm.user_id')
        .select('u.name')
        .where('m.tenant_id', '=', tenantId)
        .where('m.role', '=', 'owner')
        .limit(1)
        .as('ownerName'),
    )
    .where('t.id', '=', tenantId)
    .executeTakeFirst()
}

/** Tenants that have or had a customer, by id, after `after`. */
export async function listCustomerTenants(
  db: Db,
  after: string | undefined,
  limit: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('payment_customers')
    .select('tenant_id')
    .where('customer_id', 'is not', null)
    .$if(after !== undefined, (query) => query.where('tenant_id', '>', after ?? ''))
    .orderBy('tenant_id')
    .limit(limit)
    .execute()
  return rows.map((row) => row.tenant_id)
}
