import type { AuditEvent } from '@atrium/core/audit/audit'
import { translations } from './messages.ts'

const t = translations('ui.audit')

/** "on behalf of acme" for an act for a customer; undefined for all others. */
export function onBehalfText({ metadata }: Pick<AuditEvent, 'metadata'>): string | undefined {
  const { onBehalfOf } = metadata
  return typeof onBehalfOf === 'string' ? t('entry.onBehalf', { tenant: onBehalfOf }) : undefined
}
