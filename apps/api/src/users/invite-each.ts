import type { Invitee } from '@atrium/core/invitations/invitations'
import { type AppError, findAppError } from '@atrium/core/platform/errors'
import type { Trx } from '@atrium/db/platform/connect'
import type { Caller } from '../rpc/caller.ts'
import type { TransactionContext } from '../rpc/services.ts'
import type { Issued } from './issue-invitation.ts'
import { invitationEntry, recordExpired, termsOf } from './record-invitation.ts'

/** What became of one address. */
export type Outcome =
  | (Issued & { email: string; rejection?: never })
  | { email: string; invitation?: never; rejection: AppError }

/**
 * Invites these addresses in one transaction: an address that is rejected does not keep the others
 * from being invited.
 */
export async function inviteEach(
  invitees: readonly Invitee[],
  issue: (invitee: Invitee) => Promise<Issued>,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  // One after the other: they share the transaction's connection.
  for (const invitee of invitees) {
    const { email } = invitee
    try {
      outcomes.push({ email, ...(await issue(invitee)) })
    } catch (error) {
      const rejection = findAppError(error)
      if (!rejection) throw error
      outcomes.push({ email, rejection })
    }
  }
  return outcomes
}

/** Records each invitation, and those that made way for it, in the transaction. */
export async function recordInvited(
  ctx: TransactionContext,
  trx: Trx,
  caller: Caller,
  outcomes: readonly Outcome[],
): Promise<void> {
  const issued = outcomes.flatMap((outcome) => (outcome.invitation ? [outcome] : []))
  const expired = issued.flatMap((outcome) => outcome.expired)
  await recordExpired(ctx.services, trx, expired)
  for (const { invitation } of issued) {
    const entry = invitationEntry('invitation.created', invitation, termsOf(invitation))
    await ctx.services.audit.record(ctx, caller, entry, trx)
  }
}
