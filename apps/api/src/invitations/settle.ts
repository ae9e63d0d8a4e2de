import { splitAddress } from '@atrium/core/mail/mail-addresses'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { lockMembershipsOf, suspendElsewhere } from '@atrium/db/address-claims/address-claims'
import {
  endInvitation,
  type InvitationRow,
  lockInvitation,
} from '@atrium/db/invitations/invitations'
import type { TouchedList } from '@atrium/db/mail/lists'
import { findAddressUse, findPerson, insertPerson } from '@atrium/db/members/members'
import { lockUser, setStaff } from '@atrium/db/partners/partner-team'
import { holdPartner } from '@atrium/db/partners/partners'
import type { Trx } from '@atrium/db/platform/connect'
import { type AccessLink, findByAccessLink, saveAccessLink } from '@atrium/db/users/access-links'
import {
  findDomainTenant,
  giveUpIdentity,
  markProved,
  readTrust,
} from '@atrium/db/users/address-proofs'
import { addIdentitySyncTask } from '@atrium/db/users/identity-sync-tasks'
import { pendingSubject } from '@atrium/db/users/pending-subject'
import { findUser, lockEmail, setPlatformAdmin } from '@atrium/db/users/users'
import { usedElsewhere } from '../members/addresses.ts'
import { detachOthers, recordSuspendedMemberships } from '../members/detach.ts'
import { joinTenant, rejectForeignNewcomer } from '../members/join.ts'
import { rejectStaff } from '../partners/attachable.ts'
import { lockOpenTenant, type OpenTenant } from '../rpc/open-tenant.ts'
import type { InTransaction, Services } from '../rpc/services.ts'
import { tenantTransaction } from '../rpc/tenant-transaction.ts'

export interface Settled {
  userId: string
  /** The person gets a new credential: the identity is new, or the link was sent for that. */
  handsOver: boolean
  lists: TouchedList[]
}

export const noSuchLink = () => new AppError('not_found', errorText('invitationLinkInvalid'))

/**
 * Who accepts: the reader of the mail, by the hash of its link, or a person who is signed in and
 * has proved the address.
 */
export type Accepting = { hash: Buffer } | { userId: string }

/** Records the acceptance in its transaction. */
type RecordAcceptance = (trx: Trx, userId: string) => Promise<void>

/**
 * Writes what accepting means, all of it or nothing: the person, the address as proved, the rights,
 * and the end of the invitation. What is in the way is rejected before anything is written. Throws
 * AppError `not_found` when the invitation is not open any more.
 */
export function settleInvitation(
  services: Services,
  invitation: InvitationRow,
  by: Accepting,
  record: RecordAcceptance,
): Promise<Settled> {
  const { id, email, tenantId, tenantSlug } = invitation
  const work = async (trx: Trx, tenant?: OpenTenant): Promise<Settled> => {
    const { suspendedIn, ...settled } = await settle(services, trx, id, by, tenant)
    await record(trx, settled.userId)
    await recordSuspendedMemberships(services, trx, email, suspendedIn)
    return settled
  }
  if (tenantId === null || tenantSlug === null)
    return services.database.db.transaction().execute((trx) => work(trx))
  return tenantTransaction(services, tenantId, async (trx) =>
    work(trx, await lockOpenTenant(trx, tenantSlug)),
  )
}

async function settle(
  services: InTransaction,
  trx: Trx,
  id: string,
  by: Accepting,
  tenant?: OpenTenant,
): Promise<Settled & { suspendedIn: string[] }> {
  const invitation = await lockInvitation(trx, id)
  if (invitation?.state !== 'pending' && invitation?.state !== 'opened') throw noSuchLink()
  const { email } = invitation
  await lockEmail(trx, email)
  const known = await findPerson(trx, { email })
  if (known && known.deactivatedAt !== null)
    throw new AppError('email_taken', errorText('accountDeactivated'))
  if ('userId' in by && known?.id !== by.userId) throw noSuchLink()
  if (!known && tenant) await rejectForeignNewcomer(trx, tenant.id, email)
  const userId = known?.id ?? (await insertInvitee(trx, invitation))
  if (tenant) await rejectUnprovedStaff(trx, userId)
  const person = { userId, email, homeTenantId: invitation.tenantId }
  const { handsOver, suspendedIn } = await prove(services, trx, person)
  if (handsOver) {
    if (!('hash' in by)) throw new AppError('address_not_proved')
    await saveAccessLink(trx, { userId, email, hash: by.hash })
  }
  const lists = tenant ? await joinTenant(services, trx, tenant, invitation, userId) : []
  if (invitation.kind === 'staff') await joinStaff(trx, invitation, userId)
  if (invitation.kind === 'operator') {
    // No token of before may take it back; the provider's group follows.
    await setPlatformAdmin(trx, userId, true, 'never')
    await addIdentitySyncTask(trx, userId, { administrators: true })
  }
  if (!(await endInvitation(trx, id, { acceptedBy: userId }))) throw noSuchLink()
  return { userId, handsOver, lists, suspendedIn }
}

