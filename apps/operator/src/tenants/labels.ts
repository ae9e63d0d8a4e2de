import type { ProvisioningStep, TenantRole } from '@atrium/core/tenants/tenants'

export const stepNames: Readonly<Record<ProvisioningStep, string>> = {
  identity: 'Identity',
  mail: 'Mail',
  files: 'Files',
}

export const roleNames: Readonly<Record<TenantRole, string>> = {
  member: 'Member',
  admin: 'Admin',
  owner: 'Owner',
}
