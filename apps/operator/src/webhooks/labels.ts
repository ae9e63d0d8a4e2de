import type { WebhookState } from '@atrium/core/billing/webhooks'
import type { StatusMeta } from '@atrium/ui/tones'

export const webhookMeta: Readonly<Record<WebhookState, StatusMeta>> = {
  received: { label: 'Waiting', tone: 'waiting' },
  applied: { label: 'Applied', tone: 'good' },
  skipped: { label: 'No effect', tone: 'neutral' },
  stale: { label: 'Superseded', tone: 'neutral' },
  ignored_mode: { label: 'Of the other mode', tone: 'neutral' },
  failed: { label: 'Failed, tried again', tone: 'warning' },
  parked: { label: 'Parked', tone: 'bad' },
}
