import type { WebhookEndpointView } from '@atrium/core/webhook-endpoints/webhook-endpoints'
import { translations } from '../messages.ts'
import { StatusBadge } from '../status-badge.tsx'

const t = translations('ui.webhook-endpoints')

/** Whether events are delivered to the endpoint. */
export function EndpointState({
  disabledReason,
  failingSince,
}: Pick<WebhookEndpointView, 'disabledReason' | 'failingSince'>) {
  if (disabledReason !== null)
    return (
      <StatusBadge
        label={t(`disabled.${disabledReason}`)}
        tone={disabledReason === 'failing' ? 'bad' : 'neutral'}
      />
    )
  return failingSince === null ? (
    <StatusBadge label={t('states.on')} tone="good" />
  ) : (
    <StatusBadge label={t('states.failing')} tone="warning" />
  )
}
