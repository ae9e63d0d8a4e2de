import type { MemberView } from '@atrium/core/members/members'
import type { StepState, TenantView } from '@atrium/core/tenants/tenants'
import { translations } from '@atrium/ui/messages'
import { type StatusMeta, stepMeta, type Tone } from '@atrium/ui/tones'

const t = translations('portal.members')

/** What a member has in each upstream system, as people read it. */
export const systems = ['identity', 'mail', 'files'] as const
export type System = (typeof systems)[number]

const tones: Readonly<Record<MemberView['status'], Tone>> = {
  provisioning: 'working',
  active: 'good',
  suspended: 'warning',
  removing: 'working',
  deactivated: 'neutral',
}

type Standing = Pick<MemberView, 'status' | 'outcomes'>

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

/** A member's status; a failure in one of the systems comes first, since it needs attention. */
export function memberMeta(member: Standing): StatusMeta {
  const { status } = member
  return failedSystems(member).length === 0
    ? { label: t(`statuses.${status}`), tone: tones[status] }
    : { label: t(`failedStatuses.${status}`), tone: 'warning' }
}

/** Whether work for this member is still running, so that the page refreshes itself. */
export function isUnderWay({ status, outcomes }: Standing): boolean {
  return (
    (status === 'provisioning' || status === 'removing') &&
    systems.some((system) => outcomes[system] === 'pending')
  )
}

/** A system's part of a member; what was skipped is something that the person does not have. */
export function stepOutcomeMeta(state: StepState, underWay: boolean): StatusMeta {
  return state === 'skipped'
    ? { label: t('systemActions.none'), tone: 'neutral' }
    : stepMeta(state, underWay)
}
