import { z } from 'zod'
import { memberStatuses, tenantRoles } from '../platform/choices.ts'

export { memberStatuses, tenantRoles }

// Apart from tenants.ts and members.ts, because an app's routes need these words before any page is
// there.

export const tenantRole = z.enum(tenantRoles)
export type TenantRole = z.infer<typeof tenantRole>

export const memberStatus = z.enum(memberStatuses)
export type MemberStatus = z.infer<typeof memberStatus>
