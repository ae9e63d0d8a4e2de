import type { MfaMode } from '@atrium/core/security-policy/security-policy'
import { sql } from 'kysely'
import type { Db, Trx } from '../platform/connect.ts'

export interface SecurityPolicyRow {
  mfaMode: MfaMode
  sessionIdleMinutes: number | null
  sessionAbsoluteMinutes: number | null
  allowedCountries: string[]
  ipAllowlist: string[]
  updatedAt: Date
}

const columns = [
  'mfa_mode as mfaMode',
  'session_idle_minutes as sessionIdleMinutes',
  'session_absolute_minutes as sessionAbsoluteMinutes',
  'allowed_countries as allowedCountries',
  'ip_allowlist as ipAllowlist',
  'updated_at as updatedAt',
] as const

/** Undefined while the tenant has never changed it. */
export function findSecurityPolicy(
  db: Db | Trx,
  tenantId: string,
): Promise<SecurityPolicyRow | undefined> {
  return db
    .selectFrom('security_policies')
    .select(columns)
    .where('tenant_id', '=', tenantId)
    .executeTakeFirst()
}

/** Asks for `Trx`: what is saved was read under the lock of the tenant's row. */
export function saveSecurityPolicy(
  trx: Trx,
  tenantId: string,
  policy: Omit<SecurityPolicyRow, 'updatedAt'>,
): Promise<SecurityPolicyRow> {
  const values = {
    mfa_mode: policy.mfaMode,
    session_idle_minutes: policy.sessionIdleMinutes,
    session_absolute_minutes: policy.sessionAbsoluteMinutes,
    allowed_countries: policy.allowedCountries,
    ip_allowlist: policy.ipAllowlist,
    updated_at: sql<Date>`now()`,
  }
  return trx
    .insertInto('security_policies')
    .values({ tenant_id: tenantId, ...values })
    .onConflict((conflict) => conflict.column('tenant_id').doUpdateSet(values))
    .returning(columns)
    .executeTakeFirstOrThrow()
}
