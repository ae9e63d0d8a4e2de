import type { CreatedMember, MemberView } from '@atrium/core/members/members'
import { SecretReveal } from '@atrium/ui/secret-reveal'
import { failedSystems, systemNames } from './member-status-meta.ts'

interface Props {
  /** What a call answered; nothing is shown until it holds a password. */
  answer: CreatedMember | undefined
  onClose: () => void
}

/**
 * The one-time password that a call made for a member, and whether everything that goes with it
 * works.
 */
export default function FirstPassword({ answer, onClose }: Props) {
  return (
    <SecretReveal
      opened={typeof answer?.oneTimePassword === 'string'}
      onClose={onClose}
      title={answer ? `First password of ${answer.member.name}` : 'First password'}
      label="One-time password"
      secret={answer?.oneTimePassword ?? ''}
    >
      {answer && firstPasswordNote(answer.member)}
    </SecretReveal>
  )
}

/** Whom the password is for, and what is not ready yet. */
export function firstPasswordNote(
  member: Pick<MemberView, 'email' | 'mailboxAddress' | 'outcomes'>,
): string {
  const failed = failedSystems(member).map((system) => systemNames[system].name.toLowerCase())
  const names =
    member.mailboxAddress && member.mailboxAddress !== member.email
      ? `${member.email}, with the mailbox ${member.mailboxAddress}`
      : member.email
  const missing =
    failed.length > 0
      ? ` Not ready yet: ${failed.join(', ')}. It is tried again by itself; the details say why.`
      : ''
  return `For ${names}. Hand it over in a way that nobody else reads.${missing}`
}
