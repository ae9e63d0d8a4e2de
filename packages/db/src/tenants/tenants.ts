import type { GatheredHealth } from '@atrium/core/health-scores/health'
import { isBelow } from '@atrium/core/mail/domains'
import type { Language } from '@atrium/core/platform/language'
import type {
  Plan,
  ProvisioningStep,
  SeatMode,
  StepState,
  SuspensionMode,
  TenantRole,
  TenantStatus,
} from '@atrium/core/tenants/tenants'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { enterProvenDomain } from '../mail/proven-domains.ts'
import type { Database, Db, Trx } from '../platform/connect.ts'
import { matchesText } from '../platform/text-search.ts'
import {
  type CallerFields,
  type CallerGrantRow,
  type CallerRow,
  callerFields,
  callerGrant,
  callerOf,
  callerRole,
  type EnforcedPolicyFields,
  tenantPolicy,
} from '../users/callers.ts'
import { isShut } from './access-conditions.ts'
import { readByTenantId } from './tenant-ids.ts'

/**
 * A tenant as the views need it: its columns, its domains (primary first), steps, owner and member
 * count.
 */
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
  awaitsOwner: boolean
  industry: string | null
  brandColor: string | null
  language: Language | null
  billingCompany: string | null
  billingVatNumber: string | null
  billingCountry: string | null
  billingEmail: string | null
  identityGroupId: string | null
  fileSpaceId: string | null
  suspendedReason: string | null
  suspensionMode: SuspensionMode | null
  deletedAt: Date | null
  restoreUntil: Date | null
  createdAt: Date
  updatedAt: Date
  running: boolean
  domains: { name: string; primary: boolean; mailDomainId: string | null }[] | null
  /** `changedAt` and `nextAt` in milliseconds since 1970. */
  steps:
    | {
        step: ProvisioningStep
        state: StepState
        error: string | null
        changedAt: number
        attempt: number
        nextAt: number | null
      }[]
    | null
  ownerId: string | null
  ownerEmail: string | null
  ownerName: string | null
  memberCount: number
  /** What the hourly run found; null before the first one. */
  gatheredHealth: GatheredHealth | null
}

/** Columns of `tenants t`. What belongs to the tenant is found by `id`, a text of the statement. */
export const tenantColumns = (
  id: string,
) => `t.id, t.slug, t.name, t.status, t.plan, t.partner_id as "partnerId",
  case when t.partner_id is not null then (select p.slug from partners p where p.id = t.partner_id) end as "partnerSlug", t.seats,
  t.seat_mode as "seatMode", t.awaits_owner as "awaitsOwner", t.industry,
  t.brand_color as "brandColor", t.language, t.billing_company as "billingCompany", t.billing_vat_number as "billingVatNumber",
  t.billing_country as "billingCountry", t.billing_email as "billingEmail", t.identity_group_id as "identityGroupId",
  t.file_space_id as "fileSpaceId", t.suspended_reason as "suspendedReason", t.suspension_mode as "suspensionMode", t.deleted_at as "deletedAt", t.restore_until as "restoreUntil", t.created_at as "createdAt", t.updated_at as "updatedAt",
  coalesce(t.provisioning_lease_until > now(), false) as running,
  (select json_agg(json_build_object('name', d.name, 'primary', d.is_primary, 'mailDomainId', d.mail_domain_id) order by d.is_primary desc, d.id)
    from domains d where d.tenant_id = ${id}) as domains,
  (select json_agg(json_build_object('step', s.step, 'state', s.state, 'error', s.error, 'changedAt', round(extract(epoch from s.changed_at) * 1000),
      'attempt', s.attempt, 'nextAt', round(extract(epoch from s.next_at) * 1000)))
    from provisioning_steps s where s.tenant_id = ${id}) as steps,
  o.id as "ownerId", o.email as "ownerEmail", o.name as "ownerName",
  (select count(*) from memberships c where c.tenant_id = ${id} and c.status <> 'removing') as "memberCount",
  (select h.gathered from tenant_health h where h.tenant_id = ${id}) as "gatheredHealth"`

/** The owner `o` of `tenants t`. */
export const tenantJoins = (
  id: string,
) => `left join memberships om on om.tenant_id = ${id} and om.role = 'owner'
  left join users o on o.id = om.user_id`

const findTenantStatement = {
  name: 'find_tenant',
  text: `select ${tenantColumns('$1')} from tenants t ${tenantJoins('$1')} where t.id = $1 and t.slug = $2`,
}

