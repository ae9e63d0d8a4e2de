import { isBelow } from '@atrium/core/domains'
import type { GatheredHealth } from '@atrium/core/health'
import type { Plan, ProvisioningStep, SeatMode, StepState, TenantRole, TenantStatus } from '@atrium/core/tenants'
import { type SqlBool, sql } from 'kysely'
import { type CallerFields, type CallerRow, callerFields, callerOf, callerRole } from './callers.ts'
import type { Database, Db, Trx } from './connect.ts'

/** A tenant as the views need it: its columns, its domains (primary first), steps, owner and member count. */
export interface TenantRow {
  id: string
  slug: string
  name: string
  status: TenantStatus
  plan: Plan
  partnerId: string | null
  partnerSlug: string | null
  seats: number
  seatMode: SeatMode
  industry: string | null
  brandColor: string | null
  billingCompany: string | null
  billingVatNumber: string | null
  billingCountry: string | null
  billingEmail: string | null
  identityGroupId: string | null
  fileSpaceId: string | null
  suspendedReason: string | null
  createdAt: Date
  updatedAt: Date
  running: boolean
  domains: { name: string; primary: boolean; mailDomainId: string | null }[] | null
  /** `changedAt` and `nextAt` in milliseconds since 1970. */
  steps:
    | { step: ProvisioningStep; state: StepState; error: string | null; changedAt: number; attempt: number; nextAt: number | null }[]
    | null
  ownerId: string | null
  ownerEmail: string | null
  ownerName: string | null
  memberCount: number
  /** What the hourly run found; null before the first one. */
  gatheredHealth: GatheredHealth | null
}

const columns = `t.id, t.slug, t.name, t.status, t.plan, t.partner_id as "partnerId",
  case when t.partner_id is not null then (select p.slug from partners p where p.id = t.partner_id) end as "partnerSlug", t.seats,
  t.seat_mode as "seatMode", t.industry,
  t.brand_color as "brandColor", t.billing_company as "billingCompany", t.billing_vat_number as "billingVatNumber",
  t.billing_country as "billingCountry", t.billing_email as "billingEmail", t.identity_group_id as "identityGroupId",
  t.file_space_id as "fileSpaceId", t.suspended_reason as "suspendedReason", t.created_at as "createdAt", t.updated_at as "updatedAt",
  coalesce(t.provisioning_lease_until > now(), false) as running,
  (select json_agg(json_build_object('name', d.name, 'primary', d.is_primary, 'mailDomainId', d.mail_domain_id) order by d.is_primary desc, d.id)
    from domains d where d.tenant_id = t.id) as domains,
  (select json_agg(json_build_object('step', s.step, 'state', s.state, 'error', s.error, 'changedAt', round(extract(epoch from s.changed_at) * 1000),
      'attempt', s.attempt, 'nextAt', round(extract(epoch from s.next_at) * 1000)))
    from provisioning_steps s where s.tenant_id = t.id) as steps,
  o.id as "ownerId", o.email as "ownerEmail", o.name as "ownerName",
  (select count(*) from memberships c where c.tenant_id = t.id and c.status <> 'removing') as "memberCount",
  (select h.gathered from tenant_health h where h.tenant_id = t.id) as "gatheredHealth"`

const joins = `left join memberships om on om.tenant_id = t.id and om.role = 'owner'
  left join users o on o.id = om.user_id`

/** Exported for a benchmark, like the one below. */
export const findTenantStatement = { name: 'find_tenant', text: `select ${columns} from tenants t ${joins} where t.slug = $1` }

/** A tenant by its slug, deleted ones included, by key. */
export async function findTenant(database: Database, slug: string): Promise<TenantRow | undefined> {
  const [row] = await database.read<TenantRow>(findTenantStatement, [slug])
  return row
}

/** Exported so that a benchmark can run the same SQL against the database alone. */
export const findTenantForCallerStatement = {
  name: 'find_tenant_for_caller',
  text: `select ${columns}, ${callerFields}, ${callerRole} as "callerRole"
    from users u left join tenants t on t.slug = $2 ${joins} where u.idp_subject_id = $1`,
}

export interface TenantForCaller {
  caller: CallerRow
  /** The caller's active membership in the tenant. */
  role: TenantRole | null
  tenant: TenantRow | undefined
}

