import { changedFields } from '@atrium/core/audit/audit'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import {
  type CreateUser,
  operatorOnlyUserFields,
  type UpdateUser,
  type UserView,
} from '@atrium/core/users/users'
import type { TouchedList } from '@atrium/db/mail/lists'
import { reopenForName } from '@atrium/db/members/members'
import type { Trx } from '@atrium/db/platform/connect'
import { addIdentitySyncTask, completeIdentitySyncTask } from '@atrium/db/users/identity-sync-tasks'
import {
  findUserByEmail,
  insertUser,
  lockEmail,
  lockPlatformAdmins,
  ownedTenants,
  deleteUser as removeUser,
  setDeactivated,
  setPlatformAdmin,
  type UserChanges,
  type UserRow,
  updateUser as writeUser,
} from '@atrium/db/users/users'
import { listsInAudit, pushTouchedLists } from '../mail/lists/members.ts'
import { changeEveryMembership } from '../members/everywhere.ts'
import { leaveTenant } from '../members/leave.ts'
import type { AuditEntry } from '../rpc/audit-recorder.ts'
import type { Caller } from '../rpc/caller.ts'
import type { Context } from '../rpc/context.ts'
import { rejectNonOperator } from '../rpc/guards.ts'
import { leaveGroups } from './follow-identity.ts'
import { idpUserIdOf, joinGroup, orUpstreamFailed, requireIdentity } from './identity.ts'
import { mirrorProfile, profileChanges } from './mirror-profile.ts'
import { rejectUnproved } from './proved-address.ts'
import { staffChange } from './staff.ts'
import { readUser, toUserView } from './view.ts'

/** Operators read any user, others themselves; callers who may not see a user get `not_found`. */
export async function getUser(
  { services }: Context,
  caller: Caller,
  id: string,
): Promise<UserView> {
  if (!caller.operator && caller.id !== id)
    throw new AppError('not_found', errorText('unknownUser'))
  return toUserView(await readUser(services.database.db, id), { own: caller.id === id })
}

/**
 * Creates a record for a person whom the identity provider knows already. 409 when the subject or
 * the address is on record.
 */
export async function createUser(
  ctx: Context,
  caller: Caller,
  input: CreateUser,
): Promise<UserView> {
  const { services } = ctx
  const { idpSubjectId: subject, ...fields } = input
  const id = await services.database.db.transaction().execute(async (trx) => {
    await lockEmail(trx, input.email)
    if (await findUserByEmail(trx, input.email)) throw new AppError('email_exists')
    const inserted = await insertUser(trx, { subject, ...fields })
    if (!inserted) throw new AppError('already_exists', errorText('subjectTaken'))
    const created = { id: inserted.id, email: input.email }
    await services.audit.record(ctx, caller, userEntry('user.created', created), trx)
    return inserted.id
  })
  return toUserView(await readUser(services.database.db, id))
}

/**
 * Contact fields are the user's own and operators', and mirrored best effort; the administrator
 * flag, the partner and the level there are operators' alone.
 */
export async function updateUser(
  ctx: Context,
  caller: Caller,
  input: UpdateUser,
): Promise<UserView> {
  const { services } = ctx
  const self = caller.id === input.id
  const restricted = operatorOnlyUserFields.some((field) => input[field] !== undefined)
  if (!caller.operator) {
    if (!self) throw new AppError('not_found', errorText('unknownUser'))
    if (restricted) rejectNonOperator(caller, services.config.tokens)
  }
  const before = await readUser(services.database.db, input.id)
  const changes: UserChanges = {
    ...(input.name === undefined ? {} : { name: input.name }),
    ...(input.firstName === undefined ? {} : { first_name: input.firstName }),
    ...(input.lastName === undefined ? {} : { last_name: input.lastName }),
    ...(input.phone === undefined ? {} : { phone: input.phone }),
    ...(input.alternativeEmail === undefined ? {} : { alternative_email: input.alternativeEmail }),
    ...(input.language === undefined ? {} : { language: input.language }),
  }
  const changedProfile = profileChanges(before, input)
  const renamed = changedProfile.includes('name')
  const record = async (after: UserRow, trx?: Trx) => {
    const changed = changedFields(before, after, Object.keys(input))
    if (Object.keys(changed).length === 0) return
    const entry = userEntry('user.updated', after, { changes: changed })
    await services.audit.record(ctx, caller, entry, trx)
  }
  const mark = await services.database.db.transaction().execute(async (trx) => {
    const staff = await staffChange(trx, before, input)
    // Members before people, as every act on a member locks them.
    if (renamed) await reopenForName(trx, input.id)
    if (Object.keys(changes).length + Object.keys(staff).length > 0)
      await writeUser(trx, input.id, { ...changes, ...staff })
    const added =
      changedProfile.length > 0
        ? await addIdentitySyncTask(trx, input.id, { profile: true })
        : undefined
    if (input.platformAdmin === undefined) await record(await readUser(trx, input.id), trx)
    return added
  })
  if (mark !== undefined) await mirrorProfile(services, input.id, { renamed, mark })
  // Changes made here are kept and recorded, also when the identity provider then fails.
  const change = { requested: input.platformAdmin, record, recorded: false }
  const [failed] = await Promise.allSettled([changePlatformAdmin(ctx, before, change)])
  const after = await readUser(services.database.db, input.id)
  // The right stayed as it was, so that only what was changed before it is left to record.
  if (input.platformAdmin !== undefined && !change.recorded) await record(after)
  if (failed.status === 'rejected') throw failed.reason
  return toUserView(after, { own: self })
}

