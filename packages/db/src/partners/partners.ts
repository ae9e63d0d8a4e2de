import type { BillingInfoView } from '@atrium/core/billing/billing-info'
import type { PartnerAccess, PartnerStatus } from '@atrium/core/partners/partner-access'
import type { ContactInfoView } from '@atrium/core/partners/partners'
import { type SqlBool, sql } from 'kysely'
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
 * A partner as the views need it. `marginPct` is the one in force on the day that was asked for.
 */
export interface PartnerRecord extends PartnerRow {
  domain: string | null
  suspendedReason: string | null
  suspendedAt: Date | null
  terminatedAt: Date | null
  marginPct: number
  nextMargin: Margin | null
  contactInfo: ContactInfoView
  billingInfo: BillingInfoView
  customers: number
  staff: number
  createdAt: Date
  updatedAt: Date
}

const margin = (day: string, comparison: 'current' | 'next') => sql`
  (select json_build_object('marginPct', m.margin_pct, 'effectiveFrom', m.effective_from) from partner_margins m
    where m.partner_id = p.id and ${comparison === 'current' ? sql`m.effective_from <= ${day}::date` : sql`m.effective_from > ${day}::date`}
    order by m.effective_from ${comparison === 'current' ? sql`desc` : sql`asc`} limit 1)`

const selectRecord = (day: string) => sql`
  select p.id, p.slug, p.name, p.status, p.domain, p.suspended_reason as "suspendedReason", p.suspended_at as "suspendedAt",
    p.terminated_at as "terminatedAt",
    coalesce((${margin(day, 'current')} ->> 'marginPct')::float8, p.margin_pct::float8) as "marginPct", ${margin(day, 'next')} as "nextMargin",
    json_build_object('name', p.contact_name, 'email', p.contact_email, 'phone', p.contact_phone) as "contactInfo",
    json_build_object('company', p.billing_company, 'vatNumber', p.billing_vat_number, 'country', p.billing_country,
      'email', p.billing_email) as "billingInfo",
    (select count(*) from tenants t where t.partner_id = p.id and t.status <> 'deleted') as customers,
    (select count(*) from users u where u.partner_id = p.id and u.removed_at is null) as staff,
    p.created_at as "createdAt", p.updated_at as "updatedAt"
  from partners p`

/** `day` decides which margin is in force, as `2027-01-31` in UTC. */
export async function readPartner(
  db: Db | Trx,
  id: string,
  day: string,
): Promise<PartnerRecord | undefined> {
  const { rows } = await sql<PartnerRecord>`${selectRecord(day)} where p.id = ${id}`.execute(db)
  return rows[0]
}

export interface PartnerFilter {
  q?: string | undefined
  status?: PartnerStatus | undefined
  before?: string | undefined
  limit: number
}

/** Newest first, one row more than asked. */
export async function listPartners(
  db: Db,
  filter: PartnerFilter,
  day: string,
): Promise<PartnerRecord[]> {
  const conditions = [sql<SqlBool>`true`]
  if (filter.status) conditions.push(sql<SqlBool>`p.status = ${filter.status}`)
  if (filter.before) conditions.push(sql<SqlBool>`p.id < ${filter.before}`)
  if (filter.q) {
    const pattern = `%${escapeLike(filter.q.toLowerCase())}%`
    conditions.push(sql<SqlBool>`(p.slug like ${pattern} or lower(p.name) like ${pattern} or p.domain like ${pattern}
      or lower(p.contact_email) like ${pattern})`)
  }
  const { rows } = await sql<PartnerRecord>`
    ${selectRecord(day)} where ${sql.join(conditions, sql` and `)} order by p.id desc limit ${filter.limit + 1}`.execute(
    db,
  )
  return rows
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
export async function listMargins(db: Db | Trx, partnerId: string): Promise<MarginRow[]> {
  const { rows } = await sql<MarginRow>`
    select margin_pct::float8 as "marginPct", effective_from::text as "effectiveFrom", set_by as "setBy", reason, created_at as "createdAt"
    from partner_margins where partner_id = ${partnerId} order by effective_from desc`.execute(db)
  return rows
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
  return yearlyRevenue(db, sql`h.partner_id`, partnerIds)
}

/** The same by tenant. */
export function yearlyRevenueOfTenants(
  db: Db,
  tenantIds: readonly string[],
): Promise<YearlyRevenue[]> {
  return yearlyRevenue(db, sql`h.tenant_id`, tenantIds)
}

async function yearlyRevenue(
  db: Db,
  owner: ReturnType<typeof sql>,
  ids: readonly string[],
): Promise<YearlyRevenue[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<YearlyRevenue>`
    select ${owner} as id, h.currency, sum(h.arr)::text as arr from subscription_history h
    where ${owner} = any(${[...ids]}::uuid[]) and h.valid_to is null and h.arr > 0
    group by ${owner}, h.currency order by h.currency`.execute(db)
  return rows
}

/** The partner that had the tenant at a moment, whatever became of either since. */
export function partnerOfTenantAt(
  db: Db | Trx,
  tenantId: string,
  at: Date,
): Promise<PartnerRow | undefined> {
  return db
    .selectFrom('tenant_partners as h')
    .innerJoin('partners as p', 'p.id', 'h.partner_id')
    .select(['p.id', 'p.slug', 'p.name', 'p.status'])
    .where('h.tenant_id', '=', tenantId)
    .where('h.valid_from', '<=', at)
    .where((eb) => eb.or([eb('h.valid_to', 'is', null), eb('h.valid_to', '>', at)]))
    .orderBy('h.valid_from', 'desc')
    .executeTakeFirst()
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
  const { rows } = await sql<PartnerProfile<Content>>`
    select name, ${sql.ref(column)} as content, updated_at as "updatedAt" from partners where id = ${partnerId}`.execute(
    db,
  )
  const [row] = rows
  if (!row) throw new Error(`there is no partner ${partnerId}`)
  return row
}

/** Sets the given fields; null takes one away. */
export async function savePartnerProfile(
  trx: Trx,
  partnerId: string,
  column: 'settings' | 'branding',
  changes: object,
): Promise<void> {
  await sql`
    update partners set ${sql.ref(column)} = jsonb_strip_nulls(${sql.ref(column)} || ${JSON.stringify(changes)}::jsonb), updated_at = now()
    where id = ${partnerId}`.execute(trx)
}

/**
 * Where mails to a partner go: the address in its settings, else the invoice address, else its
 * contact. Null when none is set.
 */
export async function partnerMailAddress(db: Db | Trx, partnerId: string): Promise<string | null> {
  const { rows } = await sql<{ address: string | null }>`
    select coalesce(settings ->> 'noticeEmail', billing_email, contact_email) as address from partners where id = ${partnerId}`.execute(
    db,
  )
  return rows[0]?.address ?? null
}

export interface PartnerSupportRow {
  name: string
  supportEmail: string | null
  supportPhone: string | null
  supportUrl: string | null
}

/** How the people of a partner's tenants reach it; undefined once it is terminated. */
export async function findPartnerSupport(
  db: Db,
  partnerId: string,
): Promise<PartnerSupportRow | undefined> {
  const { rows } = await sql<PartnerSupportRow>`
    select name, settings ->> 'supportEmail' as "supportEmail", settings ->> 'supportPhone' as "supportPhone",
      settings ->> 'supportUrl' as "supportUrl"
    from partners where id = ${partnerId} and status <> 'terminated'`.execute(db)
  return rows[0]
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
