import type { WebhookState } from '@atrium/core/billing/webhooks'
import { translations } from '@atrium/ui/messages'
import type { StatusMeta, Tone } from '@atrium/ui/tones'

const t = translations('operator.webhooks')

const tones: Readonly<Record<WebhookState, Tone>> = {
  received: 'waiting',
  applied: 'good',
  skipped: 'neutral',
  stale: 'neutral',
  ignored_mode: 'neutral',
  failed: 'warning',
  parked: 'bad',
}

export function webhookMeta(state: WebhookState): StatusMeta {
  return { label: t(`states.${state}`), tone: tones[state] }
}
