import type { CreatedMember, MemberView } from '@atrium/core/members/members'
import { formatList } from '@atrium/ui/format'
import { translations } from '@atrium/ui/messages'
import { HandOverPassword } from './hand-over-password.tsx'
import { failedSystems } from './member-status-meta.ts'

const t = translations('portal.members')

interface Props {
  slug: string
  /** The result of a call; nothing is shown until it contains a password. */
  member: CreatedMember | undefined
  onClose: () => void
}

/**
 * The one-time password that a call made for a member, and whether everything that goes with it
 * works.
 */
export default function FirstPassword({ slug, member, onClose }: Props) {
  if (!member?.oneTimePassword) return null
  return (
    <HandOverPassword
      slug={slug}
      member={member.member}
      secret={member.oneTimePassword}
      title={t('password.firstOf', { member: member.member.name })}
      note={firstPasswordNote(member.member)}
      onClose={onClose}
    />
  )
}

/** Whom the password is for, and what is not ready yet. */
export function firstPasswordNote(
  member: Pick<MemberView, 'email' | 'mailboxAddress' | 'outcomes'>,
): string {
  const { email, mailboxAddress } = member
  const whose =
    mailboxAddress && mailboxAddress !== email
      ? t('password.forMailbox', { email, mailbox: mailboxAddress })
      : t('password.for', { email })
  const failed = failedSystems(member).map((system) => t(`systems.${system}.inList`))
  return failed.length === 0
    ? whose
    : `${whose} ${t('password.notReady', { systems: formatList(failed) })}`
}
