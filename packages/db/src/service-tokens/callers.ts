import type { ServiceScope, ServiceTokenKind } from '@atrium/core/service-tokens/scopes'
import { sql } from 'kysely'
import type { Database, Trx } from '../platform/connect.ts'
import { readByTenantId } from '../tenants/tenant-ids.ts'
import { type TenantRow, tenantColumns, tenantJoins } from '../tenants/tenants.ts'
import {
  type CallerPartnerRow,
  type CallerTenantRow,
  type EnforcedPolicyFields,
  tenantPolicy,
} from '../users/callers.ts'

/** What a request with a service token is verified by. */
export interface ServiceTokenForCall {
  id: string
  kind: ServiceTokenKind
  name: string
  scopes: ServiceScope[]
  networks: string[]
  secretHash: Buffer
  previousHash: Buffer | null
  previousEndsAt: Date | null
  createdAt: Date
  expiresAt: Date
  lastUsedAt: Date | null
  revokedAt: Date | null
  tenantId: string | null
  tenantSlug: string | null
  partnerId: string | null
  /** The token's partner with the rights of a manager; null once it is terminated. */
  partner: CallerPartnerRow | null
}

const findForCallStatement = {
  name: 'find_service_token',
  text: `select s.id, s.kind, s.name, s.scopes, s.networks, s.secret_hash as "secretHash", s.previous_hash as "previousHash",
      s.previous_ends_at as "previousEndsAt", s.created_at as "createdAt", s.expires_at as "expiresAt",
      s.last_used_at as "lastUsedAt", s.revoked_at as "revokedAt", s.tenant_id as "tenantId", s.partner_id as "partnerId",
      case when s.tenant_id is not null then (select t.slug from tenants t where t.id = s.tenant_id) end as "tenantSlug",
      case when s.partner_id is not null then
        (select json_build_object('id', p.id, 'slug', p.slug, 'status', p.status, 'access', 'manager')
          from partners p where p.id = s.partner_id and p.status <> 'terminated') end as partner
    from service_tokens s where s.id = $1`,
}

/** By key, on every request with a service token, so that a revocation holds at once everywhere. */
export async function findServiceTokenForCall(
  database: Database,
  id: string,
): Promise<ServiceTokenForCall | undefined> {
  const [row] = await database.read<ServiceTokenForCall>(findForCallStatement, [id])
  return row
}

/** A token of the tenant itself acts there as an admin does. */
const serviceRole = `case when t.id = $3::uuid then 'admin' end`

const findTenantForServiceStatement = {
  name: 'find_tenant_for_service',
  text: `select t.id as "tenantId", t.slug as "tenantSlug", t.status as "tenantStatus", t.partner_id as "tenantPartnerId",
      t.awaits_owner as "tenantAwaitsOwner", t.plan as "tenantPlan",
      case when t.partner_id is not null then (select p.slug from partners p where p.id = t.partner_id) end as "tenantPartnerSlug",
      ${serviceRole} as role, null::json as "grant", ${tenantPolicy('$1')} as "tenantPolicy"
    from tenants t where t.id = $1 and t.slug = $2`,
}

/** The tenant of the path as `findCallerInTenant` returns it for a person. */
export function findTenantForService(
  database: Database,
  slug: string,
  tenantId: string | null,
): Promise<CallerTenantRow | undefined> {
  return readByTenantId(
    database,
    slug,
    async (id) => {
      const [row] = await database.read<CallerTenantRow>(findTenantForServiceStatement, [
        id,
        slug,
        tenantId,
      ])
      return row
    },
    (row) => row !== undefined,
  )
}

const findRecordForServiceStatement = {
  name: 'find_tenant_record_for_service',
  text: `select ${tenantColumns('$1')}, ${serviceRole} as "callerRole", ${tenantPolicy('$1')} as "tenantPolicy"
    from tenants t ${tenantJoins('$1')} where t.id = $1 and t.slug = $2`,
}

/** The same with the whole record of the tenant. */
export async function findTenantRecordForService(
  database: Database,
  slug: string,
  tenantId: string | null,
): Promise<
  { record: TenantRow; role: 'admin' | null; policy: EnforcedPolicyFields | null } | undefined
> {
  const row = await readByTenantId(
    database,
    slug,
    async (id) => {
      const [found] = await database.read<
        TenantRow & { callerRole: 'admin' | null; tenantPolicy: EnforcedPolicyFields | null }
      >(findRecordForServiceStatement, [id, slug, tenantId])
      return found
    },
    (found) => found !== undefined,
  )
  return row && { record: row, role: row.callerRole, policy: row.tenantPolicy }
}

/**
 * Whether the token still acts for this tenant or partner, in the transaction of a change: it may
 * have been revoked since the guard ran.
 */
export async function isServiceTokenActive(
  trx: Trx,
  id: string,
  owner: { tenantId: string } | { partnerId: string },
): Promise<boolean> {
  const row = await trx
    .selectFrom('service_tokens')
    .select('id')
    .where('id', '=', id)
    .where('tenantId' in owner ? 'tenant_id' : 'partner_id', '=', Object.values(owner)[0] ?? '')
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst()
  return row !== undefined
}

/** Notes a use unless one of the last minute is noted, so that a busy token writes rarely. */
export async function noteServiceTokenUse(
  { db }: Database,
  id: string,
  use: { at: Date; ip: string | null; procedure: string },
): Promise<void> {
  await db
    .updateTable('service_tokens')
    .set({ last_used_at: use.at, last_used_ip: use.ip, last_used_procedure: use.procedure })
    .where('id', '=', id)
    .where(({ eb, or }) =>
      or([
        eb('last_used_at', 'is', null),
        eb('last_used_at', '<=', new Date(use.at.getTime() - 60_000)),
      ]),
    )
    .execute()
}
