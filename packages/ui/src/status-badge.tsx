import type { AuditOutcome } from '@atrium/core/audit/audit'
import type { ProvisioningStatus, TenantHealth, TenantStatus } from '@atrium/core/tenants/tenants'
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleMinus,
  IconCircleX,
  IconLoader2,
  type TablerIcon,
} from '@tabler/icons-react'
import { translations } from './messages.ts'
import classes from './status-badge.module.css'
import { healthMeta, outcomeMeta, type StatusMeta, type Tone, tenantMeta } from './tones.ts'

const t = translations('ui.labels')

const icons: Readonly<Record<Tone, TablerIcon>> = {
  good: IconCircleCheck,
  working: IconLoader2,
  waiting: IconCircleDashed,
  warning: IconAlertTriangle,
  bad: IconCircleX,
  neutral: IconCircleMinus,
}

/** Icon and words of a state. */
export function StatusBadge({ label, tone }: StatusMeta) {
  const Icon = icons[tone]
  return (
    <span className={classes.badge} data-tone={tone}>
      <Icon
        size={14}
        stroke={2}
        aria-hidden
        className={tone === 'working' ? classes.turning : undefined}
      />
      {label}
    </span>
  )
}

/** Only the icon of a state, for places with its label right beside it. */
export function ToneIcon({ tone, size = 22 }: { tone: Tone; size?: number }) {
  const Icon = icons[tone]
  return (
    <span className={classes.icon} data-tone={tone}>
      <Icon
        size={size}
        stroke={1.75}
        aria-hidden
        className={tone === 'working' ? classes.turning : undefined}
      />
    </span>
  )
}

/**
 * Status of a tenant; given its steps, it also distinguishes a setup that has stopped from one that
 * continues.
 */
export function TenantStatusBadge({
  status,
  steps,
}: {
  status: TenantStatus
  steps?: ProvisioningStatus
}) {
  return <StatusBadge {...tenantMeta(status, steps)} />
}

export function OutcomeBadge({ outcome }: { outcome: AuditOutcome }) {
  return <StatusBadge {...outcomeMeta(outcome)} />
}

/** Health in words, with the score where there is one. */
export function HealthBadge({ health }: { health: Pick<TenantHealth, 'band' | 'score'> }) {
  const { label, tone } = healthMeta(health.band)
  return (
    <StatusBadge
      label={
        health.score === null
          ? label
          : t('health.withScore', { health: label, score: health.score })
      }
      tone={tone}
    />
  )
}
