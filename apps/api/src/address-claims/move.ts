import type { AcceptedInvitation } from '@atrium/core/invitations/invitations'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import {
  type AddressClaimRow,
  deleteAddressClaim,
  findAddressClaimByLink,
  lockMembershipsOf,
  markAddressClaimMoved,
} from '@atrium/db/address-claims/address-claims'
import { insertClaimedMembership, releaseMember } from '@atrium/db/members/member-work'
import { findMember } from '@atrium/db/members/members'
import { lockUser } from '@atrium/db/partners/partner-team'
import { giveUpIdentity, markProved, renewIdentitySteps } from '@atrium/db/users/address-proofs'
import { lockEmail } from '@atrium/db/users/users'
import { readEntitlements } from '../billing/entitlements/read.ts'
import { activate, setUp } from '../invitations/set-up.ts'
import { takeSeat } from '../members/seats.ts'
import type { AuditEntry } from '../rpc/audit-recorder.ts'
import type { Context } from '../rpc/context.ts'
import { lockOpenTenant } from '../rpc/open-tenant.ts'
import { tenantTransaction } from '../rpc/tenant-transaction.ts'
import { takeAllowance } from '../rpc/visitor-limits.ts'
import { requireIdentity } from '../users/identity.ts'
import { hashOfToken } from './mails.ts'

/**
 * Follows the link of a claim, whose token is the bearer token: proves that the person reads the
 * mail of the address, gives up the old identity with its sessions, tokens and second factors, and
 * creates one whose home is the tenant that claims the address. The person becomes a member there
 * and keeps the other memberships. The link works once; when an upstream system fails it stays
 * valid. Throws AppError `not_found`, `seats_exhausted`, `address_claim_held`, `tenant_suspended`,
 * `tenant_deleted`, `email_taken`, `upstream_failed`, `rate_limited`.
 */
export async function moveHome(ctx: Context): Promise<AcceptedInvitation> {
  const { services } = ctx
  const { db } = services.database
  await takeAllowance(ctx, 'invitation_links')
  const hash = hashOfToken(ctx.bearerToken() ?? '')
  const addressed = hash && (await findAddressClaimByLink(db, hash))
  if (!hash || !addressed) throw noSuchLink()
  const identity = requireIdentity(services)
  return services.keyedLimiter.take('invitations', () =>
    services.database.exclusively(`invitation:${addressed.email}`, async () => {
      const claim = await settle(ctx, hash)
      await setUp(services, identity, claim)
      const handover = await activate(services, identity, claim.userId)
      const entry: AuditEntry = {
        action: 'address.moved',
        resourceType: 'user',
        resourceId: claim.userId,
        resourceName: claim.email,
        tenantSlug: claim.tenantSlug,
        partnerSlug: claim.partnerSlug,
      }
      await db.transaction().execute(async (trx) => {
        await deleteAddressClaim(trx, claim)
        await services.audit.recordVisitor(ctx, entry, trx)
      })
      const handoff = handover.link === undefined ? 'tempPassword' : 'link'
      const { email, tenantName: joined, tenantSlug } = claim
      return { email, joined, path: `/t/${tenantSlug}`, handoff, ...handover }
    }),
  )
}

const noSuchLink = () => new AppError('not_found', errorText('invitationLinkInvalid'))

/** Writes the move, once; a later try goes on with the same claim. */
async function settle(ctx: Context, hash: Buffer): Promise<AddressClaimRow> {
  const { services } = ctx
  const found = await findAddressClaimByLink(services.database.db, hash)
  if (!found) throw noSuchLink()
  if (found.movedAt !== null) return found
  const { tenantId, userId, email } = found
  const { claim, work } = await tenantTransaction(services, tenantId, async (trx) => {
    const tenant = await lockOpenTenant(trx, found.tenantSlug)
    await lockEmail(trx, email)
    await lockMembershipsOf(trx, userId)
    const member = await findMember(trx, tenantId, userId)
    await lockUser(trx, userId)
    const claim = await findAddressClaimByLink(trx, hash)
    if (!claim?.founded || claim.movedAt !== null || claim.deactivatedAt !== null)
      throw noSuchLink()
    // Such rights must not go to another identity without an operator.
    if (claim.platformAdmin || claim.partnerId !== null) throw new AppError('address_claim_held')
    if (!member)
      await takeSeat(trx, services, tenant, await readEntitlements(trx, services, tenant.id))
    await giveUpIdentity(trx, userId, tenantId)
    // The jobs create the identity when nobody follows the link again after a process has died.
    await renewIdentitySteps(trx, userId, null)
    await markProved(trx, userId, email)
    await markAddressClaimMoved(trx, claim)
    const work = member
      ? undefined
      : await insertClaimedMembership(trx, {
          tenantId,
          userId,
          role: 'member',
          mailboxAddress: null,
          mailVacant: false,
          fresh: false,
        })
    return { claim, work }
  })
  if (work) await releaseMember(services.database.db, work)
  return claim
}