/** The caller's record, the tenant and the caller's role there in one statement, for the guard of reading a tenant. Undefined when the caller has no record. */
export async function findTenantForCaller(database: Database, subject: string, slug: string): Promise<TenantForCaller | undefined> {
  const [row] = await database.read<TenantRow & CallerFields & { callerRole: TenantRole | null }>(findTenantForCallerStatement, [
    subject,
    slug,
  ])
  // Without a tenant of that slug its columns are null.
  return row && { caller: callerOf(row), role: row.callerRole, tenant: row.id === null ? undefined : row }
}

/** Which tenants a list may show. */
export type TenantScope = { everything: true } | { everything: false; userId: string | undefined; partnerId: string | undefined }

export interface TenantFilter {
  scope: TenantScope
  q?: string | undefined
  status?: TenantStatus | undefined
  plan?: Plan | undefined
  partnerSlug?: string | undefined
  before?: string | undefined
  limit: number
}

/** Newest first, one row more than asked. Deleted tenants come only when the filter names that status. */
export async function listTenants(db: Db, filter: TenantFilter): Promise<(TenantRow & { role: TenantRole | null })[]> {
  const { scope } = filter
  const userId = scope.everything ? null : (scope.userId ?? null)
  const conditions = [
    filter.status ? sql<SqlBool>`t.status = ${filter.status}` : sql<SqlBool>`t.status <> 'deleted'`,
    ...(filter.plan ? [sql<SqlBool>`t.plan = ${filter.plan}`] : []),
    ...(filter.before ? [sql<SqlBool>`t.id < ${filter.before}`] : []),
    ...(filter.partnerSlug
      ? [sql<SqlBool>`t.partner_id = (select id from partners where slug = ${filter.partnerSlug.toLowerCase()})`]
      : []),
    ...(filter.q ? [matchesText(filter.q)] : []),
    ...(scope.everything
      ? []
      : [
          sql<SqlBool>`(t.id in (select tenant_id from memberships where user_id = ${userId} and status in ('active', 'provisioning'))
            or t.partner_id = ${scope.partnerId ?? null})`,
        ]),
  ]
  const { rows } = await sql<TenantRow & { role: TenantRole | null }>`
    select ${sql.raw(columns)}, (select role from memberships r where r.tenant_id = t.id and r.user_id = ${userId} and r.status <> 'removing') as role
    from tenants t ${sql.raw(joins)}
    where ${sql.join(conditions, sql` and `)}
    order by t.id desc limit ${filter.limit + 1}`.execute(db)
  return rows
}

function matchesText(q: string) {
  const pattern = `%${escapeLike(q.toLowerCase())}%`
  return sql<SqlBool>`(t.slug like ${pattern} or lower(t.name) like ${pattern} or lower(o.email) like ${pattern}
    or exists (select from domains d where d.tenant_id = t.id and d.name like ${pattern}))`
}

/** `%`, `_` and `\` of a person's text stand for themselves in a `like` pattern. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}

export interface LockedTenant {
  id: string
  slug: string
  name: string
  status: TenantStatus
  plan: Plan
  partner_id: string | null
  seats: number
  seat_mode: SeatMode
  industry: string | null
  brand_color: string | null
}

/** Asks for `Trx`: a row lock taken outside a transaction is gone when the statement ends. */
export function lockTenant(trx: Trx, slug: string): Promise<LockedTenant | undefined> {
  return trx
    .selectFrom('tenants')
    .select(['id', 'slug', 'name', 'status', 'plan', 'partner_id', 'seats', 'seat_mode', 'industry', 'brand_color'])
    .where('slug', '=', slug)
    .forUpdate()
    .executeTakeFirst()
}

/** Holds a tenant until the transaction ends, whatever its state, for work on what it holds. */
export async function lockTenantById(trx: Trx, id: string): Promise<void> {
  await trx.selectFrom('tenants').select('id').where('id', '=', id).forUpdate().execute()
}

/** Every tenant that the person is in, deleted and suspended ones and those being left included. */
export function tenantsOfUser(db: Db | Trx, userId: string): Promise<{ id: string; slug: string }[]> {
  return db
    .selectFrom('memberships as m')
    .innerJoin('tenants as t', 't.id', 'm.tenant_id')
    .select(['t.id', 't.slug'])
    .where('m.user_id', '=', userId)
    .orderBy('t.id')
    .execute()
}

