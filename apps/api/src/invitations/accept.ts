import type { AcceptedInvitation } from '@atrium/core/members/invitations'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { provisioningSteps } from '@atrium/core/tenants/tenants'
import {
  clearNeedsPassword,
  deleteAccessLink,
  deleteInvitation,
  findByAccessLink,
  giveUpIdentity,
  type InvitedRow,
  markProved,
  moveAccessLink,
  moveMembership,
  readTrust,
  renewIdentitySteps,
} from '@atrium/db/members/invitations'
import { claimMember, savePersonIdentity } from '@atrium/db/members/member-work'
import { changeMembership, findPerson, lockMember } from '@atrium/db/members/members'
import { lockUser, setStaff } from '@atrium/db/partners/partner-team'
import { holdPartner } from '@atrium/db/partners/partners'
import type { Db, Trx } from '@atrium/db/platform/connect'
import { readSignIn } from '@atrium/db/tenants/tenant-access'
import { addIdentitySyncTask } from '@atrium/db/users/identity-sync-tasks'
import { pendingSubject } from '@atrium/db/users/pending-subject'
import { findUser, lockEmail, type UserRow } from '@atrium/db/users/users'
import type { IdentityProvider } from '@atrium/integrations/identity/port'
import { runMember } from '../members/run.ts'
import { rejectStaff } from '../partners/attachable.ts'
import { StepRejected } from '../platform/step-rejected.ts'
import type { Context } from '../rpc/context.ts'
import { evenSuspended, lockOpenTenant } from '../rpc/open-tenant.ts'
import type { Services } from '../rpc/services.ts'
import { tenantTransaction } from '../rpc/tenant-transaction.ts'
import { takeAllowance } from '../rpc/visitor-limits.ts'
import { hashOfAccessToken } from '../users/access-link.ts'
import { createIdentityFor, findUnfinished } from '../users/create-identity.ts'
import { idpUserIdOf, orUpstreamFailed, requireIdentity } from '../users/identity.ts'
import { type Handover, handOver } from '../users/new-identity.ts'

const linkStays = 'The link stays valid. Try again in a moment.'

/**
 * Follows a mailed link, whose token is the bearer token: proves that the person reads the mail of
 * the address, adds them to the tenant or staff that invited them, and creates a sign-in where they
 * need one. An unproved identity is given up first, with its sessions, tokens and second factors,
 * because its creator may still control it. The link works once; when an upstream system fails it
 * stays valid. Throws AppError `not_found`, `email_taken`, `tenant_suspended`, `tenant_deleted`,
 * `partner_suspended`, `partner_terminated`, `email_exists`, `upstream_failed`, `rate_limited`.
 */
export async function acceptInvitation(ctx: Context): Promise<AcceptedInvitation> {
  const { services } = ctx
  const { db } = services.database
  await takeAllowance(ctx, 'invitation_links')
  const hash = hashOfAccessToken(ctx.bearerToken() ?? '')
  const addressed = hash && (await findByAccessLink(db, hash))
  if (!hash || !addressed) throw noSuchLink()
  const identity = requireIdentity(services)
  // Each holds a connection for the lock, so those of one process follow one another.
  return services.keyedLimiter.take('invitations', () =>
    // Not the lock of the address, which others wait for while they hold a tenant: that one is
    // taken in their order, below.
    services.database.exclusively(`invitation:${addressed.email}`, async () => {
      const link = await findByAccessLink(db, hash)
      if (!link) throw noSuchLink()
      return follow(ctx, identity, link, hash)
    }),
  )
}

const noSuchLink = () => new AppError('not_found', errorText('invitationLinkInvalid'))

async function follow(
  ctx: Context,
  identity: IdentityProvider,
  link: InvitedRow,
  hash: Buffer,
): Promise<AcceptedInvitation> {
  const { services } = ctx
  const { db } = services.database
  if (link.invited) await rejectOutsider(services, identity, link)
  const { userId, handsOver } = await settle(services, link, hash)
  await setUp(services, identity, { userId, tenantId: link.tenantId })
  const handover = handsOver ? await activate(services, identity, userId) : undefined
  await deleteAccessLink(db, hash)
  await record(ctx, link, userId, handover)
  const path =
    link.tenantSlug === null
      ? link.partnerId === null
        ? '/'
        : '/partner'
      : `/t/${link.tenantSlug}`
  const joined = link.invited ? (link.tenantName ?? link.partnerName) : null
  return { email: link.email, joined, path, handoff: handoffOf(handover), ...handover }
}

const handoffOf = (handover: Handover | undefined) =>
  handover === undefined ? 'existing' : handover.link === undefined ? 'tempPassword' : 'link'

/**
 * An identity with this address that is on no record was not created here, so we must not hand it
 * over.
 */
async function rejectOutsider(
  services: Services,
  identity: IdentityProvider,
  { email, name }: InvitedRow,
): Promise<void> {
  if (await findPerson(services.database.db, { email })) return
  const found = await orUpstreamFailed(() => identity.findUserByEmail(email), linkStays)
  if (
    !found ||
    (await orUpstreamFailed(() => findUnfinished(services, identity, { email, name }), linkStays))
  )
    return
  throw new AppError('email_taken', errorText('identityKnownElsewhere'))
}

interface Settled {
  userId: string
  /** The person gets a new credential: the identity is new, or the link was sent for that. */
  handsOver: boolean
}

