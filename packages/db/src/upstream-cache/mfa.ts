import type { TenantRole } from '@atrium/core/tenants/tenants'
import type { FactorCounts, MfaState } from '@atrium/core/upstream-cache/mfa'
import { sql } from 'kysely'
import type { Db } from '../platform/connect.ts'

export interface MfaRow {
  id: string
  email: string
  name: string
  role: TenantRole
  enrolled: boolean | null
  factors: FactorCounts | null
  failure: string | null
  readAt: Date | null
}

/** The value of a `second_factors` reading. */
export interface FactorsEntry {
  enrolled: boolean
  factors: FactorCounts
}

const enrolled = sql<boolean | null>`(r.value->>'enrolled')::boolean`
const from = (tenantId: string) => sql`
  from memberships m join users u on u.id = m.user_id
    left join user_readings r on r.user_id = m.user_id and r.kind = 'second_factors'
  where m.tenant_id = ${tenantId}`

const conditions = {
  enrolled: sql`${enrolled}`,
  not_enrolled: sql`not ${enrolled}`,
  unknown: sql`${enrolled} is null`,
} as const satisfies Record<MfaState, unknown>

/**
 * Members with their second factors as last read, by user id, newest first, one row more than
 * asked; paged as `listMembers`; of one member alone with `only`.
 */
export async function listMfa(
  db: Db,
  tenantId: string,
  filter: {
    state?: MfaState | undefined
    before?: string | undefined
    limit: number
    only?: string | undefined
  },
): Promise<MfaRow[]> {
  const { rows } = await sql<MfaRow>`
    select u.id, u.email, u.name, m.role, ${enrolled} as enrolled, r.value->'factors' as factors, r.failure, r.read_at as "readAt"
    ${from(tenantId)}
      ${filter.state ? sql`and ${conditions[filter.state]}` : sql``}
      ${filter.only ? sql`and m.user_id = ${filter.only}` : sql``}
      ${filter.before ? sql`and m.user_id < ${filter.before} and u.id < ${filter.before}` : sql``}
    order by m.user_id desc limit ${filter.limit + 1}`.execute(db)
  return rows
}

export interface MfaCounts {
  members: number
  enrolled: number
  notEnrolled: number
  unknown: number
}

export async function countMfa(db: Db, tenantId: string): Promise<MfaCounts> {
  const { rows } = await sql<MfaCounts>`
    select count(*) as members, count(*) filter (where ${conditions.enrolled}) as enrolled,
      count(*) filter (where ${conditions.not_enrolled}) as "notEnrolled", count(*) filter (where ${conditions.unknown}) as unknown
    ${from(tenantId)}`.execute(db)
  return rows[0] ?? { members: 0, enrolled: 0, notEnrolled: 0, unknown: 0 }
}
