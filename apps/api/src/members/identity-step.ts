import { noteIdentityDue } from '@atrium/db/identity-dues'
import { renewIdentitySteps } from '@atrium/db/invitations'
import { type MemberWork, saveMemberFacts, savePersonIdentity } from '@atrium/db/member-work'
import { pendingSubject } from '@atrium/db/pending-subject'
import type { IdentityProvider } from '@atrium/integrations/identity/port'
import { UpstreamError } from '@atrium/integrations/upstream-error'
import { createIdentityFor, findUnfinished, retireGivenUp } from '../invitations/identity.ts'
import { reopenTenant } from '../provisioning/reopen.ts'
import { StepRefused } from '../provisioning/steps.ts'
import { followProfile } from '../users/follow-profile.ts'
import { endsWithMembership, type StepCall, standingOf } from './step.ts'

/** The person's identity: made inactive, given password and group, and only then let in; shut out or deleted when the record says so. */
export async function identityStep(call: StepCall): Promise<'ok' | 'skipped'> {
  const { identity } = call.house.systems
  if (!identity) return 'skipped'
  switch (standingOf(call.work)) {
    case 'removing':
      await takeOut(call, identity)
      break
    case 'shut':
      await shutOut(call, identity)
      break
    default:
      await letIn(call, identity)
  }
  return 'ok'
}

async function letIn(call: StepCall, identity: IdentityProvider): Promise<void> {
  const { work, signal } = call
  const known = await findIdentity(call, identity)
  if (known === undefined && !isPending(work)) throw new StepRefused('The identity provider does not know this person.')
  const userId = known ?? (await makeIdentity(call, identity))
  // Whoever is new may have contact data, or another name since the work began.
  if (known === undefined || work.profileDue) await tellProfile(call, identity)
  if (!work.user.platformAdmin) {
    const groupId = work.tenant.identityGroupId ?? (await ensureGroup(work, identity, signal))
    await identity.addToGroup({ groupId, userId }, { signal }).catch(async (error: unknown) => {
      if (error instanceof UpstreamError && error.kind === 'not_found') await reopenTenant(call.house, work.tenant.id, 'identity')
      throw error
    })
  }
  if (work.managed) await identity.setActive({ userId, active: true }, { signal })
}

/** Whom the tenant manages cannot sign in any more; anybody else only leaves the tenant's group. */
async function shutOut(call: StepCall, identity: IdentityProvider): Promise<void> {
  const userId = await findIdentity(call, identity)
  if (userId === undefined) return
  if (call.work.profileDue) await tellProfile(call, identity)
  if (call.work.managed) {
    await identity.setActive({ userId, active: false }, { signal: call.signal })
    await identity.endSessions({ userId, username: call.work.user.email }, { signal: call.signal })
  } else await leaveGroup(call, identity, userId)
}

async function takeOut(call: StepCall, identity: IdentityProvider): Promise<void> {
  const { work, signal } = call
  await retireGivenUp(call.house, identity, work.user.id, { signal })
  const userId =
    (await findIdentity(call, identity)) ??
    (isPending(work) ? (await findUnfinished(call.house, identity, work.user, { signal }))?.id : undefined)
  if (userId === undefined) return
  if (endsWithMembership(work)) {
    await identity.endSessions({ userId, username: work.user.email }, { signal }).catch((error: unknown) => {
      // Deleting the user ends them too; this only does it sooner.
      if (!(error instanceof UpstreamError)) throw error
    })
    await identity.deleteUser(userId, { signal })
    return
  }
  await leaveGroup(call, identity, userId)
  // A suspension here must not outlive the membership.
  if (work.managed && !work.user.deactivated) await identity.setActive({ userId, active: true }, { signal })
}

async function tellProfile({ house, work, signal }: StepCall, identity: IdentityProvider): Promise<void> {
  if (work.profileFlagged) await noteIdentityDue(house.database.db, work.user.id, { profile: true, address: true })
  await followProfile(house, identity, work.user.id, signal)
}

async function leaveGroup({ work, signal }: StepCall, identity: IdentityProvider, userId: string): Promise<void> {
  const groupId = work.tenant.identityGroupId
  if (groupId !== null) await identity.removeFromGroup({ groupId, userId }, { signal })
}

function isPending({ user }: MemberWork): boolean {
  return user.idpUserId === null && user.subject.startsWith(pendingSubject)
}

/** The provider's key of somebody who has an identity. */
async function findIdentity({ house, work, signal }: StepCall, identity: IdentityProvider): Promise<string | undefined> {
  const { user } = work
  if (user.idpUserId !== null) return user.idpUserId
  if (isPending(work)) return undefined
  const found = await identity.findUserBySubject({ subject: user.subject, email: user.email }, { signal })
  if (found) await savePersonIdentity(house.database.db, user.id, { idpUserId: found.id })
  return found?.id
}

async function makeIdentity(call: StepCall, identity: IdentityProvider): Promise<string> {
  const { house, work, password, signal } = call
  const { db } = house.database
  const path = `tenants/${work.tenant.slug}`
  const made = await createIdentityFor(house, identity, { person: work.user, path }, { signal })
  // First on record that nobody knows the password, then the identity: a process that dies in between leaves the truth behind.
  await saveMemberFacts(db, work, { needs_password: true })
  await savePersonIdentity(db, work.user.id, { subject: made.subject, idpUserId: made.id })
  await renewIdentitySteps(db, work.user.id, work.tenant.id)
  // An address outside the proved domains is given a link by mail: nobody else may know a password of its identity.
  if (password && work.ownAddress) {
    await identity.setPassword({ userId: made.id, password: password.give() }, { signal })
    await saveMemberFacts(db, work, { needs_password: work.needsPassword })
  } else work.needsPassword = true
  return made.id
}

async function ensureGroup({ tenant }: MemberWork, identity: IdentityProvider, signal: AbortSignal): Promise<string> {
  const group = await identity.ensureGroup({ name: tenant.identityGroupName, attributes: { tenant: tenant.slug } }, { signal })
  return group.id
}
