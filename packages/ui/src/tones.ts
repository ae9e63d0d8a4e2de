import type { AuditOutcome } from '@atrium/core/audit/audit'
import type {
  ProvisioningStatus,
  StepState,
  TenantHealth,
  TenantStatus,
} from '@atrium/core/tenants/tenants'
import { translations } from './messages.ts'

const t = translations('ui.labels')

/**
 * What a state means to the reader; decides colour and icon together, so that colour is never the
 * only sign.
 */
export type Tone = 'good' | 'working' | 'waiting' | 'warning' | 'bad' | 'neutral'

export interface StatusMeta {
  label: string
  tone: Tone
}

const tenantTones: Readonly<Record<TenantStatus, Tone>> = {
  pending: 'working',
  active: 'good',
  suspended: 'warning',
  deleted: 'neutral',
}

export function tenantStatusMeta(status: TenantStatus): StatusMeta {
  return { label: t(`tenantStatuses.${status}`), tone: tenantTones[status] }
}

/**
 * A tenant's status as people read it; a pending one with a failed step is not simply being set up.
 */
export function tenantMeta(status: TenantStatus, steps?: ProvisioningStatus): StatusMeta {
  if (status !== 'pending' || !steps || !Object.values(steps).includes('error'))
    return tenantStatusMeta(status)
  return { label: t('tenantStatuses.incomplete'), tone: 'warning' }
}

const outcomeTones: Readonly<Record<AuditOutcome, Tone>> = {
  success: 'good',
  failure: 'bad',
  denied: 'warning',
}

export function outcomeMeta(outcome: AuditOutcome): StatusMeta {
  return { label: t(`outcomes.${outcome}`), tone: outcomeTones[outcome] }
}

const healthTones: Readonly<Record<TenantHealth['band'], Tone>> = {
  healthy: 'good',
  watch: 'warning',
  at_risk: 'bad',
  new: 'neutral',
  inactive: 'neutral',
  unknown: 'neutral',
}

export function healthMeta(band: TenantHealth['band']): StatusMeta {
  return { label: t(`health.${band}`), tone: healthTones[band] }
}

/** A step as people read it: `pending` is "working" only while a run is under way. */
export function stepMeta(state: StepState, running: boolean): StatusMeta {
  switch (state) {
    case 'ok':
      return { label: t('steps.ok'), tone: 'good' }
    case 'skipped':
      return { label: t('steps.skipped'), tone: 'neutral' }
    case 'error':
      return { label: t('steps.error'), tone: 'bad' }
    case 'pending':
      return running
        ? { label: t('steps.working'), tone: 'working' }
        : { label: t('steps.waiting'), tone: 'waiting' }
  }
}
