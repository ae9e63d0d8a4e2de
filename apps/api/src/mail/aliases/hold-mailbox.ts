import { setTimeout as wait } from 'node:timers/promises'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { claimMember, type MemberWork, releaseMember } from '@atrium/db/members/member-work'
import { findMember } from '@atrium/db/members/members'
import type { Services } from '../../rpc/services.ts'

const pollIntervalMs = 100

/**
 * Runs one change of a member's mailbox exclusively, under the lease of all actions on the member:
 * the mail server renumbers aliases with each change, so two writers would remove each other's.
 * Waits for another change to end. Throws AppError `member_busy` when it does not end within
 * `waitMs`, `not_found` when the member is gone.
 */
export async function holdingMailbox<Result>(
  services: Services,
  { tenantId, userId, waitMs = 5_000 }: { tenantId: string; userId: string; waitMs?: number },
  change: (work: MemberWork) => Promise<Result>,
): Promise<Result> {
  const { db } = services.database
  const giveUpAt = performance.now() + waitMs
  let work = await claimMember(db, tenantId, userId)
  while (!work) {
    if (!(await findMember(db, tenantId, userId)))
      throw new AppError('not_found', errorText('memberGone'))
    if (performance.now() >= giveUpAt) throw new AppError('member_busy')
    await wait(pollIntervalMs)
    work = await claimMember(db, tenantId, userId)
  }
  services.memberLeases.kept(work)
  try {
    return await change(work)
  } finally {
    await releaseMember(db, work)
  }
}
