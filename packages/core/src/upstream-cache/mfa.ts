import { z } from 'zod'
import { mfaStates } from '../platform/choices.ts'
import { cursor, pageLimit } from '../platform/paging.ts'
import { instant } from '../platform/text.ts'
import { tenantRole } from '../tenants/tenants.ts'

/**
 * How many second factors of each kind a person has, by the identity provider's names of kinds:
 * `totp`, `webauthn`, `static`, …
 */
export const factorCounts = z.record(z.string(), z.number().int().min(1))
export type FactorCounts = z.infer<typeof factorCounts>

export const mfaState = z.enum(mfaStates)
export type MfaState = z.infer<typeof mfaState>

export const MemberMfa = z.object({
  userId: z.uuid(),
  email: z.string(),
  name: z.string(),
  role: tenantRole,
  state: mfaState,
  /** Null when it is unknown. */
  enrolled: z.boolean().nullable(),
  /** Null when they are unknown; empty when there are none. */
  factors: factorCounts.nullable(),
  /** When the identity provider was last asked about this person; null when it never was. */
  checkedAt: instant.nullable(),
  /** Why the last attempt failed, fit to be shown. */
  reason: z.string().nullable(),
})
export type MemberMfa = z.infer<typeof MemberMfa>

export const MfaStatus = z.object({
  items: z.array(MemberMfa),
  nextCursor: z.string().nullable(),
  /** Over all members of the tenant, whatever the page and the filter. */
  summary: z.object({
    members: z.number().int(),
    enrolled: z.number().int(),
    notEnrolled: z.number().int(),
    unknown: z.number().int(),
  }),
  /** True while some of it is still being read; ask again in a moment. */
  refreshing: z.boolean(),
})
export type MfaStatus = z.infer<typeof MfaStatus>

export const ReadMfaStatus = z.strictObject({
  slug: z.string().max(200),
  state: mfaState.optional(),
  cursor: cursor.optional(),
  limit: pageLimit,
})
export type ReadMfaStatus = z.infer<typeof ReadMfaStatus>

/**
 * Recovery codes, which authentik keeps among the authenticators, help out when the second factor
 * is lost; they are none.
 */
export function isEnrolled(factors: FactorCounts): boolean {
  return Object.entries(factors).some(([kind, count]) => kind !== 'static' && count > 0)
}
