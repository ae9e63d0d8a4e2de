import type { MemberRow } from '@atrium/db/members'
import type { House } from '../house.ts'
import { requirePortal } from '../invitations/link.ts'
import { mailMemberInvitation } from '../invitations/mails.ts'

/** Mails an open invitation once more; the link of the earlier mail is void as soon as this one is sent. Throws AppError `integration_off`. */
export async function sendInvitationAgain(
  house: House,
  tenantId: string,
  { id: userId, email, name, role }: Pick<MemberRow, 'id' | 'email' | 'name' | 'role'>,
  inviter: string,
): Promise<void> {
  requirePortal(house.config)
  await house.database.db.transaction().execute((trx) => mailMemberInvitation(house, trx, { userId, email, name, tenantId, inviter, role }))
}
