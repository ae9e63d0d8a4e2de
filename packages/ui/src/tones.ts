import type { AuditOutcome } from '@atrium/core/audit/audit'
import type {
  ProvisioningStatus,
  StepState,
  TenantHealth,
  TenantStatus,
} from '@atrium/core/tenants/tenants'

/**
 * What a state means to the reader; decides colour and icon together, so that colour never stands
 * alone.
 */
export type Tone = 'good' | 'working' | 'waiting' | 'warning' | 'bad' | 'neutral'

export interface StatusMeta {
  label: string
  tone: Tone
}

export const tenantStatusMeta: Readonly<Record<TenantStatus, StatusMeta>> = {
  pending: { label: 'Setting up', tone: 'working' },
  active: { label: 'Active', tone: 'good' },
  suspended: { label: 'Suspended', tone: 'warning' },
  deleted: { label: 'Deleted', tone: 'neutral' },
}

/**
 * A tenant's status as people read it; a pending one with a failed step is not simply being set up.
 */
export function tenantMeta(status: TenantStatus, steps?: ProvisioningStatus): StatusMeta {
  if (status !== 'pending' || !steps || !Object.values(steps).includes('error'))
    return tenantStatusMeta[status]
  return { label: 'Setup incomplete', tone: 'warning' }
}

export const outcomeMeta: Readonly<Record<AuditOutcome, StatusMeta>> = {
  success: { label: 'Success', tone: 'good' },
  failure: { label: 'Failure', tone: 'bad' },
  denied: { label: 'Denied', tone: 'warning' },
}

export const healthMeta: Readonly<Record<TenantHealth['band'], StatusMeta>> = {
  healthy: { label: 'Healthy', tone: 'good' },
  watch: { label: 'Watch', tone: 'warning' },
  at_risk: { label: 'At risk', tone: 'bad' },
  new: { label: 'New', tone: 'neutral' },
  inactive: { label: 'Inactive', tone: 'neutral' },
  unknown: { label: 'Not enough data', tone: 'neutral' },
}

/** A step as people read it: `pending` is "working" only while a run is under way. */
export function stepMeta(state: StepState, running: boolean): StatusMeta {
  switch (state) {
    case 'ok':
      return { label: 'Done', tone: 'good' }
    case 'skipped':
      return { label: 'Not needed', tone: 'neutral' }
    case 'error':
      return { label: 'Failed', tone: 'bad' }
    case 'pending':
      return running ? { label: 'Working', tone: 'working' } : { label: 'Waiting', tone: 'waiting' }
  }
}
