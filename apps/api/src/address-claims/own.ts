import type {
  ChangeOwnAddress,
  ConfirmOwnAddress,
  OwnAddressClaimResult,
} from '@atrium/core/address-claims/address-claims'
import { isBelow } from '@atrium/core/mail/domains'
import { splitAddress } from '@atrium/core/mail/mail-addresses'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import {
  deleteAddressClaimsOfPerson,
  findAddressChange,
  findAddressClaimOfPerson,
  followNewAddress,
  lockMembershipsOf,
  requestAddressChange,
  suspendElsewhere,
} from '@atrium/db/address-claims/address-claims'
import { isProvenElsewhere } from '@atrium/db/mail/domains'
import { findPerson, setPersonEmail } from '@atrium/db/members/members'
import { lockUser } from '@atrium/db/partners/partner-team'
import type { Db, Trx } from '@atrium/db/platform/connect'
import { markProved } from '@atrium/db/users/address-proofs'
import { addIdentitySyncTask } from '@atrium/db/users/identity-sync-tasks'
import { detachedEmail, lockEmail } from '@atrium/db/users/users'
import type { AuditEntry } from '../rpc/audit-recorder.ts'
import type { Caller } from '../rpc/caller.ts'
import type { Context } from '../rpc/context.ts'
import { ofRecipient } from '../rpc/limits.ts'
import type { InTransaction } from '../rpc/services.ts'
import { requirePortal } from '../users/access-link.ts'
import { hashOfToken, mailAddressChange } from './mails.ts'

/** The claim to the caller's own address, while there is one. */
export async function readOwnAddressClaim(
  { services }: Context,
  caller: Caller,
): Promise<OwnAddressClaimResult> {
  const claim =
    caller.id === undefined
      ? undefined
      : await findAddressClaimOfPerson(services.database.db, caller.id)
  if (!claim) return { claim: null }
  const { email, tenantName, endsAt, newEmail } = claim
  return {
    claim: {
      email,
      tenantName,
      domain: splitAddress(email).domain,
      endsAt: endsAt.toISOString(),
      nameAfterwards: detachedEmail(email, claim.userId),
      pendingEmail: newEmail,
    },
  }
}

/**
 * Sends a link to the address that the caller wants in the place of a claimed one. Nothing tells
 * whether somebody has that address. Throws AppError `not_found`, `invalid_input`,
 * `integration_off`, `rate_limited`.
 */
export async function changeOwnAddress(
  ctx: Context,
  caller: Caller,
  { email }: ChangeOwnAddress,
): Promise<void> {
  const { services } = ctx
  requirePortal(services.config)
  await services.database.db.transaction().execute(async (trx) => {
    const claim = caller.id && (await findAddressClaimOfPerson(trx, caller.id))
    if (!claim) throw noClaim()
    await rejectProvenDomain(services, trx, email)
    const { userId, name } = claim
    await requestAddressChange(trx, userId, email)
    await mailAddressChange(services, trx, { userId, name, email })
    await services.limits.takeIn(trx, ctx.request, [
      { limit: 'address_changes_day', of: userId },
      { limit: 'invitations_recipient_day', of: ofRecipient(email) },
    ])
    const entry: AuditEntry = {
      action: 'user.address_change_requested',
      resourceType: 'user',
      resourceId: userId,
      resourceName: email,
    }
    await services.audit.record(ctx, caller, entry, trx)
  })
}

/**
 * Gives the caller the address whose link was mailed. Only the person who asked for it can use the
 * link, so a reader of the mail who did not ask gives the own address to nobody. Throws AppError
 * `not_found`, `email_taken`, `invalid_input`.
 */
export async function confirmOwnAddress(
  ctx: Context,
  caller: Caller,
  { token }: ConfirmOwnAddress,
): Promise<void> {
  const { services } = ctx
  const { id: userId } = caller
  const hash = hashOfToken(token)
  if (!hash || userId === undefined) throw noSuchLink()
  await services.database.db.transaction().execute(async (trx) => {
    const email = await findAddressChange(trx, userId, hash)
    if (email === undefined) throw noSuchLink()
    await lockEmail(trx, email)
    await rejectProvenDomain(services, trx, email)
    if (await findPerson(trx, { email }))
      throw new AppError('email_taken', errorText('addressInUse', { address: email }))
    await lockMembershipsOf(trx, userId)
    await lockUser(trx, userId)
    const claim = await findAddressClaimOfPerson(trx, userId)
    // Used by another request, or the claim has ended meanwhile.
    if (!claim || (await findAddressChange(trx, userId, hash)) !== email) throw noSuchLink()
    const suspendedIn = claim.proved
      ? []
      : await suspendElsewhere(trx, userId, [claim.homeTenantId])
    await followNewAddress(trx, userId)
    await setPersonEmail(trx, userId, email)
    await markProved(trx, userId, email)
    await addIdentitySyncTask(trx, userId, { profile: true, address: true })
    await deleteAddressClaimsOfPerson(trx, userId)
    const entry: AuditEntry = {
      action: 'user.address_changed',
      resourceType: 'user',
      resourceId: userId,
      resourceName: email,
      metadata: {
        changes: { email: [claim.email, email] },
        ...(suspendedIn.length > 0 && { suspendedIn }),
      },
    }
    await services.audit.record(ctx, caller, entry, trx)
    const settled: AuditEntry = {
      action: 'address.claim_settled',
      resourceType: 'address',
      resourceId: claim.email,
      resourceName: claim.email,
      tenantSlug: claim.tenantSlug,
      partnerSlug: claim.partnerSlug,
      metadata: { outcome: 'changed' },
    }
    await services.audit.recordSystem(settled, trx)
  })
}

/** An address on a domain that a tenant proved comes from that tenant alone. */
async function rejectProvenDomain(
  { config }: InTransaction,
  db: Db | Trx,
  email: string,
): Promise<void> {
  const { domain } = splitAddress(email)
  if (!isBelow(domain, config.tenantDomain) && !(await isProvenElsewhere(db, null, domain))) return
  const message = errorText('domainOfOtherTenant', { address: email })
  throw new AppError('invalid_input', undefined, { issues: [{ path: 'email', message }] })
}

const noClaim = () => new AppError('not_found', errorText('noAddressClaim'))
const noSuchLink = () => new AppError('not_found', errorText('invitationLinkInvalid'))
