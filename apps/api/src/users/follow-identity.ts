import { AppError } from '@atrium/core/errors'
import { claimIdentityDues, type IdentityDue, postponeIdentityDue, settleIdentityDue } from '@atrium/db/identity-dues'
import { findUser, setPlatformAdmin, type UserRow } from '@atrium/db/users'
import type { IdentityProvider } from '@atrium/integrations/identity/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import type { House } from '../house.ts'
import { retryDelaySeconds } from '../retry-delay.ts'
import { followEverywhere } from './deactivate.ts'
import { idpUserIdOf } from './identity.ts'

const atOnce = 20
const firstRetrySeconds = 60

/**
 * Brings the identity provider to what stands here of people whose change it has not followed: because it failed, or because the process
 * that changed them died. The provider is told what takes something away alone: nobody is let in or given a right there by this. What
 * fails is tried again.
 */
export async function followIdentities(house: House): Promise<void> {
  const { identity } = house.systems
  if (!identity) return
  for (const due of await claimIdentityDues(house.database.db, atOnce)) await followIdentity(house, identity, due)
}

async function followIdentity(house: House, identity: IdentityProvider, due: IdentityDue): Promise<void> {
  const { db } = house.database
  try {
    const user = await findUser(db, due.userId)
    if (user && due.everywhere) await followEverywhere(house, user.id)
    if (user) await takeAway(house, identity, user)
    await settleIdentityDue(db, due.userId, due.mark)
  } catch (err) {
    if (!(err instanceof UpstreamError || err instanceof AppError)) throw err
    house.log.warn({ err, userId: due.userId }, 'the identity provider has not followed the change of a person')
    await postponeIdentityDue(db, due, retryDelaySeconds(due.attempts, firstRetrySeconds), err.message)
  }
}

/** Whatever the record does not give: the open account, the group of the administrators, the one of partner staff. */
async function takeAway(house: House, identity: IdentityProvider, user: UserRow): Promise<void> {
  const { platformAdmins, partnerStaff } = house.config.groups
  const withdrawn = !user.platformAdmin && Number(user.platformAdminChangedAt) === Number.POSITIVE_INFINITY
  const userId = await idpUserIdOf(house, user)
  if (userId !== undefined) {
    if (user.deactivatedAt !== null) {
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
