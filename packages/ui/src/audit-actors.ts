import type { AuditEvent } from '@atrium/core/audit/audit'
import { translations } from './messages.ts'

const t = translations('ui.audit')

/** "on behalf of acme" for an act for a customer; undefined for all others. */
export function onBehalfText({ metadata }: Pick<AuditEvent, 'metadata'>): string | undefined {
  const { onBehalfOf } = metadata
  return typeof onBehalfOf === 'string' ? t('entry.onBehalf', { tenant: onBehalfOf }) : undefined
}

/** Who acted: the address where a person is named, the name of a program's service token. */
export function whoOf({ actorEmail, actorType, metadata }: AuditEvent): string {
  if (actorType === 'service' && typeof metadata.service === 'string') return metadata.service
  return actorEmail ?? t(`actors.${actorType}`)
}