/** A tenant by its slug, deleted ones included, by key. */
export function findTenant(database: Database, slug: string): Promise<TenantRow | undefined> {
  return readByTenantId(
    database,
    slug,
    async (id) => {
      const [row] = await database.read<TenantRow>(findTenantStatement, [id, slug])
      return row
    },
    (row) => row !== undefined,
  )
}

const tenantForCaller = (tenant: string, id: string) => `
  select ${tenantColumns(id)}, ${callerFields}, ${callerRole(id)} as "callerRole",
    ${callerGrant(id, '$3::timestamptz')} as "callerGrant", ${tenantPolicy(id)} as "tenantPolicy"
  from users u left join tenants t on ${tenant} ${tenantJoins(id)} where u.idp_subject_id = $1`

const findTenantForCallerStatement = {
  name: 'find_tenant_for_caller',
  text: tenantForCaller('t.id = $2 and t.slug = $4', '$2'),
}

/** The same by the slug, for a benchmark that runs it against the database alone. */
export const tenantForCallerBySlug = tenantForCaller('t.slug = $2', 't.id')

type TenantForCallerRow = TenantRow &
  CallerFields & {
    callerRole: TenantRole | null
    callerGrant: CallerGrantRow | null
    tenantPolicy: EnforcedPolicyFields | null
  }

export interface TenantForCaller {
  caller: CallerRow
  /** The caller's active membership in the tenant. */
  role: TenantRole | null
  /** The caller's access without a membership. */
  grant: CallerGrantRow | null
  policy: EnforcedPolicyFields | null
  tenant: TenantRow | undefined
}

/**
 * The caller's record, the tenant and the caller's role there in one statement, for the guard of
 * reading a tenant. Undefined when the caller has no record.
 */
export async function findTenantForCaller(
  database: Database,
  subject: string,
  slug: string,
  now: Date,
): Promise<TenantForCaller | undefined> {
  const row = await readByTenantId(
    database,
    slug,
    async (id) => {
      const [found] = await database.read<TenantForCallerRow>(findTenantForCallerStatement, [
        subject,
        id,
        now.toISOString(),
        slug,
      ])
      return found
    },
    (found) => typeof found?.id === 'string',
  )
  // Without a tenant of that slug its columns are null.
  return (
    row && {
      caller: callerOf(row),
      role: row.callerRole,
      grant: row.callerGrant,
      policy: row.tenantPolicy,
      tenant: row.id === null ? undefined : row,
    }
  )
}

/** Which tenants a list may show. */
export type TenantScope =
  | { everything: true }
  | {
      everything: false
      userId: string | undefined
      partnerId: string | undefined
      /** The tenant of a service token, which acts there as an admin. */
      tenantId?: string | undefined
    }

export interface TenantFilter {
  scope: TenantScope
  q?: string | undefined
  status?: TenantStatus | undefined
  plan?: Plan | undefined
  partnerSlug?: string | undefined
  before?: string | undefined
  limit: number
}

/**
 * Tenants that a search reads one by one before it asks the indexes of texts: a common text fills
 * its page among them.
 */
const newestTenants = 50

/** `policy` is the enforced one where the person is a member. */
export type ListedTenantRow = TenantRow & {
  role: TenantRole | null
  policy: EnforcedPolicyFields | null
}

/**
 * Newest first, one row more than asked. Deleted tenants come only when the filter names that
 * status.
 */
