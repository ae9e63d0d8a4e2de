import { z } from 'zod'
import { DomainView } from './domains.ts'
import { MemberView } from './members.ts'
import { TenantView } from './tenants.ts'

/** What can be read along with a tenant in one call. */
export const tenantExpansions = ['domains', 'members'] as const
export type TenantExpansion = (typeof tenantExpansions)[number]

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
    context.addIssue({ code: 'custom', message: `${named} cannot be expanded here. Known are: ${tenantExpansions.join(', ')}.` })
  })

export const GetTenant = z.strictObject({ slug: z.string().max(200), expand: expand.optional() })
export type GetTenant = z.infer<typeof GetTenant>

export const TenantDetail = TenantView.extend({
  /** What was asked for with `expand`; absent without. */
  expanded: z
    .object({
      /** Primary first, all of them. */
      domains: z.array(DomainView).optional(),
      /** The first page, newest first. `nextCursor` goes on at the list of members. */
      members: z.object({ items: z.array(MemberView), nextCursor: z.string().nullable() }).optional(),
    })
    .optional(),
})
export type TenantDetail = z.infer<typeof TenantDetail>
