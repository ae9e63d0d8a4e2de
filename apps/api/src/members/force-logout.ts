import { AppError } from '@atrium/core/errors'
import type { ForcedLogout } from '@atrium/core/members'
import { releaseMember } from '@atrium/db/member-work'
import { deleteWebSessionsOfSubject } from '@atrium/db/web-sessions'
import type { Context } from '../context.ts'
import type { Access } from '../guards.ts'
import { orUpstreamFailed, requireIdentity } from '../users/identity.ts'
import { beginAct, isSelf, recordMember, refuseUnmanaged } from './act.ts'
import { readMember } from './list.ts'
import { toMemberView } from './view.ts'

/** How long ending sessions may take. */
export const sessionsDeadlineMs = 15_000

/**
 * Ends the member's sessions and refresh tokens at the identity provider and the portal's own sessions, nobody else's. Throws AppError
 * `self_force_logout`, `identity_not_managed`, `upstream_failed`.
 */
export async function forceLogout(ctx: Context, access: Access, userId: string): Promise<ForcedLogout> {
  const { house } = ctx
  const identity = requireIdentity(house)
  const { tenant, member, work } = await beginAct(ctx, access, userId, (facts) => {
    if (isSelf(facts)) throw new AppError('self_force_logout')
    refuseUnmanaged(facts)
  })
  const { user } = work
  const entry = { action: 'member.sessions_ended', member } as const
  try {
    const signal = AbortSignal.timeout(sessionsDeadlineMs)
    const ended = await orUpstreamFailed(async () => {
      const key = user.idpUserId ?? (await identity.findUserBySubject({ subject: user.subject, email: user.email }, { signal }))?.id
      return key === undefined ? { sessions: 0 } : identity.endSessions({ userId: key, username: user.email }, { signal })
    })
    await deleteWebSessionsOfSubject(house.database.db, user.subject)
    await recordMember(ctx, access, tenant, { ...entry, metadata: { sessions: ended.sessions } })
    return { member: toMemberView(await readMember(house, access, userId), access), sessionsEnded: ended.sessions }
  } catch (error) {
    if (error instanceof AppError && error.code === 'upstream_failed') {
      await recordMember(ctx, access, tenant, { ...entry, outcome: 'failure', metadata: { error: error.message } })
    }
    throw error
  } finally {
    await releaseMember(house.database.db, work)
  }
}
