import { stepFailureText } from '@atrium/core/platform/failure-text'
import {
  type MemberWork,
  noteMemberFacts,
  saveMadeIdentity,
  savePersonIdentity,
} from '@atrium/db/members/member-work'
import { markSignInEnded, readSignIn } from '@atrium/db/tenants/tenant-access'
import { renewIdentitySteps } from '@atrium/db/users/address-proofs'
import { addIdentitySyncTask } from '@atrium/db/users/identity-sync-tasks'
import { pendingSubject } from '@atrium/db/users/pending-subject'
import { deleteWebSessionsOfSubject } from '@atrium/db/users/web-sessions'
import type { IdentityProvider } from '@atrium/integrations/identity/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import { StepRejected } from '../platform/step-rejected.ts'
import { reopenTenant } from '../provisioning/reopen.ts'
import { createIdentityFor, findUnfinished, retireAbandoned } from '../users/create-identity.ts'
import { endSessionsAndTokens } from '../users/end-sessions.ts'
import { followProfile } from '../users/follow-profile.ts'
import { setTemporaryPassword } from '../users/temporary-password.ts'
import type { OneTimePassword } from './one-time-password.ts'
import { endsWithMembership, isShutAlone, type StepCall, standingOf } from './step.ts'

/**
 * The person's identity: created inactive, given password and group, and only then activated;
 * disabled or deleted when the record says so.
 */
export async function identityStep(call: StepCall): Promise<'ok' | 'skipped'> {
  const { identity } = call.services.systems
  if (!identity) return 'skipped'
  switch (standingOf(call.work)) {
    case 'removing':
      await removeIdentity(call, identity)
      break
    case 'shut':
      await blockIdentity(call, identity)
      break
    default:
      await activate(call, identity)
  }
  return 'ok'
}

async function activate(call: StepCall, identity: IdentityProvider): Promise<void> {
  const { work, signal } = call
  const known = await findIdentity(call, identity)
  if (known === undefined && !isPending(work))
    throw new StepRejected(stepFailureText('personUnknown'))
  const made = known === undefined ? await makeIdentity(call, identity) : undefined
  const userId = known ?? made?.id ?? ''
  if (known !== undefined && call.renewsPassword && call.password)
    await issuePassword(call, identity, userId, call.password)
  if (made?.profileDue ?? work.profileDue) await updateProfile(call, identity)
  if (!work.user.platformAdmin && !made?.inGroup) {
    const groupId = work.tenant.identityGroupId ?? (await ensureGroup(work, identity, signal))
    await identity.addToGroup({ groupId, userId }, { signal }).catch(async (error: unknown) => {
      if (error instanceof UpstreamError && error.kind === 'not_found')
        await reopenTenant(call.services, work.tenant.id, 'identity')
      throw error
    })
  }
  // A new record is in no other tenant. When its own turns meanwhile, its version changes, so that
  // this step is done again.
  if (call.fresh) await identity.setActive({ userId, active: true }, { signal })
  else await followSignIn(call, identity, userId, work.managed)
}

/**
 * A suspended member whose sign-in the tenant manages cannot sign in; any other only leaves the
 * tenant's group. While the tenant is suspended, everyone leaves the group, and people without
 * another active tenant cannot sign in.
 */
async function blockIdentity(call: StepCall, identity: IdentityProvider): Promise<void> {
  const userId = await findIdentity(call, identity)
  if (userId === undefined) return
  const { work, signal } = call
  if (work.profileDue) await updateProfile(call, identity)
  if (work.managed && isShutAlone(work)) {
    // The suspension here decides alone now: a tenant of the person that is resumed later must not
    // undo it.
    await markSignInEnded(call.services.database.db, work.user.id, false)
    await endSignIn(call, identity, userId)
    return
  }
  await leaveGroup(call, identity, userId)
  if (await followSignIn(call, identity, userId, false)) return
  // Applications that let the person in by the group ask again.
  if (work.tenant.access === 'shut' && work.role === 'member' && !work.user.platformAdmin) {
    await endSessionsAndTokens(
      call.services,
      identity,
      { id: work.user.id, email: work.user.email, idpUserId: userId },
      signal,
    )
  }
}

async function endSignIn(
  { services, work, signal }: StepCall,
  identity: IdentityProvider,
  userId: string,
): Promise<void> {
  await identity.setActive({ userId, active: false }, { signal })
  await identity.endSessions({ userId, username: work.user.email }, { signal })
  await deleteWebSessionsOfSubject(services.database.db, work.user.subject)
}

/**
 * Deactivates the identity while every tenant of the person is suspended, and reactivates it when
 * that was the reason, or when `open` says so. Returns whether the person is locked out. A tenant
 * that changed meanwhile is followed immediately.
 */
