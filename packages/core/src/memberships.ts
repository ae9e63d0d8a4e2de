import { z } from 'zod'

// Apart from tenants.ts and members.ts, because an app's routes need these words before any page is there.

export const tenantRoles = ['member', 'admin', 'owner'] as const
export const tenantRole = z.enum(tenantRoles)
export type TenantRole = z.infer<typeof tenantRole>

export const memberStatuses = ['provisioning', 'active', 'suspended', 'removing', 'deactivated'] as const
export const memberStatus = z.enum(memberStatuses)
export type MemberStatus = z.infer<typeof memberStatus>
