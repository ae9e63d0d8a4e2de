import type { TenantView } from '@atrium/core/tenants/tenants'

/**
 * Whether settings are offered. The API decides again; this only spares people buttons that would
 * reject them.
 */
export function maySeeSettings(role: TenantView['role'] | undefined): boolean {
  return role === 'admin' || role === 'owner'
}

/** Whether changes are offered: to admins, while the workplace is not closed. */
export function mayChange(tenant: Pick<TenantView, 'role' | 'status' | 'grant'>): boolean {
  return mayAct(tenant) && tenant.status !== 'suspended' && tenant.status !== 'deleted'
}

/**
 * Whether suspending, signing out and removing members and new passwords are offered: also while
 * the workplace is suspended.
 */
export function mayProtect(tenant: Pick<TenantView, 'role' | 'status' | 'grant'>): boolean {
  return mayAct(tenant) && tenant.status !== 'deleted'
}

/** Whoever acts under an access grant for reading changes nothing. */
function mayAct({ role, grant }: Pick<TenantView, 'role' | 'grant'>): boolean {
  return maySeeSettings(role) && grant?.role !== 'reader'
}
