import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import {
  type ExpiredInvitation,
  expireInvitations,
  type InvitationRow,
  insertInvitation,
  type NewInvitation,
} from '@atrium/db/invitations/invitations'
import type { Trx } from '@atrium/db/platform/connect'
import type { Caller } from '../rpc/caller.ts'
import { ofRecipient, type Take } from '../rpc/limits.ts'
import type { InTransaction } from '../rpc/services.ts'
import { mailInvitation } from './invitation-mails.ts'

export interface Issued {
  invitation: InvitationRow
  /** Those that made way for it because their time is over; to be recorded. */
  expired: ExpiredInvitation[]
}

/**
 * Stores an invitation and queues its mail. Nobody becomes anything, and no record of a person is
 * made. Requires the lock of the tenant or the partner. Throws AppError `email_taken` when an open
 * invitation is there for the address, or for the owner of the tenant.
 */
export async function issueInvitation(
  services: InTransaction,
  trx: Trx,
  invitation: Omit<NewInvitation, 'days'>,
): Promise<Issued> {
  const expired = await expireInvitations(trx, { limit: 10, to: invitation })
  const days = services.config.invitationDays
  const inserted = await insertInvitation(trx, { ...invitation, days })
  if (!inserted) {
    const { kind, email: address } = invitation
    throw new AppError(
      'email_taken',
      kind === 'owner' ? errorText('ownerInvited') : errorText('alreadyInvited', { address }),
    )
  }
  await mailInvitation(services, trx, inserted)
  return { invitation: inserted, expired }
}

/** Who invites, for the mail and the page of the link. */
export const inviterOf = (caller: Caller, otherwise: string): NewInvitation['inviter'] => ({
  id: caller.id ?? null,
  name: caller.name ?? caller.email ?? otherwise,
})

export const toRecipient = (email: string): Take => ({
  limit: 'invitations_recipient_day',
  of: ofRecipient(email),
})

/** The name of a person of whom only the address is known. */
export const nameFrom = ({ email, name }: { email: string; name?: string | undefined }) =>
  name ?? email.slice(0, email.lastIndexOf('@'))
