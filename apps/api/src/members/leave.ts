import { provisioningSteps } from '@atrium/core/tenants/tenants'
import type { TouchedList } from '@atrium/db/mail/lists'
import { changeMembership, type MemberRow, revokeMembership } from '@atrium/db/members/members'
import type { Trx } from '@atrium/db/platform/connect'
import { takeOutOfLists } from '../mail/lists/members.ts'

/**
 * Ends a membership in the records: access at once, the way out of every upstream system to be
 * done, and the known addresses taken out of the tenant's lists. Under the locks of tenant and
 * member.
 */
export async function leaveTenant(
  trx: Trx,
  tenantId: string,
  member: Pick<MemberRow, 'id' | 'email' | 'mailboxAddress'>,
): Promise<TouchedList[]> {
  await changeMembership(trx, tenantId, member.id, { status: 'removing' }, provisioningSteps)
  await revokeMembership(trx, tenantId, member.id)
  return takeOutOfLists(trx, tenantId, [member.email, member.mailboxAddress])
}
