import { translations } from '@atrium/ui/messages'
import { problemOf } from '@atrium/ui/problem'

const t = translations('portal.layout')

const codes = [
  'provisioning_in_progress',
  'tenant_suspended',
  'tenant_deleted',
  'already_deleted',
  'not_admin',
  'not_owner',
  'seats_exhausted',
  'member_busy',
  'not_member',
] as const

/**
 * A sentence for a failure that the portal knows more about than the server says; undefined leaves
 * the server's own.
 */
export function explain(error: unknown): string | undefined {
  const { code } = problemOf(error)
  const known = codes.find((each) => each === code)
  return known && t(`problems.${known}`)
}

/** True when the workplace is not there for this person: unknown, deleted, or none of theirs. */
export function isMissing(error: unknown): boolean {
  return problemOf(error).code === 'not_found'
}

const shutOutCodes = [
  'mfa_required',
  'sign_in_too_old',
  'network_not_allowed',
  'country_not_allowed',
] as const
export type ShutOutCode = (typeof shutOutCodes)[number]

/** Why a workplace's security policy shuts the person out; undefined for any other failure. */
export function shutOutCode(error: unknown): ShutOutCode | undefined {
  if (!error) return undefined
  const { code } = problemOf(error)
  return shutOutCodes.find((each) => each === code)
}