export interface NewTenant {
  slug: string
  /** Of the group at the identity provider; the slug where it is not given. */
  identityGroupName?: string
  name: string
  plan: Plan
  partnerId: string | null
  seats: number
  industry: string | null
  brandColor: string | null
  billing: { company: string | null; vatNumber: string | null; country: string | null; email: string | null }
  domains: readonly string[]
  /** Domains below it are the platform's own and need no proof of ownership. */
  platformDomain: string
  /** Null: the caller inserts the owner in the same transaction. */
  ownerId: string | null
}

/** How many tenants the person owns that are not deleted. */
export async function countOwnedTenants(db: Db | Trx, userId: string): Promise<number> {
  const row = await db
    .selectFrom('memberships as m')
    .innerJoin('tenants as t', 't.id', 'm.tenant_id')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .where('m.user_id', '=', userId)
    .where('m.role', '=', 'owner')
    .where('t.status', '<>', 'deleted')
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

/**
 * Inserts a tenant with its owner, domains and pending steps. Undefined when the slug is taken, so that the caller may try
 * another inside the same transaction; a taken domain throws `domains_name_key`.
 */
export async function insertTenant(trx: Trx, tenant: NewTenant): Promise<{ id: string; slug: string } | undefined> {
  const inserted = await trx
    .insertInto('tenants')
    .values({
      slug: tenant.slug,
      identity_group_name: tenant.identityGroupName ?? null,
      name: tenant.name,
      plan: tenant.plan,
      partner_id: tenant.partnerId,
      seats: tenant.seats,
      industry: tenant.industry,
      brand_color: tenant.brandColor,
      billing_company: tenant.billing.company,
      billing_vat_number: tenant.billing.vatNumber,
      billing_country: tenant.billing.country,
      billing_email: tenant.billing.email,
    })
    .onConflict((conflict) => conflict.column('slug').doNothing())
    .returning(['id', 'slug'])
    .executeTakeFirst()
  if (!inserted) return undefined
  if (tenant.ownerId !== null) await insertOwner(trx, inserted.id, tenant.ownerId)
  await insertDomains(trx, inserted.id, tenant.domains, { platformDomain: tenant.platformDomain, withPrimary: true })
  await trx
    .insertInto('provisioning_steps')
    .values((['identity', 'mail', 'files'] as const).map((step) => ({ tenant_id: inserted.id, step })))
    .execute()
  return inserted
}

/** The first owner. The schema refuses a tenant without one at commit. */
export async function insertOwner(trx: Trx, tenantId: string, userId: string): Promise<void> {
  await trx.insertInto('memberships').values({ tenant_id: tenantId, user_id: userId, role: 'owner', bootstrap_admin: true }).execute()
}

/** Domains in the order given; the first becomes primary when `withPrimary`. Those below the platform's domain are verified from the start. */
export async function insertDomains(
  trx: Trx,
  tenantId: string,
  names: readonly string[],
  { platformDomain, withPrimary }: { platformDomain: string; withPrimary: boolean },
): Promise<void> {
  // One statement each, so that the ids (and with them the order shown) follow the order given.
  for (const [index, name] of names.entries()) {
    await trx
      .insertInto('domains')
      .values({
        tenant_id: tenantId,
        name,
        is_primary: withPrimary && index === 0,
        dmarc_rua: `postmaster@${name}`,
        verified_at: isBelow(name, platformDomain) ? sql<Date>`now()` : null,
      })
      .execute()
  }
}

export interface TenantChanges {
  name?: string
  plan?: Plan
  partner_id?: string | null
  seats?: number
  seat_mode?: SeatMode
  industry?: string | null
  brand_color?: string | null
}

export async function updateTenant(trx: Trx, id: string, changes: TenantChanges): Promise<void> {
  await trx
    .updateTable('tenants')
    .set({ ...changes, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute()
}

/** Moves a tenant to another status; `suspendedReason` is kept only while suspended. */
export async function setTenantStatus(trx: Trx, id: string, status: TenantStatus, suspendedReason: string | null = null): Promise<void> {
  await trx
    .updateTable('tenants')
    .set({
      status,
      suspended_reason: status === 'suspended' ? suspendedReason : null,
      suspended_at: status === 'suspended' ? sql<Date>`now()` : null,
      deleted_at: status === 'deleted' ? sql<Date>`now()` : null,
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', id)
    .execute()
}

/** Tells every process that watches this tenant to read it again. Sent when the transaction commits. */
export async function notifyTenant(db: Db | Trx, tenantId: string): Promise<void> {
  await sql`select pg_notify('tenant_changed', ${tenantId})`.execute(db)
}
