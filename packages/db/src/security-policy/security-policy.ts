import { randomUUID } from 'node:crypto'
import type { MfaMode } from '@atrium/core/security-policy/security-policy'
import { sql, type UpdateObject } from 'kysely'
import { leaseExpired, secondsFromNow } from '../platform/clock.ts'
import type { Db, Trx } from '../platform/connect.ts'
import type { Tables } from '../schema/tables.ts'

export interface StoredSecurityPolicy {
  mfaMode: MfaMode
  mfaGraceDays: number
  /** When the mode was switched to `required`; null in every other mode. */
  mfaRequiredSince: Date | null
  sessionIdleMinutes: number | null
  sessionAbsoluteMinutes: number | null
  allowedCountries: string[]
  ipAllowlist: string[]
}

export interface SecurityPolicyRow extends StoredSecurityPolicy {
  enforced: boolean
  /** The identity provider does not have the policy yet. */
  providerPending: boolean
  providerError: string | null
  updatedAt: Date
}

const columns = [
  'mfa_mode as mfaMode',
  'mfa_grace_days as mfaGraceDays',
  'mfa_required_since as mfaRequiredSince',
  'session_idle_minutes as sessionIdleMinutes',
  'session_absolute_minutes as sessionAbsoluteMinutes',
  'allowed_countries as allowedCountries',
  'ip_allowlist as ipAllowlist',
  'enforced',
  sql<boolean>`provider_mark is not null`.as('providerPending'),
  'provider_error as providerError',
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

/**
 * From here on the policy is enforced, and the identity provider is to have it. Requires `Trx`:
 * what is saved was read under the lock of the tenant's row.
 */
export function saveSecurityPolicy(
  trx: Trx,
  tenantId: string,
  policy: StoredSecurityPolicy,
): Promise<SecurityPolicyRow> {
  const values = {
    mfa_mode: policy.mfaMode,
    mfa_grace_days: policy.mfaGraceDays,
    mfa_required_since: policy.mfaRequiredSince,
    session_idle_minutes: policy.sessionIdleMinutes,
    session_absolute_minutes: policy.sessionAbsoluteMinutes,
    allowed_countries: policy.allowedCountries,
    ip_allowlist: policy.ipAllowlist,
    enforced: true,
    ...providerPending(),
    updated_at: sql<Date>`now()`,
  }
  return trx
    .insertInto('security_policies')
    .values({ tenant_id: tenantId, ...values })
    .onConflict((conflict) =>
      conflict.column('tenant_id').doUpdateSet(({ ref }) => ({
        ...values,
        provider_next_at: ref('excluded.provider_next_at'),
        updated_at: ref('excluded.updated_at'),
      })),
    )
    .returning(columns)
    .executeTakeFirstOrThrow()
}

/** The identity provider is to get the policy as soon as possible. */
const providerPending = () => ({
  provider_mark: randomUUID(),
  provider_next_at: sql<Date>`now()`,
  provider_attempts: 0,
  provider_error: null,
})

/** Writes an enforced policy to the identity provider again, because its group was made again. */
export async function resendSecurityPolicy(db: Db | Trx, tenantId: string): Promise<void> {
  await db
    .updateTable('security_policies')
    .set(providerPending())
    .where('tenant_id', '=', tenantId)
    .where('enforced', '=', true)
    .execute()
}

export type PolicyForProvider = Awaited<ReturnType<typeof claimPoliciesForProvider>>[number]

/**
 * Claims policies that the identity provider does not have, each for a minute and by one process at
 * a time. `attempts` includes this one. `groupId` is null while the tenant's group does not exist.
 */
export function claimPoliciesForProvider(db: Db, limit: number, tenantId?: string) {
  return db
    .updateTable('security_policies as p')
    .from('tenants as t')
    .set((eb) => ({
      provider_lease_until: secondsFromNow(60),
      provider_attempts: eb('p.provider_attempts', '+', 1),
    }))
    .whereRef('t.id', '=', 'p.tenant_id')
    .where('p.tenant_id', 'in', ({ selectFrom }) => {
      const due = selectFrom('security_policies')
        .select('tenant_id')
        .where('provider_mark', 'is not', null)
        .where('provider_next_at', '<=', sql<Date>`now()`)
        .where(leaseExpired('provider_lease_until'))
      return (tenantId === undefined ? due : due.where('tenant_id', '=', tenantId))
        .orderBy('provider_next_at')
        .limit(limit)
        .forUpdate()
        .skipLocked()
    })
    .returning([
      'p.tenant_id as tenantId',
      't.slug',
      't.identity_group_id as groupId',
      sql<string>`p.provider_mark`.as('mark'),
      'p.provider_attempts as attempts',
      'p.mfa_mode as mfaMode',
      'p.mfa_grace_days as mfaGraceDays',
      'p.mfa_required_since as mfaRequiredSince',
      'p.allowed_countries as allowedCountries',
      'p.ip_allowlist as ipAllowlist',
    ])
    .execute()
}

type Claim = Pick<PolicyForProvider, 'tenantId' | 'mark'>

/** The identity provider has the policy. One that was changed meanwhile stays due. */
export function completePolicyAtProvider(db: Db, claim: Claim): Promise<void> {
  return release(db, claim, { provider_mark: null, provider_next_at: null, provider_error: null })
}

/**
 * Tries again later. `error` is shown to admins; null when there was none. A policy that was
 * changed meanwhile is due at once.
 */
export function postponePolicyAtProvider(
  db: Db,
  claim: Claim,
  afterSeconds: number,
  error: string | null,
): Promise<void> {
  return release(db, claim, {
    provider_next_at: secondsFromNow(afterSeconds),
    provider_error: error,
  })
}

/** Ends the claim; `outcome` is stored unless the policy was changed meanwhile. */
async function release(
  db: Db,
  { tenantId, mark }: Claim,
  outcome: UpdateObject<Tables, 'security_policies'>,
): Promise<void> {
  const stored = await db
    .updateTable('security_policies')
    .set({ ...outcome, provider_lease_until: null })
    .where('tenant_id', '=', tenantId)
    .where('provider_mark', '=', mark)
    .executeTakeFirst()
  if (stored.numUpdatedRows > 0n) return
  await db
    .updateTable('security_policies')
    .set({ provider_lease_until: null })
    .where('tenant_id', '=', tenantId)
    .execute()
}
