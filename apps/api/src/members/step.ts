import type { MemberWork } from '@atrium/db/member-work'
import type { House } from '../house.ts'
import type { OneTimePassword } from './one-time-password.ts'

export interface StepCall {
  house: House
  work: MemberWork
  /** Absent where nobody could be shown it, as in a job. */
  password?: OneTimePassword | undefined
  signal: AbortSignal
}

/** Brings one outside system to what the record says. Get-or-create by what is on record: a second run changes nothing that is right. */
export type Step = (call: StepCall) => Promise<'ok' | 'skipped'>

/** What the systems are to bring about: somebody deactivated is shut out as a suspended member is, until they are let in again. */
export function standingOf({ status, user }: MemberWork): 'removing' | 'shut' | 'open' {
  if (status === 'removing') return 'removing'
  return status === 'suspended' || user.deactivated ? 'shut' : 'open'
}

/** True when the identity ends with this membership: the tenant made it and nobody else needs it. */
export function endsWithMembership({ managed, neededElsewhere }: MemberWork): boolean {
  return managed && !neededElsewhere
}
