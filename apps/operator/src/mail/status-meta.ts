import type { MailState } from '@atrium/core/mail/mail-states'
import { translations } from '@atrium/ui/messages'
import type { StatusMeta, Tone } from '@atrium/ui/tones'

const t = translations('operator.mail')

const tones: Readonly<Record<MailState, Tone>> = {
  queued: 'waiting',
  sending: 'working',
  sent: 'good',
  failed: 'warning',
  gave_up: 'bad',
}

export function mailMeta(state: MailState): StatusMeta {
  return { label: t(`states.${state}`), tone: tones[state] }
}
