import { translations } from '@atrium/ui/messages'
import type { StatusMeta, Tone } from '@atrium/ui/tones'

const t = translations('portal.scheduling-event-types')

const tones: Readonly<Record<'off' | 'unlisted', Tone>> = { off: 'neutral', unlisted: 'waiting' }

/** A state of an event type that visitors would notice. */
export function stateMeta(state: 'off' | 'unlisted'): StatusMeta {
  return { label: t(`states.${state}`), tone: tones[state] }
}
