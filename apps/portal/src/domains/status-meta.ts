import type { DomainState, DomainView, Verdict } from '@atrium/core/mail/domains'
import { translations } from '@atrium/ui/messages'
import type { StatusMeta, Tone } from '@atrium/ui/tones'

const t = translations('portal.domains')

const stateTones: Readonly<Record<DomainState, Tone>> = {
  unchecked: 'waiting',
  pending: 'waiting',
  verified: 'good',
  degraded: 'warning',
  failing: 'bad',
  unknown: 'neutral',
}

export function stateMeta(state: DomainState): StatusMeta {
  return { label: t(`states.${state}`), tone: stateTones[state] }
}

const verdictTones: Readonly<Record<Verdict, Tone>> = {
  unchecked: 'waiting',
  ok: 'good',
  missing: 'bad',
  mismatch: 'warning',
  unknown: 'neutral',
}

export function verdictMeta(verdict: Verdict): StatusMeta {
  return { label: t(`verdicts.${verdict}`), tone: verdictTones[verdict] }
}

/** What the state of a domain means and what to do now. */
export function nextStep({
  state,
  managed,
  verified,
}: Pick<DomainView, 'state' | 'managed' | 'verified'>): string {
  if (managed) return t('nextSteps.managed')
  if (state === 'unchecked' || state === 'pending')
    return t(verified ? 'nextSteps.rechecking' : 'nextSteps.publish')
  return t(`nextSteps.${state}`)
}
