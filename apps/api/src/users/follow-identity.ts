import { AppError } from '@atrium/core/errors'
import { allKinds, claimIdentityDues, type IdentityDue, postponeIdentityDue, settleIdentityDue } from '@atrium/db/identity-dues'
import { findUserOrClosed, setPlatformAdmin, type UserRow } from '@atrium/db/users'
import type { IdentityProvider } from '@atrium/integrations/identity/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import type { House } from '../house.ts'
import { retryDelaySeconds } from '../retry-delay.ts'
import { followEverywhere } from './deactivate.ts'
import { followProfile } from './follow-profile.ts'
import { idpUserIdOf } from './identity.ts'

/** Those that are taken at a time, and worked on side by side. */
const atOnce = 5
/** No more are taken after this: the sweep that does it has a minute. */
const mostMs = 40_000
const rights = { everywhere: true, administrators: true, staff: true } as const
const firstRetrySeconds = 60

/**
 * Brings the identity provider to what stands here of people whose change it has not followed: because it failed, or because the process
 * that changed them died. The provider is told names and contact data, and what takes something away: nobody is let in or given a right there
 * by this. What fails is tried again.
 */
export async function followIdentities(house: House): Promise<void> {
  const { identity } = house.systems
  if (!identity) return
  const endAt = performance.now() + mostMs
  while (performance.now() < endAt) {
    const dues = await claimIdentityDues(house.database.db, atOnce)
    if (dues.length === 0) return
    await Promise.all(dues.map((due) => followIdentity(house, identity, due)))
  }
}

async function followIdentity(house: House, identity: IdentityProvider, due: IdentityDue): Promise<void> {
  const { db } = house.database
  try {
    const user = await findUserOrClosed(db, due.userId)
    const open = user?.removedAt === null
    if (user && open && due.everywhere) await followEverywhere(house, user.id)
    if (user) await takeAway(house, identity, user)
    if (open && (due.profile || due.address)) await followProfile(house, identity, due.userId)
    await settleIdentityDue(db, due.userId, due.mark, open ? rights : allKinds)
  } catch (err) {
    if (!(err instanceof UpstreamError || err instanceof AppError)) throw err
    house.log.warn({ err, userId: due.userId }, 'the identity provider has not followed the change of a person')
    await postponeIdentityDue(db, due, retryDelaySeconds(due.attempts, firstRetrySeconds), err.message)
  }
}

/**
 * Takes somebody whose record ends out of the groups that give rights. A provider that fails keeps nothing from ending here: it stays due, and
 * the record with it.
 */
export async function leaveGroups(house: House, user: UserRow, mark: string): Promise<void> {
  const { identity } = house.systems
  const { platformAdmins, partnerStaff } = house.config.groups
  try {
    const userId = identity ? await idpUserIdOf(house, user) : undefined
    if (identity && userId !== undefined) for (const group of [platformAdmins, partnerStaff]) await leave(identity, group, userId)
    await settleIdentityDue(house.database.db, user.id, mark, { administrators: true, staff: true })
  } catch (err) {
    if (!(err instanceof UpstreamError)) throw err
    house.log.warn({ err, userId: user.id }, 'somebody who was removed is still in the groups of the identity provider')
  }
}

/**
 * Whatever the record does not give: the open account, the group of the administrators, the one of partner staff. The account of somebody
 * whose record is closed is a tenant's, which has it deleted, or nobody's here.
 */
async function takeAway(house: House, identity: IdentityProvider, user: UserRow): Promise<void> {
  const { platformAdmins, partnerStaff } = house.config.groups
  const withdrawn = !user.platformAdmin && Number(user.platformAdminChangedAt) === Number.POSITIVE_INFINITY
  const userId = await idpUserIdOf(house, user)
  if (userId !== undefined) {
    if (user.deactivatedAt !== null && user.removedAt === null) {
      await identity.setActive({ userId, active: false })
      await identity.endSessions({ userId, username: user.email })
    }
    if (withdrawn) await leave(identity, platformAdmins, userId)
    if (user.partnerId === null) await leave(identity, partnerStaff, userId)
  }
  if (withdrawn) await setPlatformAdmin(house.database.db, user.id, false, 'now')
}

async function leave(identity: IdentityProvider, name: string, userId: string): Promise<void> {
  const group = await identity.findGroup(name)
  if (group) await identity.removeFromGroup({ groupId: group.id, userId })
}
