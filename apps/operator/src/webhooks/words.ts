import type { WebhookState } from '@atrium/core/webhooks'
import type { Look } from '@atrium/ui/tones'

export const webhookLooks: Readonly<Record<WebhookState, Look>> = {
  received: { label: 'Waiting', tone: 'waiting' },
  applied: { label: 'Applied', tone: 'good' },
  skipped: { label: 'No effect', tone: 'neutral' },
  stale: { label: 'Older than what stands', tone: 'neutral' },
  ignored_mode: { label: 'Of the other mode', tone: 'neutral' },
  failed: { label: 'Failed, tried again', tone: 'warning' },
  parked: { label: 'Parked', tone: 'bad' },
}
