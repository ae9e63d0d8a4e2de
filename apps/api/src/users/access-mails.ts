import type { ClaimedMail } from '@atrium/db/outbox/outbox'
import type { Trx } from '@atrium/db/platform/connect'
import { findUser } from '@atrium/db/users/users'
import type { InTransaction, MailKind, MailParts, Services } from '../rpc/services.ts'
import { newAccessLink } from './access-link.ts'

/** Mails with the link to a new password. */
export const accessLinkMails: MailKind = { parts, whyPointless }

/** Sends a member the link to a new password. */
export function mailAccessLink(
  services: InTransaction,
  trx: Trx,
  member: {
    userId: string
    email: string
    name: string
    tenantId: string
    admin: string
    run: string
  },
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

/** The link is made at the moment of sending, because it must not wait in the queue. */
async function parts(services: Services, mail: ClaimedMail): Promise<MailParts | undefined> {
  const userId = recipientOf(mail)
  if (userId === undefined) return undefined
  const link = await newAccessLink(
    { config: services.config, db: services.database.db },
    { userId, email: mail.recipient },
  )
  return { values: { 'link.access': link } }
}

async function whyPointless(services: Services, mail: ClaimedMail): Promise<string | undefined> {
  const userId = recipientOf(mail)
  if (userId === undefined) return undefined
  const person = await findUser(services.database.db, userId)
  return person?.email === mail.recipient ? undefined : 'the address is another one'
}

function recipientOf({ template, values }: ClaimedMail): string | undefined {
  if (template !== 'member.access_link') return undefined
  return typeof values.userId === 'string' ? values.userId : undefined
}
