import type { MemberView, ResetPassword } from '@atrium/core/members/members'

/** Where a new password holds, and where it does not, in sentences to stand above it. */
export function passwordNote(
  member: Pick<MemberView, 'email'>,
  {
    outcomes: { identity, mail, sessions },
    linkSentTo,
  }: Pick<ResetPassword, 'outcomes' | 'linkSentTo'>,
): string {
  const where = [
    identity.state === 'ok' && linkSentTo === null ? 'sign-in' : undefined,
    mail.state === 'ok' ? 'the mailbox' : undefined,
  ].filter(Boolean)
  const missed = [
    identity.state === 'error'
      ? `Sign-in did not take it: ${identity.error ?? 'the system was not reached'}`
      : undefined,
    mail.state === 'error'
      ? `The mailbox did not take it: ${mail.error ?? 'the system was not reached'}`
      : undefined,
  ].filter(Boolean)
  const open =
    sessions.state === 'error'
      ? `Sessions and apps may stay signed in for up to 30 days: ${sessions.error ?? 'the identity provider was not reached'} Sign the member out everywhere.`
      : ''
  const holds = where.length > 0 ? `It holds for ${where.join(' and ')} of ${member.email}.` : ''
  const again =
    missed.length > 0
      ? 'Reset it again when the system works.'
      : 'Hand it over in a way that nobody else reads.'
  return [holds, ...missed, open, again].filter(Boolean).join(' ')
}
