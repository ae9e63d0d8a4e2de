import type { MailState } from '@atrium/core/mail-states'
import type { Look } from '@atrium/ui/tones'

export const mailLooks: Readonly<Record<MailState, Look>> = {
  queued: { label: 'Waiting', tone: 'waiting' },
  sending: { label: 'Being sent', tone: 'working' },
  sent: { label: 'Sent', tone: 'good' },
  failed: { label: 'Failed, will retry', tone: 'warning' },
  gave_up: { label: 'Given up', tone: 'bad' },
}