/** Writes what the link means. What is in the way is rejected before anything is written. */
function settle(services: Services, link: InvitedRow, hash: Buffer): Promise<Settled> {
  const { tenantId, tenantSlug } = link
  if (tenantId === null || tenantSlug === null)
    return services.database.db.transaction().execute((trx) => write(trx, link, hash))
  return tenantTransaction(services, tenantId, async (trx) => {
    // A new password for an account that is there stays possible while the tenant is suspended.
    await lockOpenTenant(trx, tenantSlug, link.invited ? [] : evenSuspended)
    return write(trx, link, hash)
  })
}

async function write(trx: Trx, link: InvitedRow, hash: Buffer): Promise<Settled> {
  await lockEmail(trx, link.email)
  if (!(await findByAccessLink(trx, hash))) throw noSuchLink()
  if (!link.invited) return prove(trx, link, hash, link.id)
  if (link.partnerId !== null) await rejectRestingPartner(trx, link.partnerId)
  const known = await findPerson(trx, { email: link.email })
  if (known && known.deactivatedAt !== null)
    throw new AppError('email_taken', errorText('accountDeactivated'))
  if (known) {
    await replaceInvitation(trx, link, known.id)
    await moveAccessLink(trx, hash, known.id)
    await deleteInvitation(trx, link.id)
  }
  const userId = known?.id ?? link.id
  const settled = await prove(trx, link, hash, userId, { invitation: true })
  if (link.tenantId !== null) {
    const member = await lockMember(trx, link.tenantId, userId)
    const status =
      member?.membershipStatus === 'active' || member?.membershipStatus === 'provisioning'
        ? 'provisioning'
        : undefined
    if (status === undefined) throw new AppError('member_not_active', errorText('suspendedThere'))
    await changeMembership(
      trx,
      link.tenantId,
      userId,
      { status, identity_changed_at: 'now' },
      provisioningSteps,
    )
    // A creation at the identity provider takes no contact data.
    if (!known) await addIdentitySyncTask(trx, userId, { profile: true })
  }
  return settled
}

async function rejectRestingPartner(trx: Trx, partnerId: string): Promise<void> {
  const status = (await holdPartner(trx, partnerId))?.status
  if (status === 'active') return
  throw new AppError(status === 'suspended' ? 'partner_suspended' : 'partner_terminated')
}

/** The known person takes the place of the invitation. */
async function replaceInvitation(trx: Trx, link: InvitedRow, userId: string): Promise<void> {
  await lockUser(trx, userId)
  if (link.tenantId !== null) await moveMembership(trx, link.tenantId, link.id, userId)
  if (link.partnerId === null) return
  const [user, invited] = [await findUser(trx, userId), await findUser(trx, link.id)]
  if (!user || !invited?.partnerAccess) throw new AppError('not_found')
  rejectStaff(user, link.partnerId)
  await setStaff(trx, userId, { partnerId: link.partnerId, access: invited.partnerAccess })
}

/** From now on the address is proved by this person; an unproved identity is given up. */
async function prove(
  trx: Trx,
  link: InvitedRow,
  hash: Buffer,
  userId: string,
  { invitation = false } = {},
): Promise<Settled> {
  const trust = await readTrust(trx, userId)
  const user = await findUser(trx, userId)
  if (!trust || !user || user.deactivatedAt !== null) throw noSuchLink()
  const fresh = user.idpSubjectId.startsWith(pendingSubject)
  if (!fresh && !trust.proved)
    await giveUpIdentity(trx, userId, invitation ? link.tenantId : trust.homeTenantId)
  await markProved(trx, userId, link.email)
  const handsOver = fresh || !trust.proved || !invitation
  // A person who already has a sign-in no longer needs the link, and a second attempt would reveal
  // a new password.
  if (!handsOver) await deleteAccessLink(trx, hash)
  return { userId, handsOver }
}

/** Brings identity, mailbox, files and groups to what the record says. */
async function setUp(
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
  if (before.partnerId !== null) await joinStaffGroup(services, identity, userId)
}

const pathOf = ({ tenants }: UserRow) => (tenants[0] ? `tenants/${tenants[0].slug}` : undefined)

async function joinStaffGroup(
  services: Services,
  identity: IdentityProvider,
  userId: string,
): Promise<void> {
  const idpUserId = await orUpstreamFailed(
    async () => idpUserIdOf(services, await readPerson(services.database.db, userId)),
    linkStays,
  )
  if (idpUserId === undefined) return
  await orUpstreamFailed(async () => {
    const group = await identity.ensureGroup({ name: services.config.groups.partnerStaff })
    await identity.addToGroup({ groupId: group.id, userId: idpUserId })
  }, linkStays)
}

/** A new credential for the person who followed the link, and only then the identity is open. */
async function activate(
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

function record(
  ctx: Context,
  link: InvitedRow,
  userId: string,
  handover: Handover | undefined,
): Promise<void> {
  const entry = {
    action: 'user.address_proved',
    resourceType: 'user',
    resourceId: userId,
    resourceName: link.email,
    tenantSlug: link.tenantSlug,
    partnerSlug: link.partnerSlug,
    metadata: { handoff: handoffOf(handover), ...(link.invited ? { invitation: true } : {}) },
  } as const
  return ctx.services.audit.recordVisitor(ctx, entry)
}
