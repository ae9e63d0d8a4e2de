import type { BillingInfoView } from '@atrium/core/billing/billing-info'
import type { PartnerAccess, PartnerStatus } from '@atrium/core/partners/partner-access'
import type { ContactInfoView } from '@atrium/core/partners/partners'
import { sql } from 'kysely'
import { jsonBuildObject, jsonObjectFrom } from 'kysely/helpers/postgres'
import type { Db, Trx } from '../platform/connect.ts'
import { escapeLike } from '../platform/text-search.ts'

export interface PartnerRow {
  id: string
  slug: string
  name: string
  status: PartnerStatus
}

const key = ['id', 'slug', 'name', 'status'] as const

export function findPartner(db: Db | Trx, id: string): Promise<PartnerRow | undefined> {
  return db.selectFrom('partners').select(key).where('id', '=', id).executeTakeFirst()
}

export function findPartnerBySlug(db: Db | Trx, slug: string): Promise<PartnerRow | undefined> {
  return db.selectFrom('partners').select(key).where('slug', '=', slug).executeTakeFirst()
}

/**
 * Takes a shared lock until the transaction ends: others may read and lock the partner, but not
 * change or terminate it.
 */
export function holdPartner(trx: Trx, id: string): Promise<PartnerRow | undefined> {
  return trx.selectFrom('partners').select(key).where('id', '=', id).forShare().executeTakeFirst()
}

/** The same as `lockPartner` for several, in an order in which two cannot wait for each other. */
export function lockPartners(trx: Trx, ids: readonly string[]): Promise<PartnerRow[]> {
  return trx
    .selectFrom('partners')
    .select(key)
    .where('id', 'in', ids)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
}

/**
 * For a change of the partner or of who works there. Tenants can still be attached by those who
 * hold no lock on it.
 */
