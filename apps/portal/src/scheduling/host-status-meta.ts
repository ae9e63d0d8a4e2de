import type { HostView } from '@atrium/core/scheduling/hosts'
import { translations } from '@atrium/ui/messages'
import type { StatusMeta } from '@atrium/ui/tones'

const t = translations('portal.scheduling-hosts')

/** State of the host's mailbox. */
export function calendarMeta({ credential }: Pick<HostView, 'credential'>): StatusMeta {
  if (!credential.present) return { label: t('calendarStates.notConnected'), tone: 'warning' }
  if (credential.ok === false) return { label: t('calendarStates.attention'), tone: 'bad' }
  return { label: t('calendarStates.connected'), tone: 'good' }
}

/** Why the host cannot be booked now; undefined when nothing prevents it. */
export function hindrance({ enabled, memberStatus, credential }: HostView): string | undefined {
  if (memberStatus === 'suspended') return t('hindrances.suspended')
  if (memberStatus === 'deactivated') return t('hindrances.deactivated')
  if (memberStatus === 'removed') return t('hindrances.removed')
  if (!enabled) return t('hindrances.off')
  if (!credential.present) return t('hindrances.notConnected')
  return credential.ok === false ? t('hindrances.rejected') : undefined
}
