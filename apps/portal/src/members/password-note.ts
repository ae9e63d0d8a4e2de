import type { MemberView, ResetPassword } from '@atrium/core/members/members'
import { translations } from '@atrium/ui/messages'

const t = translations('portal.members')

/** Where a new password applies and where it does not, in sentences shown above it. */
export function passwordNote(
  member: Pick<MemberView, 'email'>,
  {
    outcomes: { identity, mail, sessions },
    linkSentTo,
  }: Pick<ResetPassword, 'outcomes' | 'linkSentTo'>,
): string {
  const signsIn = identity.state === 'ok' && linkSentTo === null
  const opensMail = mail.state === 'ok'
  const place = signsIn ? (opensMail ? 'both' : 'identity') : opensMail ? 'mail' : undefined
  const missed = [
    identity.state === 'error' &&
      t('password.missed.identity', { reason: identity.error ?? t('password.notReached') }),
    mail.state === 'error' &&
      t('password.missed.mail', { reason: mail.error ?? t('password.notReached') }),
  ].filter((sentence) => sentence !== false)
  return [
    place && t(`password.validFor.${place}`, { email: member.email }),
    ...missed,
    sessions.state === 'error' &&
      t('password.missed.sessions', { reason: sessions.error ?? t('password.notReached') }),
    t(missed.length > 0 ? 'password.again' : 'password.share'),
  ]
    .filter(Boolean)
    .join(' ')
}
