import type { FactorCounts, MemberMfa, MfaState, MfaStatus } from '@atrium/core/upstream-cache/mfa'
import { formatPercent } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import type { StatusMeta, Tone } from '@atrium/ui/tones'

const t = translations('portal.mfa')

const tones: Readonly<Record<MfaState, Tone>> = {
  enrolled: 'good',
  not_enrolled: 'warning',
  unknown: 'neutral',
}

export function mfaMeta(state: MfaState): StatusMeta {
  return { label: t(`states.${state}`), tone: tones[state] }
}

const kinds = ['totp', 'webauthn', 'sms', 'email', 'duo', 'endpoint', 'static'] as const

/**
 * "2 passkeys or security keys, 1 authenticator app"; a kind that is new to us keeps the provider's
 * own name.
 */
export function factorsText(factors: FactorCounts): string {
  const parts = Object.entries(factors).map(([kind, count]) => {
    const known = kinds.find((name) => name === kind)
    return known ? t(`kinds.${known}`, { count }) : `${count} ${kind}`
  })
  return parts.length > 0 ? parts.join(', ') : t('factors.none')
}

/** What the table says of a person's factors. Not known is said as such and never as none. */
export function factorsCell({
  factors,
  reason,
  checkedAt,
}: Pick<MemberMfa, 'factors' | 'reason' | 'checkedAt'>): string {
  if (factors) return factorsText(factors)
  return reason ?? t(checkedAt === null ? 'factors.notRead' : 'factors.failed')
}

export interface Share {
  state: MfaState
  label: string
  count: number
  /** Of all members, 0 to 100. */
  percent: number
}

/** The parts of the whole for the chart, in the order they are drawn. */
export function sharesOf({
  members,
  enrolled,
  notEnrolled,
  unknown,
}: MfaStatus['summary']): Share[] {
  const counts = { enrolled, not_enrolled: notEnrolled, unknown }
  return (['enrolled', 'not_enrolled', 'unknown'] as const).map((state) => ({
    state,
    label: t(`shares.${state}`),
    count: counts[state],
    percent: members === 0 ? 0 : (counts[state] / members) * 100,
  }))
}

/** The share in the middle of the chart: of the known ones, because the others may be either. */
export function knownShare({ enrolled, notEnrolled }: MfaStatus['summary']): string {
  const known = enrolled + notEnrolled
  return known === 0 ? '–' : formatPercent(Math.floor((enrolled / known) * 100))
}
