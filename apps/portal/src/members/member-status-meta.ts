import type { MemberView } from '@atrium/core/members/members'
import type { StepState, TenantView } from '@atrium/core/tenants/tenants'
import { type StatusMeta, stepMeta } from '@atrium/ui/tones'

/** What a member has in each upstream system, as people read it. */
export const systems = ['identity', 'mail', 'files'] as const
export type System = (typeof systems)[number]

export const systemNames: Readonly<Record<System, { name: string; text: string }>> = {
  identity: { name: 'Sign-in', text: 'The account that the person signs in with.' },
  mail: { name: 'Mailbox', text: 'Mail, calendar and contacts.' },
  files: { name: 'Files', text: 'The file account and the shared space.' },
}

export const memberStatusMeta: Readonly<Record<MemberView['status'], StatusMeta>> = {
  provisioning: { label: 'Being set up', tone: 'working' },
  active: { label: 'Active', tone: 'good' },
  suspended: { label: 'Suspended', tone: 'warning' },
  removing: { label: 'Being removed', tone: 'working' },
  deactivated: { label: 'Deactivated', tone: 'neutral' },
}

type Standing = Pick<MemberView, 'status' | 'outcomes' | 'invited'>

/** Systems in which the last work for a member failed. */
export function failedSystems({ outcomes }: Pick<MemberView, 'outcomes'>): System[] {
  return systems.filter((system) => outcomes[system] === 'error')
}

/**
 * Whether the member could have a file account and has none: who created the tenant, or came by its
 * group, was given the membership alone.
 */
export function lacksFiles(
  { status, outcomes }: Standing,
  tenant: Pick<TenantView, 'provisioningStatus'>,
): boolean {
  return (
    status === 'active' && outcomes.files === 'skipped' && tenant.provisioningStatus.files === 'ok'
  )
}

/**
 * A member's status; a failure in one of the systems shows first, since somebody has to look at it.
 */
export function memberMeta(member: Standing): StatusMeta {
  if (member.invited && member.status !== 'removing') return { label: 'Invited', tone: 'working' }
  const failed = failedSystems(member).length
  if (failed === 0) return memberStatusMeta[member.status]
  const label =
    member.status === 'removing'
      ? 'Removal incomplete'
      : member.status === 'provisioning'
        ? 'Setup incomplete'
        : undefined
  return {
    label: label ?? `${memberStatusMeta[member.status].label}, needs attention`,
    tone: 'warning',
  }
}

/** Whether somebody is still at work for this member, so that the page looks again by itself. */
export function isUnderWay({ status, outcomes, invited }: Standing): boolean {
  return (
    !invited &&
    (status === 'provisioning' || status === 'removing') &&
    systems.some((system) => outcomes[system] === 'pending')
  )
}

/** A system's part of a member; what was skipped is something that the person does not have. */
export function stepOutcomeMeta(state: StepState, underWay: boolean): StatusMeta {
  return state === 'skipped' ? { label: 'None', tone: 'neutral' } : stepMeta(state, underWay)
}
