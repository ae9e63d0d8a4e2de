import type { ForcedLogout } from '@atrium/core/members/members'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { releaseMember } from '@atrium/db/members/member-work'
import { deleteWebSessionsOfSubject } from '@atrium/db/users/web-sessions'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import { evenSuspended } from '../rpc/open-tenant.ts'
import { endSessionsAndTokens } from '../users/end-sessions.ts'
import { orUpstreamFailed, requireIdentity } from '../users/identity.ts'
import {
  beginMemberChange,
  isSelf,
  type MemberChange,
  memberEntry,
  recordUpstreamFailure,
  rejectUnmanaged,
} from './change-member.ts'
import { readMember } from './list.ts'
import { tellOfEndedSessions } from './mails.ts'
import { toMemberView } from './view.ts'

/** What follows when the identity provider fails midway. How long tokens live is set there. */
export const sessionsMayContinue = errorText('sessionsMayContinue')

/** How long ending sessions may take. */
export const sessionsDeadlineMs = 15_000

/**
 * Ends only this member's sessions and tokens at the identity provider and the portals' own
 * sessions. The portals' end even when the provider fails. Throws AppError `self_force_logout`,
 * `identity_not_managed`, `upstream_failed`.
 */
export async function forceLogout(
  ctx: Context,
  access: Access,
  userId: string,
): Promise<ForcedLogout> {
  const { services } = ctx
  const identity = requireIdentity(services)
  const decide = (facts: MemberChange) => {
    if (isSelf(facts)) throw new AppError('self_force_logout')
    rejectUnmanaged(facts)
  }
  const { tenant, member, work } = await beginMemberChange(
    ctx,
    access,
    userId,
    decide,
    evenSuspended,
  )
  const { user } = work
  const entry = { action: 'member.sessions_ended', member } as const
  try {
    const signal = AbortSignal.timeout(sessionsDeadlineMs)
    await deleteWebSessionsOfSubject(services.database.db, user.subject)
    const sessions = await orUpstreamFailed(async () => {
      const idpUserId =
        user.idpUserId ??
        (await identity.findUserBySubject({ subject: user.subject, email: user.email }, { signal }))
          ?.id
      if (idpUserId === undefined) return 0
      return endSessionsAndTokens(
        services,
        identity,
        { id: user.id, email: user.email, idpUserId },
        signal,
      )
    }, sessionsMayContinue)
    const ended = memberEntry(tenant, { ...entry, metadata: { sessions } })
    await services.database.db.transaction().execute(async (trx) => {
      // Those that were opened meanwhile by a session that has ended now.
      await deleteWebSessionsOfSubject(trx, user.subject)
      await services.audit.record(ctx, access.caller, ended, trx)
    })
    await tellOfEndedSessions(services, work, access.caller.name ?? access.caller.email ?? '')
    return {
      member: toMemberView(await readMember(services, access, userId), access),
      sessionsEnded: sessions,
    }
  } catch (error) {
    await recordUpstreamFailure(ctx, access, tenant, entry, error)
    throw error
  } finally {
    await releaseMember(services.database.db, work)
  }
}
