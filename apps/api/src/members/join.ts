import { splitAddress } from '@atrium/core/mail/mail-addresses'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { provisioningSteps } from '@atrium/core/tenants/tenants'
import type { InvitationRow } from '@atrium/db/invitations/invitations'
import { isProvenElsewhere } from '@atrium/db/mail/domains'
import type { TouchedList } from '@atrium/db/mail/lists'
import {
  changeMembership,
  insertMembership,
  lockMember,
  yieldOwnership,
} from '@atrium/db/members/members'
import type { Trx } from '@atrium/db/platform/connect'
import { readEntitlements } from '../billing/entitlements/read.ts'
import { rejectLimitedBy } from '../billing/invoices/limits.ts'
import { addToLists } from '../mail/lists/members.ts'
import type { OpenTenant } from '../rpc/open-tenant.ts'
import type { InTransaction } from '../rpc/services.ts'
import { takeSeat } from './seats.ts'

/**
 * An address on a domain that another tenant has proved belongs to that tenant: only a person it
 * already knows can accept with it. Throws AppError `email_taken`.
 */
export async function rejectForeignNewcomer(
  trx: Trx,
  tenantId: string,
  address: string,
): Promise<void> {
  if (await isProvenElsewhere(trx, tenantId, splitAddress(address).domain))
    throw new AppError('email_taken', errorText('domainOfOtherTenant', { address }))
}

/**
 * Gives a person what the invitation says, under the tenant's lock: the invitation's seat becomes
 * the member's, and the lists get the address. A member keeps the role, unless the invitation is
 * for an owner; a tenant that has an owner gets this one instead. Throws AppError
 * `member_not_active` for a suspended member, `seats_exhausted`, `billing_limited`.
 */
export async function joinTenant(
  services: InTransaction,
  trx: Trx,
  tenant: OpenTenant,
  { role: invitedRole, email, listIds }: InvitationRow,
  userId: string,
): Promise<TouchedList[]> {
  const role = invitedRole ?? 'member'
  const member = await lockMember(trx, tenant.id, userId)
  if (member && !['active', 'provisioning'].includes(member.membershipStatus))
    throw new AppError('member_not_active', errorText('suspendedThere'))
  const entitlements = await readEntitlements(trx, services, tenant.id)
  if (role === 'owner' && member?.role !== 'owner') await yieldOwnership(trx, tenant.id)
  if (member) {
    await changeMembership(
      trx,
      tenant.id,
      userId,
      {
        status: 'provisioning',
        identity_changed_at: 'now',
        ...(role === 'owner' ? { role } : {}),
      },
      provisioningSteps,
    )
  } else {
    rejectLimitedBy(entitlements)
    await takeSeat(trx, services, tenant, entitlements, { reserved: true })
    await insertMembership(trx, { tenantId: tenant.id, userId, role })
    await services.limits.takeIn(trx, undefined, [{ limit: 'members_day', of: tenant.id }])
  }
  return addToLists(trx, tenant.id, listIds, email)
}
