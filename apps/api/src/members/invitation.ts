import type { MemberRow } from '@atrium/db/members/members'
import { ofRecipient, type Take } from '../rpc/limits.ts'
import type { Services } from '../rpc/services.ts'
import { requirePortal } from '../users/access-link.ts'
import { mailMemberInvitation } from '../users/access-mails.ts'

/** The limits of one more mail to a person who is already invited. */
export function repeatedInvitation({
  tenantId,
  email,
}: {
  tenantId: string
  email: string
}): Take[] {
  return [
    { limit: 'invitation_repeats_day', of: tenantId },
    { limit: 'invitations_recipient_day', of: ofRecipient(email) },
  ]
}

/**
 * Mails an open invitation once more; the link of the earlier mail is void as soon as this one is
 * sent. Throws AppError `integration_off`.
 */
export async function sendInvitationAgain(
  services: Services,
  tenantId: string,
  { id: userId, email, name, role }: Pick<MemberRow, 'id' | 'email' | 'name' | 'role'>,
  inviter: string,
): Promise<void> {
  requirePortal(services.config)
  await services.database.db
    .transaction()
    .execute((trx) =>
      mailMemberInvitation(services, trx, { userId, email, name, tenantId, inviter, role }),
    )
}