async function insertInvitee(trx: Trx, invitation: InvitationRow): Promise<string> {
  const { email, name, firstName, lastName, phone, alternativeEmail, tenantId } = invitation
  const contact = { firstName, lastName, phone, alternativeEmail }
  return insertPerson(trx, { email, name, ...contact, homeTenantId: tenantId })
}

async function joinStaff(
  trx: Trx,
  { partnerId, access }: InvitationRow,
  userId: string,
): Promise<void> {
  if (partnerId === null || access === null) throw noSuchLink()
  const status = (await holdPartner(trx, partnerId))?.status
  if (status !== 'active')
    throw new AppError(status === 'suspended' ? 'partner_suspended' : 'partner_terminated')
  await lockUser(trx, userId)
  const user = await findUser(trx, userId)
  if (!user) throw noSuchLink()
  rejectStaff(user, partnerId)
  await setStaff(trx, userId, { partnerId, access })
}

/**
 * The rights of partner staff must not go to the reader of the mail without an operator. Throws
 * AppError `address_claim_held`.
 */
async function rejectUnprovedStaff(trx: Trx, userId: string): Promise<void> {
  const user = await findUser(trx, userId)
  if (!user?.partnerId || (await readTrust(trx, userId))?.proved) return
  throw new AppError('address_claim_held')
}

/**
 * From now on the address is proved by this person. An unproved identity is given up, and its
 * memberships in other tenants than its home end: they were given to the address. Others lose the
 * address. Returns also the tenants that gave a membership to the address before anybody proved it.
 * `homeTenantId`: the tenant that creates the new identity. The tenant that proved the domain may
 * read the mail of the address, so on such a domain this takes no identity from elsewhere. Throws
 * AppError `address_claim_required`, `email_taken`.
 */
async function prove(
  services: InTransaction,
  trx: Trx,
  { userId, email, homeTenantId }: { userId: string; email: string; homeTenantId: string | null },
): Promise<{ handsOver: boolean; suspendedIn: string[] }> {
  const trust = await readTrust(trx, userId)
  const user = await findUser(trx, userId)
  if (!trust || !user || user.deactivatedAt !== null) throw noSuchLink()
  const fresh = user.idpSubjectId.startsWith(pendingSubject)
  if (trust.proved) {
    await markProved(trx, userId, email)
    return { handsOver: fresh, suspendedIn: [] }
  }
  const domain = await findDomainTenant(trx, splitAddress(email).domain)
  if (domain && (await findAddressUse(trx, domain.tenantId, email)).elsewhere)
    throw usedElsewhere(services.config, email)
  await lockMembershipsOf(trx, userId)
  const suspendedIn = await suspendElsewhere(trx, userId, [trust.homeTenantId, homeTenantId])
  if (!fresh) await giveUpIdentity(trx, userId, homeTenantId)
  await markProved(trx, userId, email)
  suspendedIn.push(...(await detachOthers(services, trx, { email, userId })))
  return { handsOver: true, suspendedIn }
}

/**
 * The link to a new password proves the address that it was sent to. One that went to a second
 * address proves nothing. Throws AppError `not_found`.
 */
export function settlePassword(services: Services, hash: Buffer): Promise<AccessLink> {
  return services.database.db.transaction().execute(async (trx) => {
    const addressed = await findByAccessLink(trx, hash)
    if (addressed) await lockEmail(trx, addressed.email)
    const link = addressed && (await findByAccessLink(trx, hash))
    if (!link) throw noSuchLink()
    if (link.sentTo !== null) return link
    const trust = await readTrust(trx, link.userId)
    const { suspendedIn } = await prove(services, trx, {
      userId: link.userId,
      email: link.email,
      homeTenantId: trust?.homeTenantId ?? null,
    })
    await recordSuspendedMemberships(services, trx, link.email, suspendedIn)
    return link
  })
}
