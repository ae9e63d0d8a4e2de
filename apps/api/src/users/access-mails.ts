import type { TenantRole } from '@atrium/core/members/memberships'
import { findLinkRecipient } from '@atrium/db/members/invitations'
import type { ClaimedMail } from '@atrium/db/outbox/outbox'
import type { Trx } from '@atrium/db/platform/connect'
import { mailTexts } from '@atrium/messages/mail'
import type { InTransaction, MailKind, MailParts, Services } from '../rpc/services.ts'
import { newAccessLink } from './access-link.ts'

const withLink: readonly string[] = ['member.invited', 'member.access_link', 'partner.invited']

/** Mails with an access link. */
export const accessLinkMails: MailKind = {
  parts: accessLinkParts,
  whyPointless: pointlessLink,
}

interface Recipient {
  userId: string
  email: string
  name: string
}

/** Invites a person to a tenant. The link is created when the mail is sent. */
export function mailMemberInvitation(
  services: InTransaction,
  trx: Trx,
  invited: Recipient & { tenantId: string; inviter: string; role: TenantRole },
): Promise<void> {
  const { userId, email, name, tenantId, inviter, role } = invited
  return services.outbox.send(trx, {
    tenantId,
    template: 'member.invited',
    to: email,
    userId,
    name,
    values: (language) => ({
      'member.name': name,
      'member.email': email,
      'member.role': mailTexts(language)(`roles.${role}`),
      'inviter.name': inviter,
      userId,
    }),
    key: `member.invited:${tenantId}:${userId}:${services.clock.now().getTime()}`,
  })
}

/** Sends a member the link to a new password. */
export function mailAccessLink(
  services: InTransaction,
  trx: Trx,
  member: Recipient & { tenantId: string; admin: string; run: string },
): Promise<void> {
  const { userId, email, name, tenantId, admin, run } = member
  return services.outbox.send(trx, {
    tenantId,
    template: 'member.access_link',
    to: email,
    userId,
    name,
    values: { 'member.name': name, 'member.email': email, 'admin.name': admin, userId },
    key: `member.access_link:${tenantId}:${userId}:${run}`,
  })
}

/** Invites a person to the staff of a partner. */
export function mailStaffInvitation(
  services: InTransaction,
  trx: Trx,
  invited: Recipient & { partner: { id: string; name: string }; inviter: string },
): Promise<void> {
  const { userId, email, name, partner, inviter } = invited
  return services.outbox.send(trx, {
    tenantId: null,
    template: 'partner.invited',
    to: email,
    userId,
    name,
    values: { 'partner.name': partner.name, 'person.name': name, 'inviter.name': inviter, userId },
    key: `partner.invited:${partner.id}:${userId}:${services.clock.now().getTime()}`,
  })
}

/** The link is made at the moment of sending, because it must not wait in the queue. */
async function accessLinkParts(
  services: Services,
  mail: ClaimedMail,
): Promise<MailParts | undefined> {
  const userId = recipientOf(mail)
  if (userId === undefined) return undefined
  const link = await newAccessLink(
    { config: services.config, db: services.database.db },
    { userId, email: mail.recipient },
  )
  return { values: { 'link.access': link } }
}

async function pointlessLink(services: Services, mail: ClaimedMail): Promise<string | undefined> {
  const userId = recipientOf(mail)
  if (userId === undefined) return undefined
  const person = await findLinkRecipient(services.database.db, userId, mail.recipient)
  if (person && (person.invited || mail.template === 'member.access_link')) return undefined
  return 'the invitation was accepted or withdrawn, or the address is another one'
}

function recipientOf({ template, values }: ClaimedMail): string | undefined {
  if (!withLink.includes(template)) return undefined
  return typeof values.userId === 'string' ? values.userId : undefined
}
