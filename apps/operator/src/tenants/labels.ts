import type { TenantRole } from '@atrium/core/tenants/tenants'

export const roleNames: Readonly<Record<TenantRole, string>> = {
  member: 'Member',
  admin: 'Admin',
  owner: 'Owner',
}
