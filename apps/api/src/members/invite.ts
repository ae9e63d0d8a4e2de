import type { Invitee } from '@atrium/core/invitations/invitations'
import { isBelow } from '@atrium/core/mail/domains'
import { ownedAddress, splitAddress } from '@atrium/core/mail/mail-addresses'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { TenantRole } from '@atrium/core/tenants/tenants'
import { listOpenInvitations, type NewInvitation } from '@atrium/db/invitations/invitations'
import { isProvenElsewhere } from '@atrium/db/mail/domains'
import { findAddressUse, listTenantDomains } from '@atrium/db/members/members'
import type { Db, Trx } from '@atrium/db/platform/connect'
import type { Take } from '../rpc/limits.ts'
import type { OpenTenant } from '../rpc/open-tenant.ts'
import type { InTransaction } from '../rpc/services.ts'
import { type Issued, issueInvitation, nameFrom, toRecipient } from '../users/issue-invitation.ts'
import { rejectWithoutSeat } from './seats.ts'

/** The terms of an invitation to a tenant; of the person only what the inviter knows. */
export type MemberTerms = { role: TenantRole } & Pick<NewInvitation, 'inviter'> &
  Pick<
    NewInvitation,
    'listIds' | 'language' | 'message' | 'firstName' | 'lastName' | 'phone' | 'alternativeEmail'
  >

/**
 * Invites an address to a tenant, under the tenant's lock: as its owner, or as a member with an
 * address outside the domains that the tenant has proved. It holds a seat while it is open. What
 * is checked of the person is only what the tenant knows anyway. Throws AppError `invalid_input`,
 * `email_taken`, `seats_exhausted`, `billing_limited`.
 */
export async function inviteMember(
  services: InTransaction,
  trx: Trx,
  tenant: OpenTenant,
  invitee: Invitee,
  terms: MemberTerms,
): Promise<Issued> {
  const { email } = invitee
  await rejectPlace(services, trx, tenant.id, email, terms.role === 'owner')
  const { member } = await findAddressUse(trx, tenant.id, email)
  if (member && terms.role !== 'owner')
    throw new AppError('email_taken', errorText('alreadyMember', { address: email }))
  await rejectWithoutSeat(trx, services, tenant)
  return issueInvitation(services, trx, {
    ...terms,
    kind: terms.role === 'owner' ? 'owner' : 'member',
    tenantId: tenant.id,
    email,
    name: nameFrom(invitee),
  })
}

/**
 * What our own records have against inviting an address as a member, without a lock and besides
 * seats: for a row of an import that is only judged. Throws AppError `invalid_input`,
 * `email_taken`.
 */
export async function rejectUninvitable(
  services: InTransaction,
  db: Db,
  tenantId: string,
  email: string,
): Promise<void> {
  await rejectPlace(services, db, tenantId, email, false)
  const open = await listOpenInvitations(db, email)
  if (open.some(({ kind, tenantId: of }) => kind === 'member' && of === tenantId))
    throw new AppError('email_taken', errorText('alreadyInvited', { address: email }))
}

/** The limits of so many mails to these addresses. */
export async function invitationTakes(
  { config }: InTransaction,
  trx: Trx,
  tenantId: string,
  emails: readonly string[],
): Promise<Take[]> {
  const proved = (await listTenantDomains(trx, tenantId)).some(
    ({ name, verified }) => verified && !isBelow(name, config.tenantDomain),
  )
  const limit = proved ? 'invitations_day' : 'invitations_unproven_day'
  return [{ limit, of: tenantId, amount: emails.length }, ...emails.map(toRecipient)]
}

/**
 * People on a domain that the tenant has proved are created directly; an owner may be anywhere but
 * on the platform's own domain, where nobody reads mail before there is a mailbox. On a domain of
 * another tenant only its people can accept.
 */
async function rejectPlace(
  { config }: InTransaction,
  db: Db | Trx,
  tenantId: string,
  email: string,
  owner: boolean,
): Promise<void> {
  const reject = (message: ReturnType<typeof errorText>) =>
    new AppError('invalid_input', message, { issues: [{ path: 'email', message }] })
  const { domain } = splitAddress(email)
  const owned = ownedAddress(email, await listTenantDomains(db, tenantId))
  const onPlatform = isBelow(domain, config.tenantDomain)
  if (owned !== 'foreign' && owned.domain.verified && (!owner || onPlatform))
    throw reject(errorText('createOnOwnDomain', { domain }))
  if (owned === 'foreign' && onPlatform && !(await isProvenElsewhere(db, tenantId, domain)))
    throw reject(errorText('domainNotOfTenant', { domain }))
}
