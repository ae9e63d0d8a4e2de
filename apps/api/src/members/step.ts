import type { MemberWork } from '@atrium/db/members/member-work'
import type { Services } from '../rpc/services.ts'
import type { OneTimePassword } from './one-time-password.ts'

export interface StepCall {
  services: Services
  work: MemberWork
  /** Absent where no one could see it, as in a job. */
  password?: OneTimePassword | undefined
  /**
   * The record was made by the same request: no earlier try has left anything in an upstream
   * system.
   */
  fresh?: boolean | undefined
  /** Identity and mailbox get `password` also where they exist, so that both have the same one. */
  renewsPassword?: boolean | undefined
  signal: AbortSignal
}

/**
 * Brings one upstream system to what the record says. Get-or-create by what is on record: a second
 * run changes nothing that is right.
 */
export type Step = (call: StepCall) => Promise<'ok' | 'skipped'>

/**
 * The target state of the systems. A deactivated person is disabled like a suspended member until
 * reactivated, and so is everyone while the tenant is suspended. Members whose work was unfinished
 * when the tenant became inactive wait for its resume.
 */
export function standingOf(work: MemberWork): 'removing' | 'shut' | 'open' {
  const { status, tenant } = work
  if (status === 'removing') return 'removing'
  const atRest =
    tenant.access === 'shut' || (tenant.access === 'read_only' && status === 'provisioning')
  return isShutAlone(work) || atRest ? 'shut' : 'open'
}

/** The member was suspended, or the person deactivated; whatever the tenant may. */
export function isShutAlone({ status, user }: MemberWork): boolean {
  return status === 'suspended' || user.deactivated
}

/**
 * True when the identity ends with this membership: the tenant created it and no one else needs it.
 */
export function endsWithMembership({ managed, neededElsewhere }: MemberWork): boolean {
  return managed && !neededElsewhere
}
