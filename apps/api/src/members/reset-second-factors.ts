import type { ResetSecondFactors } from '@atrium/core/members/members'
import { AppError } from '@atrium/core/platform/errors'
import { releaseMember } from '@atrium/db/members/member-work'
import { saveCacheEntries } from '@atrium/db/upstream-cache/upstream-cache'
import type { Context } from '../rpc/context.ts'
import type { Access } from '../rpc/guards.ts'
import { evenSuspended } from '../rpc/open-tenant.ts'
import { orUpstreamFailed, requireIdentity } from '../users/identity.ts'
import {
  beginMemberChange,
  isSelf,
  type MemberChange,
  memberEntry,
  recordUpstreamFailure,
  rejectOwnerLocked,
} from './change-member.ts'
import { readMember } from './list.ts'
import { tellOfSecondFactorReset } from './mails.ts'
import { toMemberView } from './view.ts'

/**
 * Removes every second factor of a member who lost theirs, with the recovery codes, and tells the
 * member by mail. Only for people whose sign-in this tenant manages, whoever calls: never for
 * platform administrators, partner staff and people whose home is elsewhere, nor for oneself. What
 * was removed before the provider failed stays removed. Throws AppError `self_second_factors`,
 * `owner_locked`, `identity_not_managed`, `member_not_active`, `rate_limited`, `upstream_failed`.
 */
export async function resetSecondFactors(
  ctx: Context,
  access: Access,
  userId: string,
): Promise<ResetSecondFactors> {
  const { services } = ctx
  const identity = requireIdentity(services)
  const decide = (facts: MemberChange) => {
    if (isSelf(facts)) throw new AppError('self_second_factors')
    if (!facts.member.managed) throw new AppError('identity_not_managed')
    rejectOwnerLocked(facts)
  }
  const change = await beginMemberChange(ctx, access, userId, decide, evenSuspended)
  const { tenant, member, work } = change
  const { db } = services.database
  const entry = { action: 'member.second_factors_reset', member } as const
  try {
    await services.limits.take(ctx.request, [
      { limit: 'second_factor_resets_hour', of: member.id, tenantId: tenant.id },
    ])
    const { removed } = await orUpstreamFailed(async () => {
      const { subject, email, idpUserId } = work.user
      const id = idpUserId ?? (await identity.findUserBySubject({ subject, email }))?.id
      return id === undefined ? { removed: 0 } : identity.removeDevices(id)
    })
    const value = { enrolled: false, factors: {} }
    const reading = { userId: member.id, value }
    const reset = memberEntry(tenant, { ...entry, metadata: { removed } })
    await db.transaction().execute(async (trx) => {
      await saveCacheEntries(trx, 'second_factors', [reading], services.clock.now())
      await services.audit.record(ctx, access.caller, reset, trx)
    })
    const admin = access.caller.name ?? access.caller.email ?? ''
    await db.transaction().execute((trx) => tellOfSecondFactorReset(services, trx, work, admin))
    return { member: toMemberView(await readMember(services, access, userId), access), removed }
  } catch (error) {
    await recordUpstreamFailure(ctx, access, tenant, entry, error)
    throw error
  } finally {
    await releaseMember(db, work)
  }
}
