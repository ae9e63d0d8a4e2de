import type { MailState } from '@atrium/core/mail/mail-states'
import type { StatusMeta } from '@atrium/ui/tones'

export const mailMeta: Readonly<Record<MailState, StatusMeta>> = {
  queued: { label: 'Waiting', tone: 'waiting' },
  sending: { label: 'Being sent', tone: 'working' },
  sent: { label: 'Sent', tone: 'good' },
  failed: { label: 'Failed, will retry', tone: 'warning' },
  gave_up: { label: 'Given up', tone: 'bad' },
}
