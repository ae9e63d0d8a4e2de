import { defaultSecurityPolicy, type SecurityPolicy } from '@atrium/core/security-policy'
import { findSecurityPolicy, type SecurityPolicyRow } from '@atrium/db/security-policy'
import type { Context } from '../context.ts'
import type { Access } from '../guards.ts'

/** How members may sign in; what holds for everybody while the tenant has set nothing. */
export async function getSecurityPolicy({ house }: Context, { tenant }: Access): Promise<SecurityPolicy> {
  return toSecurityPolicy(await findSecurityPolicy(house.database.db, tenant.id))
}

export function toSecurityPolicy(row: SecurityPolicyRow | undefined): SecurityPolicy {
  return row ? { ...row, updatedAt: row.updatedAt.toISOString() } : defaultSecurityPolicy
}
