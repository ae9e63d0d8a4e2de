import type { TenantStatus } from '../platform/choices.ts'

// Apart from tenants.ts, like the plans: every page of the portals needs these words, and few need
// the schemas and zod with them.

export const provisioningSteps = ['identity', 'mail', 'files'] as const
export type ProvisioningStep = (typeof provisioningSteps)[number]

export const stepStates = ['pending', 'ok', 'skipped', 'error'] as const
export type StepState = (typeof stepStates)[number]

export type ProvisioningStatus = Record<ProvisioningStep, StepState>

/** `active` when no step is left to do; what provisioning and resume decide by. */
export function isProvisioned(status: ProvisioningStatus): boolean {
  return provisioningSteps.every((step) => status[step] === 'ok' || status[step] === 'skipped')
}

/**
 * True while provisioning can still change the tenant: a step is open, or the status has not caught
 * up with the steps.
 */
export function awaitsProvisioning(tenant: {
  status: TenantStatus
  provisioningStatus: ProvisioningStatus
}): boolean {
  return (
    tenant.status !== 'deleted' &&
    (tenant.status === 'pending' || !isProvisioned(tenant.provisioningStatus))
  )
}
