import type { Plan, ProvisioningStep, TenantRole } from '@atrium/core/tenants/tenants'

export const planNames: Readonly<Record<Plan, string>> = {
  free: 'Free',
  starter: 'Starter',
  business: 'Business',
  enterprise: 'Enterprise',
}

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