export async function listTenants(db: Db, filter: TenantFilter): Promise<ListedTenantRow[]> {
  const { scope, q, limit } = filter
  const userId = scope.everything ? null : (scope.userId ?? null)
  const ofService = scope.everything ? undefined : scope.tenantId
  const conditions = [
    filter.status ? sql<SqlBool>`t.status = ${filter.status}` : sql<SqlBool>`t.status <> 'deleted'`,
    ...(filter.plan ? [sql<SqlBool>`t.plan = ${filter.plan}`] : []),
    ...(filter.before ? [sql<SqlBool>`t.id < ${filter.before}`] : []),
    ...(filter.partnerSlug
      ? [
          sql<SqlBool>`t.partner_id = (select id from partners where slug = ${filter.partnerSlug.toLowerCase()})`,
        ]
      : []),
    ...(scope.everything
      ? []
      : [
          // The subquery names nothing of `t`, so that it runs once and not for every tenant there
          // is.
          sql<SqlBool>`t.id in (select m.tenant_id from memberships m join tenants own on own.id = m.tenant_id
            where m.user_id = ${userId} and m.status in ('active', 'provisioning') and (m.role <> 'member' or not ${isShut('own')})
            ${scope.partnerId === undefined ? sql`` : sql`union select sold.id from tenants sold where sold.partner_id = ${scope.partnerId}`}
            ${ofService === undefined ? sql`` : sql`union select ${ofService}::uuid`})`,
        ]),
  ]
  const role =
    ofService === undefined
      ? sql`(select role from memberships r where r.tenant_id = t.id and r.user_id = ${userId} and r.status <> 'removing')`
      : sql`case when t.id = ${ofService}::uuid then 'admin' end`
  const page = async (tenants: RawBuilder<unknown>, more: RawBuilder<SqlBool>[]) => {
    // Plain SQL: the tenants come from different sources, with the joins of `tenantJoins`.
    const { rows } = await sql<ListedTenantRow>`
      select ${sql.raw(tenantColumns('t.id'))}, ${role} as role,
        ${scope.everything ? sql`null` : sql.raw(tenantPolicy('t.id'))} as policy
      from ${tenants} ${sql.raw(tenantJoins('t.id'))}
      where ${sql.join([...conditions, ...more], sql` and `)}
      order by t.id desc limit ${limit + 1}`.execute(db)
    return rows
  }
  const all = sql`tenants t`
  if (!q) return page(all, [])
  const ofTenant = matchesText([sql`t.slug`, sql`lower(t.name)`], q)
  const ofOwner = matchesText([sql`o.email`], q)
  const ofDomain = matchesText([sql`d.name`], q)
  const newest = sql`(select * from tenants t where ${sql.join(conditions, sql` and `)} order by t.id desc limit ${newestTenants}) t`
  const rows = await page(newest, [
    sql<SqlBool>`(${ofTenant} or ${ofOwner} or exists (select from domains d where d.tenant_id = t.id and ${ofDomain}))`,
  ])
  if (rows.length > limit) return rows
  return page(all, [
    sql<SqlBool>`t.id in (select t.id from tenants t where ${ofTenant}
      union select d.tenant_id from domains d where ${ofDomain}
      union select m.tenant_id from users o join memberships m on m.user_id = o.id and m.role = 'owner' where ${ofOwner})`,
  ])
}

export interface LockedTenant {
  id: string
  slug: string
  name: string
  status: TenantStatus
  suspension_mode: SuspensionMode | null
  suspended_at: Date | null
  restore_until: Date | null
  plan: Plan
  partner_id: string | null
  seats: number
  seat_mode: SeatMode
  industry: string | null
  brand_color: string | null
  language: Language | null
  partnerSlug: string | null
  identityGroupId: string | null
}

/** The partner that looks after a tenant that awaits its owner; null where none does. */
export async function findCustodian(db: Db | Trx, tenantId: string): Promise<string | null> {
  const tenant = await db
    .selectFrom('tenants')
    .select('partner_id as partnerId')
    .where('id', '=', tenantId)
    .where('awaits_owner', '=', true)
    .executeTakeFirst()
  return tenant?.partnerId ?? null
}

declare const oneAtATime: unique symbol
/**
 * A transaction that took its turn among those that lock the same tenant. Only `tenantTransaction`
 * of the API makes one.
 */
export type TenantTrx = Trx & { readonly [oneAtATime]: true }

/**
 * The lock is the one that an `update` takes, and not `for update`: rows of other tables that refer
 * to the tenant can be inserted meanwhile.
 */
export function lockTenant(trx: TenantTrx, slug: string): Promise<LockedTenant | undefined> {
  return trx
    .selectFrom('tenants as t')
    .leftJoin('partners as p', 'p.id', 't.partner_id')
    .select([
      't.id',
      't.slug',
      't.name',
      't.status',
      't.suspension_mode',
      't.suspended_at',
      't.restore_until',
      't.plan',
      't.partner_id',
      't.seats',
      't.seat_mode',
      't.industry',
      't.brand_color',
      't.language',
    ])
    .select(['p.slug as partnerSlug', 't.identity_group_id as identityGroupId'])
    .where('t.slug', '=', slug)
    .forNoKeyUpdate('t')
    .executeTakeFirst()
}