interface AdminChange {
  requested: boolean | undefined
  /** Records all that the call changed. */
  record: (after: UserRow, trx: Trx) => Promise<void>
  /** Whether the transaction that recorded it is committed. */
  recorded: boolean
}

async function changePlatformAdmin(
  ctx: Context,
  user: UserRow,
  change: AdminChange,
): Promise<void> {
  const { requested } = change
  if (requested === true && !user.platformAdmin) await grantPlatformAdmin(ctx, user, change)
  // A withdrawal that the provider has not followed yet is carried out again.
  const unsettled = Number(user.platformAdminChangedAt) === Number.POSITIVE_INFINITY
  if (requested === false && (user.platformAdmin || unsettled))
    await revokePlatformAdmin(ctx, user, change)
}

/** The provider's group first: the flag without the group would vanish at the next sign-in. */
async function grantPlatformAdmin(
  { services }: Context,
  user: UserRow,
  change: AdminChange,
): Promise<void> {
  await rejectUnproved(services.database.db, user)
  const identity = requireIdentity(services)
  await orUpstreamFailed(async () => {
    const userId = await idpUserIdOf(services, user)
    if (!userId) throw new AppError('not_found', errorText('identityUnknown'))
    await joinGroup(identity, services.config.groups.platformAdmins, userId)
  })
  await services.database.db.transaction().execute(async (trx) => {
    await setPlatformAdmin(trx, user.id, true, 'now')
    await change.record(await readUser(trx, user.id), trx)
  })
  change.recorded = true
}

/**
 * Here first, so that it acts at once; until the provider's group agrees no token may give the flag
 * back. It is tried until it does.
 */
async function revokePlatformAdmin(
  { services }: Context,
  user: UserRow,
  change: AdminChange,
): Promise<void> {
  const mark = await services.database.db.transaction().execute(async (trx) => {
    const admins = await lockPlatformAdmins(trx)
    if (admins.every((id) => id === user.id)) throw new AppError('last_platform_admin')
    await setPlatformAdmin(trx, user.id, false, 'never')
    const added = await addIdentitySyncTask(trx, user.id, { administrators: true })
    await change.record(await readUser(trx, user.id), trx)
    return added
  })
  change.recorded = true
  await orUpstreamFailed(async () => {
    const identity = requireIdentity(services)
    const group = await identity.findGroup(services.config.groups.platformAdmins)
    const userId = await idpUserIdOf(services, user)
    if (group && userId) await identity.removeFromGroup({ groupId: group.id, userId })
  }, errorText('operatorRightWithdrawn'))
  await setPlatformAdmin(services.database.db, user.id, false, 'now')
  await completeIdentitySyncTask(services.database.db, user.id, mark, { administrators: true })
}

/**
 * Removes a person: disables them immediately, then removes them from every tenant with mailbox,
 * files, lists and an identity that a tenant created, and from the provider's groups of
 * administrators and partner staff, then removes the record. The job engine finishes what an
 * upstream system fails to do. No earlier token restores access: the record of anyone who may have
 * one is closed and deleted later. Not oneself, not the last platform administrator, not while the
 * user owns tenants.
 */
export async function deleteUser(ctx: Context, caller: Caller, id: string): Promise<void> {
  const { services } = ctx
  if (caller.id === id) throw new AppError('self_deactivate')
  const user = await readUser(services.database.db, id)
  const { db } = services.database
  const mark = await db.transaction().execute(async (trx) => {
    const admins = await lockPlatformAdmins(trx)
    if (admins.length > 0 && admins.every((admin) => admin === id))
      throw new AppError('last_platform_admin')
    rejectOwner(await ownedTenants(trx, id))
    const staff = await staffChange(trx, user, { partnerId: null })
    if (Object.keys(staff).length > 0) await writeUser(trx, id, staff)
    await setPlatformAdmin(trx, id, false, 'never')
    await setDeactivated(trx, id, true)
    return addIdentitySyncTask(trx, id, { administrators: true, staff: true })
  })
  const lists: TouchedList[] = []
  const tenants = await changeEveryMembership(services, id, async (trx, tenantId, member) => {
    if (member.membershipStatus === 'removing') return
    lists.push(...(await leaveTenant(trx, tenantId, member)))
  })
  pushTouchedLists(services, lists)
  await leaveGroups(services, user, mark)
  const closed =
    user.lastSeenAt !== null || user.platformAdmin || user.partnerId !== null || tenants.length > 0
  await db.transaction().execute(async (trx) => {
    await removeUser(trx, id, { closed })
    const entry = userEntry('user.deleted', user, {
      ...(tenants.length > 0 ? { tenants } : {}),
      ...listsInAudit(lists),
    })
    await services.audit.record(ctx, caller, entry, trx)
  })
}

/** A tenant keeps its owner; a deleted tenant cannot get a new one. */
function rejectOwner(owned: Awaited<ReturnType<typeof ownedTenants>>): void {
  if (owned.length === 0) return
  const named = (tenants: typeof owned) =>
    tenants
      .slice(0, 5)
      .map(({ slug }) => slug)
      .join(', ')
  const kept = owned.filter(({ status }) => status !== 'deleted')
  throw new AppError(
    'user_in_use',
    kept.length > 0
      ? errorText('userOwns', { kept: named(kept) })
      : errorText('userOwnedDeleted', { owned: named(owned) }),
  )
}

function userEntry(
  action: 'user.created' | 'user.updated' | 'user.deleted',
  user: { id: string; email: string },
  metadata: Record<string, unknown> = {},
): AuditEntry {
  return {
    action,
    resourceType: 'user',
    resourceId: user.id,
    resourceName: user.email,
    metadata,
  }
}
