import type { MemberView } from '@atrium/core/members/members'
import { translations } from '@atrium/ui/messages'

const t = translations('portal.members')

/**
 * Why the role of a member cannot be changed, in a sentence; undefined when it can. The API holds
 * the same rules.
 */
export function roleLock(
  member: Pick<MemberView, 'role' | 'bootstrapAdmin'>,
  own: boolean,
): string | undefined {
  if (member.role === 'owner') return t('roles.lock.owner')
  if (member.bootstrapAdmin) return t('roles.lock.bootstrapAdmin')
  if (own) return t('roles.lock.own')
  return undefined
}
