import {
  findInvitation,
  type InvitationRow,
  saveInvitationLink,
} from '@atrium/db/invitations/invitations'
import type { ClaimedMail } from '@atrium/db/outbox/outbox'
import type { Trx } from '@atrium/db/platform/connect'
import { mailTexts } from '@atrium/messages/mail'
import type { InTransaction, MailKind, MailParts, Services } from '../rpc/services.ts'
import { newLinkToken } from './access-link.ts'

const templateOf = {
  member: 'member.invited',
  owner: 'member.invited',
  staff: 'partner.invited',
  operator: 'operator.invited',
} as const satisfies Record<InvitationRow['kind'], string>

const templates: readonly string[] = Object.values(templateOf)

/** Mails of invitations. */
export const invitationMails: MailKind = { parts, whyPointless }

/**
 * Queues the mail of an invitation. Its link is made when the mail is sent. The message of the
 * inviter is on the page of the link alone: the platform's address does not carry texts of
 * strangers to strangers.
 */
export function mailInvitation(
  services: InTransaction,
  trx: Trx,
  invitation: InvitationRow,
): Promise<void> {
  const { id, kind, email, name, role, tenantId, language, inviter } = invitation
  return services.outbox.send(trx, {
    tenantId,
    template: templateOf[kind],
    to: email,
    name,
    ...(language === null ? {} : { language }),
    values: (chosen) => ({
      'inviter.name': inviter,
      'invitation.days': services.config.invitationDays,
      ...(role === null
        ? { 'person.name': name, 'partner.name': invitation.partnerName ?? '' }
        : {
            'member.name': name,
            'member.email': email,
            'member.role': mailTexts(chosen)(`roles.${role}`),
          }),
      invitationId: id,
    }),
    key: `invitation:${id}:${services.clock.now().getTime()}`,
  })
}

/** The link is made at the moment of sending, because it must not wait in the queue. */
async function parts(services: Services, mail: ClaimedMail): Promise<MailParts | undefined> {
  const id = invitationOf(mail)
  if (id === undefined) return undefined
  const { link, hash } = newLinkToken(services.config)
  await saveInvitationLink(services.database.db, id, hash)
  return {
    values: { 'link.access': link, 'invitation.days': services.config.invitationDays },
  }
}

async function whyPointless(services: Services, mail: ClaimedMail): Promise<string | undefined> {
  const id = invitationOf(mail)
  if (id === undefined) return undefined
  const state = (await findInvitation(services.database.db, id))?.state
  return state === 'pending' || state === 'opened' ? undefined : 'the invitation is not open'
}

function invitationOf({ template, values }: ClaimedMail): string | undefined {
  if (!templates.includes(template)) return undefined
  return typeof values.invitationId === 'string' ? values.invitationId : undefined
}
