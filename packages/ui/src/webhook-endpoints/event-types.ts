import type { ServiceTokenKind } from '@atrium/core/service-tokens/scopes'
import { testEventType } from '@atrium/core/webhook-endpoints/webhook-endpoints'
import { actionLabel, actionsOf } from '../audit-actions.ts'
import { translations } from '../messages.ts'

const t = translations('ui.webhook-endpoints')

/** A type of events as the people of an owner read it. */
export function eventLabel(type: string, kind: ServiceTokenKind): string {
  if (type === testEventType) return t('kinds.test')
  return actionLabel(type, kind === 'platform' ? 'tenant' : 'workplace')
}

/** The types of events that endpoints of an owner can get, as choices. */
export const eventChoices = (kind: ServiceTokenKind) =>
  actionsOf[kind].map((value) => ({ value, label: eventLabel(value, kind) }))
