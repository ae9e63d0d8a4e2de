import type { MemberView } from '@atrium/core/members/members'

/**
 * Why the role of a member cannot be changed, in a sentence; undefined when it can. The API holds
 * the same rules.
 */
export function roleLock(
  member: Pick<MemberView, 'role' | 'bootstrapAdmin'>,
  own: boolean,
): string | undefined {
  if (member.role === 'owner') return 'The role of the owner changes only with the ownership.'
  if (member.bootstrapAdmin)
    return 'The first admin has no mailbox and keeps the role, so that there is always a way in.'
  if (own) return 'Your own role is changed by another admin.'
  return undefined
}
