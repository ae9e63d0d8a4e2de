import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { claimMember, savePersonIdentity } from '@atrium/db/members/member-work'
import type { Db } from '@atrium/db/platform/connect'
import { readSignIn } from '@atrium/db/tenants/tenant-access'
import { clearNeedsPassword, renewIdentitySteps } from '@atrium/db/users/address-proofs'
import { pendingSubject } from '@atrium/db/users/pending-subject'
import { findUser, settlePlatformAdmin, type UserRow } from '@atrium/db/users/users'
import type { IdentityProvider } from '@atrium/integrations/identity/port'
import { runMember } from '../members/run.ts'
import { StepRejected } from '../platform/step-rejected.ts'
import type { Services } from '../rpc/services.ts'
import { createIdentityFor } from '../users/create-identity.ts'
import { idpUserIdOf, joinGroup, orUpstreamFailed } from '../users/identity.ts'
import { type Handover, handOver } from '../users/new-identity.ts'
import { noSuchLink } from './settle.ts'

export const linkStays = errorText('linkStaysValid')

/** Brings identity, mailbox, files and groups to what the record says. */
export async function setUp(
  services: Services,
  identity: IdentityProvider,
  { userId, tenantId }: { userId: string; tenantId: string | null },
): Promise<void> {
  const { db } = services.database
  const before = await readPerson(db, userId)
  if (before.idpSubjectId.startsWith(pendingSubject) && before.idpUserId === null) {
    const made = await orUpstreamFailed(
      () => createIdentityFor(services, identity, { person: before, path: pathOf(before) }),
      linkStays,
    ).catch((error: unknown) => {
      throw error instanceof StepRejected
        ? new AppError('email_taken', error.message, { cause: error })
        : error
    })
    await savePersonIdentity(db, userId, { subject: made.subject, idpUserId: made.id })
    await renewIdentitySteps(db, userId, tenantId)
  }
  if (tenantId !== null) {
    const work = await claimMember(db, tenantId, userId)
    if (work) await runMember(services, services.memberLeases.kept(work))
    else await services.jobs.enqueueMember(tenantId, userId, 1)
  }
  await joinGroups(services, identity, before)
}

const pathOf = ({ tenants }: UserRow) => (tenants[0] ? `tenants/${tenants[0].slug}` : undefined)

async function joinGroups(
  services: Services,
  identity: IdentityProvider,
  { id, partnerId, platformAdmin }: UserRow,
): Promise<void> {
  const { partnerStaff, platformAdmins } = services.config.groups
  const { db } = services.database
  if (partnerId === null && !platformAdmin) return
  const idpUserId = await orUpstreamFailed(
    async () => idpUserIdOf(services, await readPerson(db, id)),
    linkStays,
  )
  if (idpUserId === undefined) return
  await orUpstreamFailed(async () => {
    if (partnerId !== null) await joinGroup(identity, partnerStaff, idpUserId)
    if (platformAdmin) await joinGroup(identity, platformAdmins, idpUserId)
  }, linkStays)
  if (platformAdmin) await settlePlatformAdmin(db, id)
}

/** A new credential for the person who followed the link, and only then the identity is open. */
export async function activate(
  services: Services,
  identity: IdentityProvider,
  userId: string,
): Promise<Handover> {
  const { db } = services.database
  const person = await readPerson(db, userId)
  return orUpstreamFailed(async () => {
    const idpUserId = await idpUserIdOf(services, person)
    if (idpUserId === undefined)
      throw new AppError('upstream_failed', errorText('identityUnknownLinkStays', { linkStays }))
    const handover = await handOver(services, identity, idpUserId)
    const { locked } = await readSignIn(db, userId)
    if (!isShutOut(person) && !locked) await identity.setActive({ userId: idpUserId, active: true })
    await clearNeedsPassword(db, userId)
    return handover
  }, linkStays)
}

/** Suspended wherever the person is: a new password must not end that. */
function isShutOut({ tenants, partnerId }: UserRow): boolean {
  return partnerId === null && tenants.length > 0 && tenants.every(({ suspended }) => suspended)
}

async function readPerson(db: Db, userId: string): Promise<UserRow> {
  const user = await findUser(db, userId)
  if (!user) throw noSuchLink()
  return user
}
