import type { GrantKind, GrantRole, GrantScope } from '@atrium/core/access-grants/access-grants'
import type { PartnerAccess } from '@atrium/core/partners/partner-access'
import type { Plan, TenantRole, TenantStatus } from '@atrium/core/tenants/tenants'
import type { Database } from '../platform/connect.ts'
import { isShutText } from '../tenants/access-conditions.ts'
import { readByTenantId } from '../tenants/tenant-ids.ts'

/**
 * What the guards decide by: the caller's stored record, the tenant of the path, and the caller's
 * membership there.
 */
export interface CallerRow {
  id: string
  email: string
  name: string
  platformAdmin: boolean
  deactivatedAt: Date | null
  /** The partner whose staff the person is; null once it is terminated. */
  partner: CallerPartnerRow | null
}

export interface CallerPartnerRow {
  id: string
  slug: string
  status: 'active' | 'suspended'
  access: PartnerAccess
}

export interface CallerTenantRow {
  tenantId: string | null
  tenantSlug: string | null
  tenantStatus: TenantStatus | null
  tenantPartnerId: string | null
  tenantAwaitsOwner: boolean | null
  /** Whatever the partner's status is. */
  tenantPartnerSlug: string | null
  tenantPlan: Plan | null
  role: TenantRole | null
  grant: CallerGrantRow | null
  /** The tenant's policy where one is enforced. */
  tenantPolicy: EnforcedPolicyFields | null
}

/** The access that the caller has to the tenant at this moment without being a member. */
export interface CallerGrantRow {
  id: string
  /** The partner for which the caller has it; null for operators. */
  partnerId: string | null
  kind: GrantKind
  role: GrantRole
  scopes: GrantScope[]
  /** ISO 8601. */
  endsAt: string
}

/** `EnforcedPolicy` as JSON carries it. */
export interface EnforcedPolicyFields {
  mfaRequiredFrom: string | null
  sessionAbsoluteMinutes: number | null
  allowedCountries: string[]
  ipAllowlist: string[]
}

// Most people belong to no partner: a look-up that happens only when needed costs the server less
// than a join that always does.
const livePartner = `case when u.partner_id is not null then
    (select json_build_object('id', p.id, 'slug', p.slug, 'status', p.status, 'access', u.partner_access)
      from partners p where p.id = u.partner_id and p.status <> 'terminated') end`

/**
 * The caller's columns beside those of another record, for statements that read both. The caller is
 * `users u`.
 */
export const callerFields = `u.id as "callerId", u.email as "callerEmail", u.name as "callerName", u.platform_admin as "callerPlatformAdmin",
  u.deactivated_at as "callerDeactivatedAt", ${livePartner} as "callerPartner"`

/**
 * The caller's role in `tenants t`, by the text of its id. A person whose mailbox is still being
 * created is a member already. In a suspended tenant only the owner and admins have a role.
 */
export const callerRole = (
  tenantId: string,
) => `(select m.role from memberships m where m.tenant_id = ${tenantId} and m.user_id = u.id and m.status in ('active', 'provisioning')
  and (m.role <> 'member' or not ${isShutText('t')}))`

/**
 * Whether the access `g` of `users u` to `tenants t` holds at `now`: it was granted and its time is
 * not over, and the person is still on the staff of an active partner that has the tenant, or still
 * an operator.
 */
export const grantHolds = (
  now: string,
) => `(g.status = 'active' and g.ends_at > ${now} and u.deactivated_at is null
  and case when g.partner_id is null then u.platform_admin
    else g.partner_id = u.partner_id and g.partner_id = t.partner_id
      and exists (select from partners gp where gp.id = g.partner_id and gp.status = 'active') end)`

/**
 * The access of `users u` to `tenants t`, by the text of its id, at a moment, in the form of
 * `CallerGrantRow`.
 */
export const callerGrant = (
  tenantId: string,
  now: string,
) => `(select json_build_object('id', g.id, 'partnerId', g.partner_id, 'kind', g.kind,
    'role', g.role, 'scopes', g.scopes, 'endsAt', g.ends_at)
  from access_grants g where g.tenant_id = ${tenantId} and g.user_id = u.id and ${grantHolds(now)})`

/**
 * The enforced security policy of a tenant, by the text of its id; null where there is none. Like
 * the partner, it is looked up by key, because most tenants have none. A day is 24 hours in
 * whatever zone the connection is.
 */
export const tenantPolicy = (tenantId: string) => `(select json_build_object(
    'mfaRequiredFrom', case when sp.mfa_mode = 'required' then sp.mfa_required_since + make_interval(hours => 24 * sp.mfa_grace_days) end,
    'sessionAbsoluteMinutes', sp.session_absolute_minutes, 'allowedCountries', sp.allowed_countries, 'ipAllowlist', sp.ip_allowlist)
  from security_policies sp where sp.tenant_id = ${tenantId} and sp.enforced)`

export interface CallerFields {
  callerId: string
  callerEmail: string
  callerName: string
  callerPlatformAdmin: boolean
  callerDeactivatedAt: Date | null
  callerPartner: CallerPartnerRow | null
}

export function callerOf(row: CallerFields): CallerRow {
  return {
    id: row.callerId,
    email: row.callerEmail,
    name: row.callerName,
    platformAdmin: row.callerPlatformAdmin,
    deactivatedAt: row.callerDeactivatedAt,
    partner: row.callerPartner,
  }
}

const findCallerStatement = {
  name: 'find_caller',
  text: `select ${callerFields} from users u where u.idp_subject_id = $1`,
}

const findCallerInTenantStatement = {
  name: 'find_caller_in_tenant',
  text: `select ${callerFields}, t.id as "tenantId", t.slug as "tenantSlug", t.status as "tenantStatus",
      t.partner_id as "tenantPartnerId", t.awaits_owner as "tenantAwaitsOwner", t.plan as "tenantPlan",
      case when t.partner_id is not null then (select p.slug from partners p where p.id = t.partner_id) end as "tenantPartnerSlug", ${callerRole('$2')} as role,
      ${callerGrant('$2', '$3::timestamptz')} as "grant", ${tenantPolicy('$2')} as "tenantPolicy"
    from users u left join tenants t on t.id = $2 and t.slug = $4
    where u.idp_subject_id = $1`,
}

/**
 * The stored record behind a token's subject; undefined for people who have never called GET
 * /users/me.
 */
export async function findCaller(
  database: Database,
  subject: string,
): Promise<CallerRow | undefined> {
  const [row] = await database.read<CallerFields>(findCallerStatement, [subject])
  return row && callerOf(row)
}

/**
 * The same together with the tenant of the path and the caller's role and access grant there, in
 * one statement. Tenant fields are null when unknown.
 */
export async function findCallerInTenant(
  database: Database,
  subject: string,
  slug: string,
  now: Date,
): Promise<{ caller: CallerRow; tenant: CallerTenantRow } | undefined> {
  const row = await readByTenantId(
    database,
    slug,
    async (tenantId) => {
      const [found] = await database.read<CallerFields & CallerTenantRow>(
        findCallerInTenantStatement,
        [subject, tenantId, now.toISOString(), slug],
      )
      return found
    },
    (found) => typeof found?.tenantId === 'string',
  )
  return row && { caller: callerOf(row), tenant: row }
}
