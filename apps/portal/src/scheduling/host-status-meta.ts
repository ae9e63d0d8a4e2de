import type { HostView } from '@atrium/core/scheduling/hosts'
import type { StatusMeta } from '@atrium/ui/tones'

/** How it stands with the host's mailbox. */
export function calendarMeta({ credential }: Pick<HostView, 'credential'>): StatusMeta {
  if (!credential.present) return { label: 'Not connected', tone: 'warning' }
  if (credential.ok === false) return { label: 'Needs attention', tone: 'bad' }
  return { label: 'Connected', tone: 'good' }
}

/** Why nobody can book the host at this moment; undefined when nothing stands against it. */
export function hindrance({ enabled, memberStatus, credential }: HostView): string | undefined {
  if (memberStatus === 'suspended') return 'The member is suspended.'
  if (memberStatus === 'deactivated') return 'The account of the person is deactivated.'
  if (memberStatus === 'removed') return 'The person is no longer a member.'
  if (!enabled) return 'The host is switched off.'
  if (!credential.present) return 'The mailbox is not connected, so no time can be offered.'
  return credential.ok === false
    ? 'The mail server no longer accepts the credential, so no time can be offered.'
    : undefined
}
