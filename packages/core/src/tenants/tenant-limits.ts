import { z } from 'zod'
import { says } from '../platform/issue-text.ts'
import { isSetPerTenant, type LimitName, limitNames, limitScopes } from '../platform/limits.ts'
import { instant, line } from '../platform/text.ts'

/** The limits that an operator can set for a single tenant. */
export const tenantLimitNames = limitNames.filter(isSetPerTenant)

const tenantLimitName = z.enum(tenantLimitNames as [LimitName, ...LimitName[]])

/** What a tenant has used of one limit. */
export const TenantLimit = z.object({
  name: tenantLimitName,
  /** What is counted, in the plural: "new members". */
  counts: z.string(),
  /**
   * What each may have as many: the tenant itself, or every member, mailbox, host or person in it.
   */
  per: z.enum(limitScopes),
  /** Length of the window in seconds. Null: how many there may be at one time. */
  seconds: z.number().int().nullable(),
  /** What applies to this tenant. */
  most: z.number().int(),
  /** What applies where no operator set another number. */
  standard: z.number().int(),
  /** The number that an operator set for this tenant; null where `standard` applies. */
  set: z.number().int().nullable(),
  /**
   * In the tenant; for a limit per member or host, by the one that used most. Null where the use is
   * not counted in one place.
   */
  used: z.number().int().nullable(),
  /** When `used` is 0 again. Null where it is not counted in a window. */
  resetsAt: instant.nullable(),
})
export type TenantLimit = z.infer<typeof TenantLimit>

export const TenantLimits = z.object({ items: z.array(TenantLimit) })
export type TenantLimits = z.infer<typeof TenantLimits>

export const largestTenantLimit = 10_000_000

export const SetTenantLimits = z.strictObject({
  slug: z.string().max(200),
  /** Null sets back to the number of the installation. */
  limits: z
    .array(
      z.strictObject({
        name: tenantLimitName,
        most: z.number().int().min(0).max(largestTenantLimit).nullable(),
      }),
    )
    .min(1)
    .max(tenantLimitNames.length, says('onlyOnce'))
    .refine(
      (provided) => new Set(provided.map(({ name }) => name)).size === provided.length,
      says('onlyOnce'),
    ),
  reason: line(500).optional(),
})
export type SetTenantLimits = z.infer<typeof SetTenantLimits>
