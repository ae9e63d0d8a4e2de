import { z } from 'zod'
import { DomainView } from '../mail/domains.ts'
import { MemberView } from '../members/members.ts'
import { issueText } from '../platform/issue-text.ts'
import { StepResult, TenantPurge, TenantView, tenantAccess } from './tenants.ts'

/** What can be read along with a tenant in one call. */
export const tenantExpansions = ['domains', 'members', 'access', 'purge'] as const
/** Members in an expanded tenant; the list goes on at `GET /tenants/{slug}/users`. */
export const expandedMembers = 50

/** Words after another with commas, such as `domains,members`. */
const expand = z
  .string()
  .max(200)
  .transform((value) => [...new Set(value.split(',').map((word) => word.trim()))])
  .superRefine((words, context) => {
    const unknown = words.filter((word) => !tenantExpansions.some((known) => known === word))
    if (unknown.length === 0) return
    const named = unknown.map((word) => `"${word}"`).join(', ')
    context.addIssue({
      code: 'custom',
      message: issueText('expansion', { value: named, known: tenantExpansions.join(', ') }),
    })
  })
  .meta({
    openapi: {
      pattern: `^(?:${tenantExpansions.join('|')})(?:,(?:${tenantExpansions.join('|')}))*$`,
    },
  })

export const GetTenant = z.strictObject({ slug: z.string().max(200), expand: expand.optional() })
export type GetTenant = z.infer<typeof GetTenant>

const systemAccess = z.object({
  /** Of the tenant as a whole: its group, its domains, its space. */
  tenant: StepResult,
  /**
   * Members whom the system has brought to what holds, who wait for it, and with whom it failed.
   */
  done: z.number().int(),
  waiting: z.number().int(),
  failed: z.number().int(),
  /** The latest failure with a member. */
  error: z.string().nullable(),
})

/** What the people of a tenant may do in the upstream systems, and how far each has followed. */
export const TenantAccessView = z.object({
  wanted: tenantAccess,
  identity: systemAccess,
  mail: systemAccess,
  files: systemAccess,
})
export type TenantAccessView = z.infer<typeof TenantAccessView>

export const TenantDetail = TenantView.extend({
  /** What was asked for with `expand`; absent without. */
  expanded: z
    .object({
      /** Primary first, all of them. */
      domains: z.array(DomainView).optional(),
      access: TenantAccessView.optional(),
      purge: TenantPurge.optional(),
      /** The first page, newest first. `nextCursor` goes on at the list of members. */
      members: z
        .object({ items: z.array(MemberView), nextCursor: z.string().nullable() })
        .optional(),
    })
    .optional(),
})
export type TenantDetail = z.infer<typeof TenantDetail>
