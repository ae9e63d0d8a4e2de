import { z } from 'zod'
import { countryCode } from '../billing/countries.ts'
import { editVersion, expectedVersion, namesAField } from '../platform/edit-version.ts'
import { says } from '../platform/issue-text.ts'
import { instant } from '../platform/text.ts'
import { Warning } from '../platform/warnings.ts'

export const mfaModes = ['off', 'optional', 'required'] as const
export const mfaMode = z.enum(mfaModes)
export type MfaMode = z.infer<typeof mfaMode>

/** Minutes a session may be idle: five minutes to a day. */
export const idleMinutes = { min: 5, max: 1_440 } as const
/** Minutes a session may last in all: a quarter of an hour to thirty days. */
export const absoluteMinutes = { min: 15, max: 43_200 } as const
export const mostAllowlistEntries = 200

/**
 * How people of a tenant may sign in. Null minutes set no limit of the tenant's own; an empty list
 * restricts nothing.
 */
export const SecurityPolicy = z.object({
  mfaMode,
  sessionIdleMinutes: z.number().int().nullable(),
  sessionAbsoluteMinutes: z.number().int().nullable(),
  /** ISO 3166-1 alpha-2, in alphabetical order. */
  allowedCountries: z.array(z.string()),
  /** Canonical addresses and networks, IPv4 first, in numerical order; none lies within another. */
  ipAllowlist: z.array(z.string()),
  /** Null until it is first changed. */
  updatedAt: instant.nullable(),
})
export type SecurityPolicy = z.infer<typeof SecurityPolicy>

/** The policy as forms read it. */
export const SecurityPolicyView = SecurityPolicy.extend({ editVersion })
export type SecurityPolicyView = z.infer<typeof SecurityPolicyView>

/** What holds until a tenant says otherwise. */
export const defaultSecurityPolicy: SecurityPolicy = {
  mfaMode: 'optional',
  sessionIdleMinutes: null,
  sessionAbsoluteMinutes: null,
  allowedCountries: [],
  ipAllowlist: [],
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

export const UpdateSecurityPolicy = z
  .strictObject({
    slug: z.string().max(200),
    mfaMode: mfaMode.optional(),
    sessionIdleMinutes: minutes(idleMinutes),
    sessionAbsoluteMinutes: minutes(absoluteMinutes),
    allowedCountries: z.array(countryCode).max(250).optional(),
    /** Validated by `canonicalAllowlist`, which reports the issue of each entry. */
    ipAllowlist: z
      .array(z.string().max(100, says('network')))
      .max(mostAllowlistEntries)
      .optional(),
    expectedVersion,
  })
  .refine(namesAField, says('nothingToChange'))
  .meta({ openapi: { minProperties: 1 } })
export type UpdateSecurityPolicy = z.infer<typeof UpdateSecurityPolicy>

/** Null is no limit, so it is longer than any other. */
export function idleExceedsAbsolute({
  sessionIdleMinutes,
  sessionAbsoluteMinutes,
}: SecurityPolicy): boolean {
  return (
    sessionIdleMinutes !== null &&
    sessionAbsoluteMinutes !== null &&
    sessionIdleMinutes > sessionAbsoluteMinutes
  )
}
