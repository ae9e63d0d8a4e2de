import type { Invitee } from '@atrium/core/invitations/invitations'
import { type AppError, findAppError } from '@atrium/core/platform/errors'
import type { InvitationRow } from '@atrium/db/invitations/invitations'
import type { Caller } from '../rpc/caller.ts'
import type { Context } from '../rpc/context.ts'
import type { Issued } from './issue-invitation.ts'
import { invitationEntry, recordExpired, termsOf } from './record-invitation.ts'

/** What became of one address. */
export type Outcome =
  | { email: string; invitation: InvitationRow; rejection?: never }
  | { email: string; invitation?: never; rejection: AppError }

type Each = (issue: (invitee: Invitee) => Promise<Issued>) => Promise<Outcome[]>

/**
 * Invites these addresses in one transaction, which `within` opens: an address that is rejected
 * does not keep the others from being invited. Each invitation is recorded.
 */
export async function inviteEach(
  ctx: Context,
  caller: Caller,
  invitees: readonly Invitee[],
  within: (each: Each) => Promise<Outcome[]>,
): Promise<Outcome[]> {
  const { audit } = ctx.services
  const expired: Issued['expired'] = []
  const outcomes = await within(async (issue) => {
    const done: Outcome[] = []
    // One after the other: they share the transaction's connection.
    for (const invitee of invitees) {
      const { email } = invitee
      try {
        const issued = await issue(invitee)
        expired.push(...issued.expired)
        done.push({ email, invitation: issued.invitation })
      } catch (error) {
        const rejection = findAppError(error)
        if (!rejection) throw error
        done.push({ email, rejection })
      }
    }
    return done
  })
  await recordExpired(ctx.services, expired)
  for (const { invitation } of outcomes)
    if (invitation)
      await audit.record(
        ctx,
        caller,
        invitationEntry('invitation.created', invitation, termsOf(invitation)),
      )
  return outcomes
}