/** Holds a tenant until the transaction ends, whatever its state, for work on what it holds. */
export async function lockTenantById(trx: TenantTrx, id: string): Promise<void> {
  await trx.selectFrom('tenants').select('id').where('id', '=', id).forNoKeyUpdate().execute()
}

/** What entries of the audit log say of a tenant, with its plan and seats. */
export function readTenantSummary(db: Db | Trx, id: string) {
  return db
    .selectFrom('tenants as t')
    .leftJoin('partners as p', 'p.id', 't.partner_id')
    .select(['t.slug', 't.name', 't.plan', 't.seats', 'p.slug as partnerSlug'])
    .where('t.id', '=', id)
    .executeTakeFirstOrThrow()
}

export function readSeats(db: Db | Trx, id: string) {
  return db
    .selectFrom('tenants')
    .select(['plan', 'seats', 'seat_mode'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
}

/** Every tenant that the person is in, deleted and suspended ones and those being left included. */
export function tenantsOfUser(
  db: Db | Trx,
  userId: string,
): Promise<{ id: string; slug: string }[]> {
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
  billing: {
    company: string | null
    vatNumber: string | null
    country: string | null
    email: string | null
  }
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

export async function isSlugTaken(db: Db | Trx, slug: string): Promise<boolean> {
  const row = await db
    .selectFrom('tenants')
    .select('id')
    .where('slug', '=', slug)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Inserts a tenant with its domains and pending steps, and its owner; without one it awaits its
 * owner. Undefined when the slug or the name
 * of the group is taken, also by a transaction that commits meanwhile, so that the caller may try
 * another slug inside the same transaction; a taken domain throws `proven_domains_pkey`.
 */
export async function insertTenant(
  trx: Trx,
  tenant: NewTenant,
): Promise<{ id: string; slug: string } | undefined> {
  const inserted = await trx
    .insertInto('tenants')
    .values({
      slug: tenant.slug,
      identity_group_name: tenant.identityGroupName ?? null,
      name: tenant.name,
      plan: tenant.plan,
      partner_id: tenant.partnerId,
      awaits_owner: tenant.ownerId === null,
      seats: tenant.seats,
      industry: tenant.industry,
      brand_color: tenant.brandColor,
      billing_company: tenant.billing.company,
      billing_vat_number: tenant.billing.vatNumber,
      billing_country: tenant.billing.country,
      billing_email: tenant.billing.email,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning(['id', 'slug'])
    .executeTakeFirst()
  if (!inserted) return undefined
  if (tenant.ownerId !== null) await insertOwner(trx, inserted.id, tenant.ownerId)
  await insertDomains(trx, inserted.id, tenant.domains, {
    platformDomain: tenant.platformDomain,
    withPrimary: true,
  })
  await trx
    .insertInto('provisioning_steps')
    .values(
      (['identity', 'mail', 'files'] as const).map((step) => ({ tenant_id: inserted.id, step })),
    )
    .execute()
  return inserted
}

async function insertOwner(trx: Trx, tenantId: string, userId: string): Promise<void> {
  await trx
    .insertInto('memberships')
    .values({ tenant_id: tenantId, user_id: userId, role: 'owner', bootstrap_admin: true })
    .execute()
}

/**
 * Domains in the order given; the first becomes primary when `withPrimary`. Those below the
 * platform's domain are verified from the start.
 */
export async function insertDomains(
  trx: Trx,
  tenantId: string,
  names: readonly string[],
  { platformDomain, withPrimary }: { platformDomain: string; withPrimary: boolean },
): Promise<void> {
  // One statement each, so that the ids (and with them the order shown) follow the order given.
  for (const [index, name] of names.entries()) {
    const proven = isBelow(name, platformDomain)
    if (proven) await enterProvenDomain(trx, { tenantId, name })
    await trx
      .insertInto('domains')
      .values({
        tenant_id: tenantId,
        name,
        is_primary: withPrimary && index === 0,
        dmarc_rua: `postmaster@${name}`,
        verified_at: proven ? sql<Date>`now()` : null,
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
  language?: Language | null
}

export async function updateTenant(trx: Trx, id: string, changes: TenantChanges): Promise<void> {
  await trx
    .updateTable('tenants')
    .set({ ...changes, updated_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute()
}

/**
 * Notifies every process that watches this tenant to reload it. Sent when the transaction commits.
 */
export async function notifyTenant(db: Db | Trx, tenantId: string): Promise<void> {
  await sql`select pg_notify('tenant_changed', ${tenantId})`.execute(db)
}