export function lockPartner(trx: Trx, slug: string): Promise<PartnerRow | undefined> {
  return trx
    .selectFrom('partners')
    .select(key)
    .where('slug', '=', slug)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

export interface Margin {
  marginPct: number
  /** `2027-01-01` */
  effectiveFrom: string
}

/**
 * Partners as the views need them. `marginPct` is the one in force on `day`, such as `2027-01-31`
 * in UTC.
 */
function selectRecords(db: Db | Trx, day: string) {
  return db
    .selectFrom('partners as p')
    .select([
      'p.id',
      'p.slug',
      'p.name',
      'p.status',
      'p.domain',
      'p.suspended_reason as suspendedReason',
      'p.suspended_at as suspendedAt',
      'p.terminated_at as terminatedAt',
      'p.created_at as createdAt',
      'p.updated_at as updatedAt',
    ])
    .select(({ fn, ref, selectFrom, cast }) => {
      const count = fn.countAll<number>().as('count')
      const margins = selectFrom('partner_margins as m')
        .whereRef('m.partner_id', '=', 'p.id')
        .limit(1)
      const current = margins
        .where('m.effective_from', '<=', day)
        .orderBy('m.effective_from', 'desc')
        .select('m.margin_pct')
      const next = margins
        .where('m.effective_from', '>', day)
        .orderBy('m.effective_from')
        .select(({ cast: asType }) => [
          asType<number>('m.margin_pct', 'float8').as('marginPct'),
          asType<string>('m.effective_from', 'text').as('effectiveFrom'),
        ])
      return [
        cast<number>(fn.coalesce(current, 'p.margin_pct'), 'float8').as('marginPct'),
        jsonObjectFrom(next).as('nextMargin'),
        jsonBuildObject({
          name: ref('p.contact_name'),
          email: ref('p.contact_email'),
          phone: ref('p.contact_phone'),
        }).as('contactInfo'),
        jsonBuildObject({
          company: ref('p.billing_company'),
          vatNumber: ref('p.billing_vat_number'),
          country: ref('p.billing_country'),
          email: ref('p.billing_email'),
        }).as('billingInfo'),
        selectFrom('tenants as t')
          .select(count)
          .whereRef('t.partner_id', '=', 'p.id')
          .where('t.status', '<>', 'deleted')
          .$asScalar()
          .$notNull()
          .as('customers'),
        selectFrom('users as u')
          .select(count)
          .whereRef('u.partner_id', '=', 'p.id')
          .where('u.removed_at', 'is', null)
          .$asScalar()
          .$notNull()
          .as('staff'),
      ]
    })
}

export type PartnerRecord = NonNullable<Awaited<ReturnType<typeof readPartner>>>

/** `day` decides which margin is in force, as `2027-01-31` in UTC. */
export function readPartner(db: Db | Trx, id: string, day: string) {
  return selectRecords(db, day).where('p.id', '=', id).executeTakeFirst()
}

export interface PartnerFilter {
  q?: string | undefined
  status?: PartnerStatus | undefined
  before?: string | undefined
  limit: number
}

/** Newest first, one row more than requested. */
export function listPartners(db: Db, filter: PartnerFilter, day: string): Promise<PartnerRecord[]> {
  let query = selectRecords(db, day)
  if (filter.status) query = query.where('p.status', '=', filter.status)
  if (filter.before) query = query.where('p.id', '<', filter.before)
  if (filter.q) {
    const pattern = `%${escapeLike(filter.q.toLowerCase())}%`
    query = query.where(({ eb, fn, or }) =>
      or([
        eb('p.slug', 'like', pattern),
        eb(fn('lower', ['p.name']), 'like', pattern),
        eb('p.domain', 'like', pattern),
        eb(fn('lower', ['p.contact_email']), 'like', pattern),
      ]),
    )
  }
  return query
    .orderBy('p.id', 'desc')
    .limit(filter.limit + 1)
    .execute()
}

export interface PartnerChanges {
  name?: string
  domain?: string | null
  status?: PartnerStatus
  suspended_reason?: string | null
  suspended_at?: Date | null
  terminated_at?: Date
  contact?: ContactInfoView
  billing?: BillingInfoView
}

function columnsOf({ contact, billing, ...plain }: PartnerChanges) {
  return {
    ...plain,
    ...(contact
      ? { contact_name: contact.name, contact_email: contact.email, contact_phone: contact.phone }
      : {}),
    ...(billing
      ? {
          billing_company: billing.company,
          billing_vat_number: billing.vatNumber,
          billing_country: billing.country,
          billing_email: billing.email,
        }
      : {}),
  }
}

/** Undefined when the slug is taken; a domain that another partner has throws `partners_domain`. */
export function insertPartner(
  trx: Trx,
  partner: {
    slug: string
    name: string
    domain: string | null
    contact: ContactInfoView
    billing: BillingInfoView
  },
): Promise<{ id: string } | undefined> {
  const { slug, name, ...rest } = partner
  return trx
    .insertInto('partners')
    .values({ slug, name, ...columnsOf(rest) })
    .onConflict((conflict) => conflict.column('slug').doNothing())
    .returning('id')
    .executeTakeFirst()
}

export async function updatePartner(trx: Trx, id: string, changes: PartnerChanges): Promise<void> {
  await trx
    .updateTable('partners')
    .set({ ...columnsOf(changes), updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute()
}

export interface MarginRow extends Margin {
  setBy: string | null
  reason: string | null
  createdAt: Date
}

/** Latest first. */
export function listMargins(db: Db | Trx, partnerId: string): Promise<MarginRow[]> {
  return db
    .selectFrom('partner_margins')
    .select(({ cast }) => [
      cast<number>('margin_pct', 'float8').as('marginPct'),
      cast<string>('effective_from', 'text').as('effectiveFrom'),
      'set_by as setBy',
      'reason',
      'created_at as createdAt',
    ])
    .where('partner_id', '=', partnerId)
    .orderBy('effective_from', 'desc')
    .execute()
}

/** Sets the margin from a day on. One that was set for the same day gives way. */
export async function saveMargin(
  trx: Trx,
  partnerId: string,
  {
    marginPct,
    effectiveFrom,
    setBy,
    reason,
  }: Margin & { setBy: string | null; reason: string | null },
): Promise<void> {
  const values = { margin_pct: marginPct, set_by: setBy, reason }
  await trx
    .insertInto('partner_margins')
    .values({ partner_id: partnerId, effective_from: effectiveFrom, ...values })
    .onConflict((conflict) =>
      conflict
        .columns(['partner_id', 'effective_from'])
        .doUpdateSet({ ...values, created_at: sql<Date>`now()` }),
    )
    .execute()
}

/** Yearly amount in one currency, as text: the sum may be larger than a number is exact. */
export interface YearlyRevenue {
  /** The partner or the tenant, by what was asked for. */
  id: string
  currency: string
  arr: string
}

/**
 * What subscriptions bring in now, by partner and currency, in one statement. Nothing is listed
 * that is 0.
 */
export function yearlyRevenueOfPartners(
  db: Db,
  partnerIds: readonly string[],
): Promise<YearlyRevenue[]> {
  return yearlyRevenue(db, 'h.partner_id', partnerIds)
}

/** The same by tenant. */
export function yearlyRevenueOfTenants(
  db: Db,
  tenantIds: readonly string[],
): Promise<YearlyRevenue[]> {
  return yearlyRevenue(db, 'h.tenant_id', tenantIds)
}

async function yearlyRevenue(
  db: Db,
  owner: 'h.partner_id' | 'h.tenant_id',
  ids: readonly string[],
): Promise<YearlyRevenue[]> {
  if (ids.length === 0) return []
  return db
    .selectFrom('subscription_history as h')
    .select(({ ref, fn, cast }) => [
      ref(owner).$notNull().as('id'),
      'h.currency',
      cast<string>(fn.sum('h.arr'), 'text').as('arr'),
    ])
    .where(owner, 'in', ids)
    .where('h.valid_to', 'is', null)
    .where('h.arr', '>', '0')
    .groupBy([owner, 'h.currency'])
    .orderBy('h.currency')
    .execute()
}

export interface PartnerProfile<Content> {
  name: string
  content: Partial<Content>
  updatedAt: Date
}

/** What a partner has set of its settings or branding; a field that it never set is absent. */
export async function findPartnerProfile<Content>(
  db: Db | Trx,
  partnerId: string,
  column: 'settings' | 'branding',
): Promise<PartnerProfile<Content>> {
  const row = await db
    .selectFrom('partners')
    .select(['name', `${column} as content`, 'updated_at as updatedAt'])
    .where('id', '=', partnerId)
    .executeTakeFirst()
  if (!row) throw new Error(`there is no partner ${partnerId}`)
  // Only `savePartnerProfile` writes the column.
  return { ...row, content: row.content as Partial<Content> }
}

/** Sets the given fields; null takes one away. */
export async function savePartnerProfile(
  trx: Trx,
  partnerId: string,
  column: 'settings' | 'branding',
  changes: object,
): Promise<void> {
  // The builder has no `||` for jsonb.
  const changed = sql<string>`jsonb_strip_nulls(${sql.ref(column)} || ${JSON.stringify(changes)}::jsonb)`
  await trx
    .updateTable('partners')
    .set({ [column]: changed, updated_at: sql<Date>`now()` })
    .where('id', '=', partnerId)
    .execute()
}

/**
 * Where mails to a partner go: the address in its settings, else the invoice address, else its
 * contact. Null when none is set.
 */
export async function partnerMailAddress(db: Db | Trx, partnerId: string): Promise<string | null> {
  const row = await db
    .selectFrom('partners')
    .select(({ fn }) =>
      fn.coalesce(setting('noticeEmail'), 'billing_email', 'contact_email').as('address'),
    )
    .where('id', '=', partnerId)
    .executeTakeFirst()
  return row?.address ?? null
}

/** One of the partner's settings as text; null when it is not set. */
const setting = (key: string) => sql<string | null>`settings ->> ${sql.lit(key)}`

/** How the people of a partner's tenants reach it; undefined once it is terminated. */
export function findPartnerSupport(db: Db, partnerId: string) {
  return db
    .selectFrom('partners')
    .select([
      'name',
      setting('supportEmail').as('supportEmail'),
      setting('supportPhone').as('supportPhone'),
      setting('supportUrl').as('supportUrl'),
    ])
    .where('id', '=', partnerId)
    .where('status', '<>', 'terminated')
    .executeTakeFirst()
}

/**
 * The current level of a person on the partner's staff; undefined for non-staff. Read under a lock
 * on the partner.
 */
export async function staffAccess(
  trx: Trx,
  partnerId: string,
  userId: string,
): Promise<PartnerAccess | undefined> {
  const row = await trx
    .selectFrom('users')
    .select('partner_access')
    .where('id', '=', userId)
    .where('partner_id', '=', partnerId)
    .where('deactivated_at', 'is', null)
    .executeTakeFirst()
  return row?.partner_access ?? undefined
}
