import type { SsoAppState } from '@atrium/core/sso/sso'
import { translations } from '@atrium/ui/messages'
import type { StatusMeta, Tone } from '@atrium/ui/tones'

const t = translations('portal.sso')

const tones: Readonly<Record<SsoAppState, Tone>> = {
  active: 'good',
  missing: 'bad',
  unknown: 'neutral',
  pending: 'working',
  removing: 'working',
}

/** A state as people read it, with what to do about one that is not simply good. */
export function appState(state: SsoAppState): StatusMeta & { advice?: string } {
  const meta = { label: t(`states.${state}.label`), tone: tones[state] }
  return state === 'active' ? meta : { ...meta, advice: t(`states.${state}.advice`) }
}
