import type { ListState } from '@atrium/core/mail/lists'
import { translations } from '@atrium/ui/messages'
import type { StatusMeta, Tone } from '@atrium/ui/tones'

const t = translations('portal.lists')

const tones: Readonly<Record<ListState, Tone>> = {
  ok: 'good',
  pending: 'working',
  error: 'bad',
  removing: 'working',
}

export function listMeta(state: ListState): StatusMeta {
  return { label: t(`states.${state}`), tone: tones[state] }
}
