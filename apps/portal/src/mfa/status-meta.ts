import { ownValue } from '@atrium/core/platform/own-value'
import type { FactorCounts, MemberMfa, MfaState, MfaStatus } from '@atrium/core/upstream-cache/mfa'
import type { StatusMeta } from '@atrium/ui/tones'

export const mfaMeta: Readonly<Record<MfaState, StatusMeta>> = {
  enrolled: { label: 'Has one', tone: 'good' },
  not_enrolled: { label: 'Has none', tone: 'warning' },
  unknown: { label: 'Unknown', tone: 'neutral' },
}

const kinds: Readonly<Record<string, readonly [one: string, several: string]>> = {
  totp: ['authenticator app', 'authenticator apps'],
  webauthn: ['passkey or security key', 'passkeys or security keys'],
  sms: ['phone number', 'phone numbers'],
  email: ['e-mail code', 'e-mail codes'],
  duo: ['Duo device', 'Duo devices'],
  endpoint: ['managed device', 'managed devices'],
  static: ['set of recovery codes', 'sets of recovery codes'],
}

/**
 * "2 passkeys or security keys, 1 authenticator app"; a kind that is new to us keeps the provider's
 * own name.
 */
export function factorsText(factors: FactorCounts): string {
  const parts = Object.entries(factors).map(
    ([kind, count]) => `${count} ${ownValue(kinds, kind)?.[count === 1 ? 0 : 1] ?? kind}`,
  )
  return parts.length > 0 ? parts.join(', ') : 'none'
}

/** What the table says of a person's factors. Not known is said as such and never as none. */
export function factorsCell({
  factors,
  reason,
  checkedAt,
}: Pick<MemberMfa, 'factors' | 'reason' | 'checkedAt'>): string {
  if (factors) return factorsText(factors)
  return reason ?? (checkedAt === null ? 'Not read yet' : 'Could not be read')
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
  const percent = (count: number) => (members === 0 ? 0 : (count / members) * 100)
  return [
    {
      state: 'enrolled',
      label: 'Have a second factor',
      count: enrolled,
      percent: percent(enrolled),
    },
    {
      state: 'not_enrolled',
      label: 'Have none',
      count: notEnrolled,
      percent: percent(notEnrolled),
    },
    { state: 'unknown', label: 'Unknown', count: unknown, percent: percent(unknown) },
  ]
}

/**
 * The share that stands in the middle of the chart: of those who are known, because the others may
 * be either.
 */
export function knownShare({ enrolled, notEnrolled }: MfaStatus['summary']): string {
  const known = enrolled + notEnrolled
  return known === 0 ? '–' : `${Math.floor((enrolled / known) * 100)} %`
}
