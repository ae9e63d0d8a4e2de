import type { Caller } from '../../rpc/caller.ts'
import type { Context } from '../../rpc/context.ts'

/**
 * Takes one of the sign-ins at the mail server that one person may cause in an hour. To the mail
 * server they all come from us, and it bans an address that guesses passwords. Throws AppError
 * `rate_limited`.
 */
export function takeMailboxSignIn(
  { services, request }: Context,
  { subject }: Caller,
): Promise<void> {
  return services.limits.take(request, [{ limit: 'mailbox_sign_ins_hour', of: subject }])
}
