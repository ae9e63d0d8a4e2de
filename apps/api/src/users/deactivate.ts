import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { provisioningSteps } from '@atrium/core/tenants/tenants'
import type { DeactivateUser, UserView } from '@atrium/core/users/users'
import { changeMembership } from '@atrium/db/members/members'
import { addIdentitySyncTask, completeIdentitySyncTask } from '@atrium/db/users/identity-sync-tasks'
import { lockPlatformAdmins, setDeactivated, type UserRow } from '@atrium/db/users/users'
import { changeEveryMembership, type Elsewhere } from '../members/everywhere.ts'
import type { AuditEntry } from '../rpc/audit-recorder.ts'
import type { Caller } from '../rpc/caller.ts'
import type { Context } from '../rpc/context.ts'
import type { Services } from '../rpc/services.ts'
import { idpUserIdOf, orUpstreamFailed, requireIdentity } from './identity.ts'
import { readUser, toUserView } from './view.ts'

/**
 * Deactivates a person: every request returns 403 from here on, mailboxes are frozen, file accounts
 * closed, then the identity is deactivated, which ends its sessions and tokens. Nothing is
 * destroyed. Not oneself, not the last platform administrator. When the provider fails, the
 * deactivation here is kept and retried until the provider follows; repeating the call retries
 * immediately.
 */
export async function deactivateUser(
  ctx: Context,
  caller: Caller,
  input: DeactivateUser,
): Promise<UserView> {
  const { services } = ctx
  if (caller.id === input.id) throw new AppError('self_deactivate')
  const user = await readUser(services.database.db, input.id)
  const { mark, prepared } = await services.database.db.transaction().execute(async (trx) => {
    if (!user.deactivatedAt) {
      const admins = await lockPlatformAdmins(trx)
      if (admins.length > 0 && admins.every((id) => id === input.id))
        throw new AppError('last_platform_admin')
      await setDeactivated(trx, input.id, true)
    }
    const task = await addIdentitySyncTask(trx, input.id, { everywhere: true })
    const entry = userEntry('user.deactivated', user, input)
    return { mark: task, prepared: await services.audit.prepare(ctx, caller, entry, trx) }
  })
  const tenants = await followEverywhere(services, input.id)
  await services.audit.complete(prepared, { metadata: tenants.length > 0 ? { tenants } : {} })
  await orUpstreamFailed(() => setIdentityActive(ctx, user, false), errorText('deactivatedHere'))
  await completeIdentitySyncTask(services.database.db, input.id, mark, { everywhere: true })
  return toUserView(await readUser(services.database.db, input.id))
}

/**
 * Reactivates a person: the identity first, so that no one is shown as active who cannot sign in.
 * When the process dies in between, it is deactivated again, like the record.
 */
export async function reactivateUser(
  ctx: Context,
  caller: Caller,
  input: DeactivateUser,
): Promise<UserView> {
  const { services } = ctx
  const { db } = services.database
  const user = await readUser(db, input.id)
  const mark = await addIdentitySyncTask(db, input.id, { everywhere: true })
  await orUpstreamFailed(() => setIdentityActive(ctx, user, true))
  const prepared = await db.transaction().execute(async (trx) => {
    await setDeactivated(trx, input.id, false)
    const entry = userEntry('user.reactivated', user, input)
    return services.audit.prepare(ctx, caller, entry, trx)
  })
  const tenants = await followEverywhere(services, input.id)
  await completeIdentitySyncTask(db, input.id, mark, { everywhere: true })
  await services.audit.complete(prepared, { metadata: tenants.length > 0 ? { tenants } : {} })
  return toUserView(await readUser(services.database.db, input.id))
}

/** Mailboxes and file accounts follow: they have passwords of their own and would stay open. */
export function followEverywhere(services: Services, userId: string): Promise<Elsewhere[]> {
  return changeEveryMembership(services, userId, async (trx, tenantId, member) => {
    if (member.membershipStatus !== 'removing')
      await changeMembership(trx, tenantId, member.id, {}, provisioningSteps)
  })
}

async function setIdentityActive(
  { services }: Context,
  user: UserRow,
  active: boolean,
): Promise<void> {
  const identity = requireIdentity(services)
  const userId = await idpUserIdOf(services, user)
  // A record may name a person whom the provider no longer knows; then there is nothing to switch.
  if (!userId) return
  await identity.setActive({ userId, active })
  if (!active) await identity.endSessions({ userId, username: user.email })
}

function userEntry(
  action: 'user.deactivated' | 'user.reactivated',
  user: UserRow,
  { reason }: DeactivateUser,
): AuditEntry {
  return {
    action,
    resourceType: 'user',
    resourceId: user.id,
    resourceName: user.email,
    metadata: reason === undefined ? {} : { reason },
  }
}
