import { AppError } from '@atrium/core/platform/errors'
import {
  allKinds,
  claimIdentitySyncTasks,
  completeIdentitySyncTask,
  type IdentitySyncTask,
  postponeIdentitySyncTask,
} from '@atrium/db/users/identity-sync-tasks'
import {
  findUserOrClosed,
  setPlatformAdmin,
  settlePlatformAdmin,
  type UserRow,
} from '@atrium/db/users/users'
import type { IdentityProvider } from '@atrium/integrations/identity/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import { retryDelaySeconds } from '../platform/retry-delay.ts'
import type { Services } from '../rpc/services.ts'
import { followEverywhere } from './deactivate.ts'
import { reopenIdentity } from './end-sessions.ts'
import { followProfile } from './follow-profile.ts'
import { idpUserIdOf, joinGroup } from './identity.ts'

/** Those that are taken at a time, and worked on side by side. */
const atOnce = 5
/** No more are taken after this: the sweep that does it has a minute. */
const mostMs = 40_000
const rights = { everywhere: true, administrators: true, staff: true, reopen: true } as const
const firstRetrySeconds = 60

/**
 * Syncs pending changes of people to the identity provider: those that failed, or whose process
 * died. Sends names and contact data, and revocations. Activates only an identity that was
 * deactivated for a moment (`endSessionsAndTokens`), and grants only what an accepted invitation of
 * an operator gave. Failures are retried.
 */
export async function followIdentities(services: Services): Promise<void> {
  const { identity } = services.systems
  if (!identity) return
  const endAt = performance.now() + mostMs
  while (performance.now() < endAt) {
    const tasks = await claimIdentitySyncTasks(services.database.db, atOnce)
    if (tasks.length === 0) return
    await Promise.all(tasks.map((due) => followIdentity(services, identity, due)))
  }
}

async function followIdentity(
  services: Services,
  identity: IdentityProvider,
  due: IdentitySyncTask,
): Promise<void> {
  const { db } = services.database
  try {
    const user = await findUserOrClosed(db, due.userId)
    const open = user?.removedAt === null
    if (user && open && due.everywhere) await followEverywhere(services, user.id)
    if (user) await deprovision(services, identity, user)
    if (user && open && due.reopen) await reopen(services, identity, user)
    if (open && (due.profile || due.address)) await followProfile(services, identity, due.userId)
    await completeIdentitySyncTask(db, due.userId, due.mark, open ? rights : allKinds)
  } catch (err) {
    if (!(err instanceof UpstreamError || err instanceof AppError)) throw err
    services.log.warn({ err, userId: due.userId }, 'failed to sync user to the identity provider')
    await postponeIdentitySyncTask(
      db,
      due,
      retryDelaySeconds(due.attempts, firstRetrySeconds),
      err.message,
    )
  }
}

/**
 * Removes a person whose record ends from the groups that grant permissions. A failing provider
 * does not block the end here: the task stays due, and the record with it.
 */
export async function leaveGroups(services: Services, user: UserRow, mark: string): Promise<void> {
  const { identity } = services.systems
  const { platformAdmins, partnerStaff } = services.config.groups
  try {
    const userId = identity ? await idpUserIdOf(services, user) : undefined
    if (identity && userId !== undefined)
      for (const group of [platformAdmins, partnerStaff]) await leave(identity, group, userId)
    await completeIdentitySyncTask(services.database.db, user.id, mark, {
      administrators: true,
      staff: true,
    })
  } catch (err) {
    if (!(err instanceof UpstreamError)) throw err
    services.log.warn(
      { err, userId: user.id },
      'failed to remove a removed user from identity groups',
    )
  }
}

/**
 * Adds a new administrator to the provider's group, and revokes whatever the record does not grant:
 * the active account, the group of administrators, the one of partner staff. The account of a
 * person whose record is closed belongs to a tenant, which has it deleted, or to no one here.
 */
async function deprovision(
  services: Services,
  identity: IdentityProvider,
  user: UserRow,
): Promise<void> {
  const { platformAdmins, partnerStaff } = services.config.groups
  const unsettled = Number(user.platformAdminChangedAt) === Number.POSITIVE_INFINITY
  const granted = unsettled && user.platformAdmin && user.deactivatedAt === null
  const withdrawn = unsettled && !user.platformAdmin
  const userId = await idpUserIdOf(services, user)
  if (userId !== undefined) {
    if (user.deactivatedAt !== null && user.removedAt === null) {
      await identity.setActive({ userId, active: false })
      await identity.endSessions({ userId, username: user.email })
    }
    if (granted) await joinGroup(identity, platformAdmins, userId)
    if (withdrawn) await leave(identity, platformAdmins, userId)
    if (user.partnerId === null) await leave(identity, partnerStaff, userId)
  }
  if (withdrawn) await setPlatformAdmin(services.database.db, user.id, false, 'now')
  if (granted && userId !== undefined) await settlePlatformAdmin(services.database.db, user.id)
}

async function reopen(
  services: Services,
  identity: IdentityProvider,
  user: UserRow,
): Promise<void> {
  const idpUserId = await idpUserIdOf(services, user)
  if (idpUserId !== undefined) await reopenIdentity(services, identity, { id: user.id, idpUserId })
}

async function leave(identity: IdentityProvider, name: string, userId: string): Promise<void> {
  const group = await identity.findGroup(name)
  if (group) await identity.removeFromGroup({ groupId: group.id, userId })
}