async function followSignIn(
  call: StepCall,
  identity: IdentityProvider,
  userId: string,
  open: boolean,
): Promise<boolean> {
  const { services, work, signal } = call
  const { db } = services.database
  for (let state = await readSignIn(db, work.user.id); ; ) {
    // Recorded before calling the provider: a process that dies in between must not leave a person
    // locked out permanently.
    if (state.locked) {
      await markSignInEnded(db, work.user.id, true)
      await endSignIn(call, identity, userId)
    } else if ((open || state.ended) && !work.user.deactivated) {
      await identity.setActive({ userId, active: true }, { signal })
      if (state.ended) await markSignInEnded(db, work.user.id, false)
    }
    const now = await readSignIn(db, work.user.id)
    if (now.locked === state.locked) return now.locked
    state = now
  }
}

async function removeIdentity(call: StepCall, identity: IdentityProvider): Promise<void> {
  const { work, signal } = call
  await retireAbandoned(call.services, identity, work.user.id, { signal })
  const userId =
    (await findIdentity(call, identity)) ??
    (isPending(work)
      ? (
          await findUnfinished(
            call.services,
            identity,
            { ...work.user, groupId: groupOf(work) },
            { signal },
          )
        )?.id
      : undefined)
  if (userId === undefined) return
  if (endsWithMembership(work)) {
    await identity
      .endSessions({ userId, username: work.user.email }, { signal })
      .catch((error: unknown) => {
        // Deleting the user ends them too; this only does it sooner.
        if (!(error instanceof UpstreamError)) throw error
      })
    await identity.deleteUser(userId, { signal })
    return
  }
  await leaveGroup(call, identity, userId)
  // A suspension here must not outlive the membership; other tenants that are shut still count.
  if (!work.user.deactivated) await followSignIn(call, identity, userId, work.managed)
}

async function updateProfile(
  { services, work, signal }: StepCall,
  identity: IdentityProvider,
): Promise<void> {
  if (work.profileFlagged)
    await addIdentitySyncTask(services.database.db, work.user.id, { profile: true, address: true })
  await followProfile(services, identity, work.user.id, signal)
}

async function leaveGroup(
  { work, signal }: StepCall,
  identity: IdentityProvider,
  userId: string,
): Promise<void> {
  const groupId = work.tenant.identityGroupId
  if (groupId !== null) await identity.removeFromGroup({ groupId, userId }, { signal })
}

function isPending({ user }: MemberWork): boolean {
  return user.idpUserId === null && user.subject.startsWith(pendingSubject)
}

/** The provider's key of a person with an identity. */
async function findIdentity(
  { services, work, signal }: StepCall,
  identity: IdentityProvider,
): Promise<string | undefined> {
  const { user } = work
  if (user.idpUserId !== null) return user.idpUserId
  if (isPending(work)) return undefined
  const found = await identity.findUserBySubject(
    { subject: user.subject, email: user.email },
    { signal },
  )
  if (found) await savePersonIdentity(services.database.db, user.id, { idpUserId: found.id })
  return found?.id
}

interface MadeIdentity {
  id: string
  /** In the tenant's group already. */
  inGroup: boolean
  /** The record has another name or address than the identity was made with. */
  profileDue: boolean
}

async function makeIdentity(call: StepCall, identity: IdentityProvider): Promise<MadeIdentity> {
  const { services, work, password, fresh, signal } = call
  const { db } = services.database
  const groupId = groupOf(work)
  const made = await createIdentityFor(
    services,
    identity,
    { person: work.user, path: `tenants/${work.tenant.slug}`, groupId, fresh },
    { signal },
  )
  const { profileDue } = await saveMadeIdentity(db, work, {
    subject: made.subject,
    idpUserId: made.id,
  })
  if (!fresh) await renewIdentitySteps(db, work.user.id, work.tenant.id)
  // A person with an address outside the proved domains gets a link by mail: no one else may know a
  // password of the identity.
  if (password && work.ownAddress) {
    await issuePassword(call, identity, made.id, password)
    noteMemberFacts(work, { needs_password: work.needsPassword })
  } else work.needsPassword = true
  return {
    id: made.id,
    inGroup: groupId !== undefined && made.groupIds.includes(groupId),
    profileDue,
  }
}

function issuePassword(
  { services, work, signal }: StepCall,
  identity: IdentityProvider,
  idpUserId: string,
  password: OneTimePassword,
): Promise<void> {
  const issued = { idpUserId, userId: work.user.id, password: password.give() }
  return setTemporaryPassword(services, identity, issued, { signal })
}

/** Platform administrators are in no tenant's group. */
function groupOf({ tenant, user }: MemberWork): string | undefined {
  return user.platformAdmin ? undefined : (tenant.identityGroupId ?? undefined)
}

async function ensureGroup(
  { tenant }: MemberWork,
  identity: IdentityProvider,
  signal: AbortSignal,
): Promise<string> {
  const group = await identity.ensureGroup(
    { name: tenant.identityGroupName, attributes: { tenant: tenant.slug } },
    { signal },
  )
  return group.id
}
