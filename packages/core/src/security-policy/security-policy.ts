import { z } from 'zod'
import { countryCode } from '../billing/countries.ts'
import { tenantRole } from '../members/memberships.ts'
import { editVersion, expectedVersion, namesAField } from '../platform/edit-version.ts'
import { says } from '../platform/issue-text.ts'
import { instant } from '../platform/text.ts'
import { Warning } from '../platform/warnings.ts'
import { policyRejections } from './rejections.ts'

export const mfaModes = ['off', 'optional', 'required'] as const
export const mfaMode = z.enum(mfaModes)
export type MfaMode = z.infer<typeof mfaMode>

/** Minutes a session may be idle: five minutes to a day. */
export const idleMinutes = { min: 5, max: 1_440 } as const
/** Minutes a session may last in all: a quarter of an hour to thirty days. */
export const absoluteMinutes = { min: 15, max: 43_200 } as const
export const mostAllowlistEntries = 200
/** Days in which members can enrol a second factor before it is required. */
export const graceDays = { min: 0, max: 90 } as const

/**
 * How far the identity provider has the policy, which it applies to sign-ins of other applications:
 * `off` when none is connected or nothing is enforced.
 */
export const PolicyAtProvider = z.object({
  state: z.enum(['off', 'pending', 'ok', 'error']),
  /** The last failure; null for plain members. */
  error: z.string().nullable(),
})
export type PolicyAtProvider = z.infer<typeof PolicyAtProvider>

/**
 * How people of a tenant may sign in. Null minutes set no limit of the tenant's own; an empty list
 * restricts nothing.
 */
export const SecurityPolicy = z.object({
  mfaMode,
  /** Days between switching the mode to `required` and `mfaRequiredFrom`. */
  mfaGraceDays: z.number().int(),
  /** From when on a second factor is required; null for never. */
  mfaRequiredFrom: instant.nullable(),
  sessionIdleMinutes: z.number().int().nullable(),
  sessionAbsoluteMinutes: z.number().int().nullable(),
  /** ISO 3166-1 alpha-2, in alphabetical order. */
  allowedCountries: z.array(z.string()),
  /** Canonical addresses and networks, IPv4 first, in numerical order; none lies within another. */
  ipAllowlist: z.array(z.string()),
  /** False for a policy that was stored before policies were enforced, until it is saved again. */
  enforced: z.boolean(),
  /** Null until it is first changed. */
  updatedAt: instant.nullable(),
})
export type SecurityPolicy = z.infer<typeof SecurityPolicy>

/** The policy as forms read it. */
export const SecurityPolicyView = SecurityPolicy.extend({
  atProvider: PolicyAtProvider,
  editVersion,
})
export type SecurityPolicyView = z.infer<typeof SecurityPolicyView>

/** What holds until a tenant says otherwise. */
export const defaultSecurityPolicy: SecurityPolicy = {
  mfaMode: 'optional',
  mfaGraceDays: 0,
  mfaRequiredFrom: null,
  sessionIdleMinutes: null,
  sessionAbsoluteMinutes: null,
  allowedCountries: [],
  ipAllowlist: [],
  enforced: true,
  updatedAt: null,
}

export const SavedSecurityPolicy = z.object({
  securityPolicy: SecurityPolicyView,
  warnings: z.array(Warning),
})
export type SavedSecurityPolicy = z.infer<typeof SavedSecurityPolicy>

const minutes = ({ min, max }: { min: number; max: number }) => {
  const range = says('minutesBetween', { from: min, to: max })
  return z.number().int().min(min, range).max(max, range).nullable().optional()
}

const policyFields = {
  mfaMode: mfaMode.optional(),
  mfaGraceDays: z
    .number()
    .int()
    .min(graceDays.min, says('daysBetween', { from: graceDays.min, to: graceDays.max }))
    .max(graceDays.max, says('daysBetween', { from: graceDays.min, to: graceDays.max }))
    .optional(),
  sessionIdleMinutes: minutes(idleMinutes),
  sessionAbsoluteMinutes: minutes(absoluteMinutes),
  allowedCountries: z.array(countryCode).max(250).optional(),
  /** Validated by `canonicalAllowlist`, which reports the issue of each entry. */
  ipAllowlist: z
    .array(z.string().max(100, says('network')))
    .max(mostAllowlistEntries)
    .optional(),
}

export const UpdateSecurityPolicy = z
  .strictObject({ slug: z.string().max(200), ...policyFields, expectedVersion })
  .refine(namesAField, says('nothingToChange'))
  .meta({ openapi: { minProperties: 1 } })
export type UpdateSecurityPolicy = z.infer<typeof UpdateSecurityPolicy>

/** The changes of an update, none of which has to be given: the stored policy is previewed then. */
export const PreviewSecurityPolicy = z.strictObject({
  slug: z.string().max(200),
  ...policyFields,
})
export type PreviewSecurityPolicy = z.infer<typeof PreviewSecurityPolicy>

/** How many members a preview names. */
export const mostAffected = 200

export const AffectedMember = z.object({
  userId: z.uuid(),
  name: z.string(),
  email: z.string(),
  role: tenantRole,
  reasons: z.array(z.enum(policyRejections)),
  /** Sign-ins in the days of the preview. */
  signIns: z.number().int(),
  /** Those that the policy would have rejected. */
  rejected: z.number().int(),
  /** The last one that it would have rejected. */
  last: z.object({
    at: instant,
    address: z.string().nullable(),
    country: z.string().nullable(),
    secondFactor: z.boolean(),
  }),
})
export type AffectedMember = z.infer<typeof AffectedMember>

/** Whom a policy would affect, by the sign-ins of the last `days` days. */
export const SecurityPolicyPreview = z.object({
  days: z.number().int(),
  members: z.number().int(),
  /** Members of whom nothing can be said, because they did not sign in. */
  withoutSignIns: z.number().int(),
  affected: z.number().int(),
  /** Members all of whose sign-ins would have been rejected. */
  shutOut: z.number().int(),
  /** The affected members, those who are shut out first; at most 200. */
  items: z.array(AffectedMember),
  mfaRequiredFrom: instant.nullable(),
  /** Why saving would be rejected, or what operators are warned of. */
  objection: z.object({ code: z.string(), message: z.string() }).nullable(),
})
export type SecurityPolicyPreview = z.infer<typeof SecurityPolicyPreview>

/** The fields that an update or a preview may give. */
export type PolicyFields = Pick<UpdateSecurityPolicy, keyof typeof policyFields>

/** Null is no limit, so it is longer than any other. */
export function idleExceedsAbsolute({
  sessionIdleMinutes,
  sessionAbsoluteMinutes,
}: Pick<SecurityPolicy, 'sessionIdleMinutes' | 'sessionAbsoluteMinutes'>): boolean {
  return (
    sessionIdleMinutes !== null &&
    sessionAbsoluteMinutes !== null &&
    sessionIdleMinutes > sessionAbsoluteMinutes
  )
}
