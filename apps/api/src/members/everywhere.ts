import { setTimeout as wait } from 'node:timers/promises'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { claimMember, isMemberHeld, type MemberWork } from '@atrium/db/members/member-work'
import { findMember, lockMember, type MemberRow } from '@atrium/db/members/members'
import type { Trx } from '@atrium/db/platform/connect'
import { lockTenantById, tenantsOfUser } from '@atrium/db/tenants/tenants'
import type { Services } from '../rpc/services.ts'
import { tenantTransaction } from '../rpc/tenant-transaction.ts'
import { longestWaitMs, outcomeOf, pollIntervalMs } from './change-member.ts'
import { runMember } from './run.ts'

/** What became of one membership of a person. */
export interface Elsewhere {
  tenant: string
  /** False while an upstream system is behind; the job engine goes on. */
  complete: boolean
}

/**
 * Applies the same change to every membership of a person, whatever the tenants' states: `change`
 * writes, then the upstream systems follow. Throws AppError `member_busy` when another action holds
 * one of them; changes made by then remain, and a repetition continues.
 */
export async function changeEveryMembership(
  services: Services,
  userId: string,
  change: (trx: Trx, tenantId: string, member: MemberRow) => Promise<void>,
): Promise<Elsewhere[]> {
  const { db } = services.database
  const done: Elsewhere[] = []
  for (const { id, slug } of await tenantsOfUser(db, userId)) {
    const work = await begin(services, id, userId, change)
    if (!work) continue
    await runMember(services, work)
    const left = await findMember(db, id, userId)
    done.push({ tenant: slug, complete: !left || outcomeOf(left) === 'success' })
  }
  return done
}

/** Undefined when the membership ended meanwhile. */
async function begin(
  services: Services,
  tenantId: string,
  userId: string,
  change: (trx: Trx, tenantId: string, member: MemberRow) => Promise<void>,
): Promise<MemberWork | undefined> {
  const giveUpAt = performance.now() + longestWaitMs
  for (;;) {
    const started = await tenantTransaction(services, tenantId, async (trx) => {
      await lockTenantById(trx, tenantId)
      const member = await lockMember(trx, tenantId, userId)
      if (!member) return 'gone'
      if (await isMemberHeld(trx, tenantId, userId)) return undefined
      await change(trx, tenantId, member)
      return claimMember(trx, tenantId, userId)
    })
    if (started === 'gone') return undefined
    if (started) return services.memberLeases.kept(started)
    if (performance.now() > giveUpAt) throw new AppError('member_busy', errorText('personBusy'))
    await wait(pollIntervalMs)
  }
}
