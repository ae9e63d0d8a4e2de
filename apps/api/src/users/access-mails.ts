import type { ClaimedMail } from '@atrium/db/outbox/outbox'
import type { Trx } from '@atrium/db/platform/connect'
import { allowPasswordLink, isPasswordLinkAllowed } from '@atrium/db/users/access-links'
import { findUser } from '@atrium/db/users/users'
import type { InTransaction, MailKind, MailParts, Services } from '../rpc/services.ts'
import { newAccessLink, newLinkToken, newPasswordLink } from './access-link.ts'

/** Mails with the link to a new password. */
export const accessLinkMails: MailKind = { parts, whyPointless }

interface Recipient {
  userId: string
  email: string
  name: string
  tenantId: string
  admin: string
  run: string
}

/** Sends a member the link to a new password. */
export function mailAccessLink(
  services: InTransaction,
  trx: Trx,
  member: Recipient,
): Promise<void> {
  return send(services, trx, member, { template: 'member.access_link', to: member.email })
}

/**
 * Sends a member the link to a new password at a second address. Every other link of the person is
 * void from now on.
 */
export async function mailPasswordLink(
  services: InTransaction,
  trx: Trx,
  member: Recipient,
  sentTo: string,
): Promise<void> {
  const { userId, email, tenantId } = member
  const { hash } = newLinkToken(services.config)
  await allowPasswordLink(trx, { userId, email, sentTo, tenantId, hash })
  await send(services, trx, member, { template: 'member.password_link', to: sentTo })
}

function send(
  services: InTransaction,
  trx: Trx,
  { userId, email, name, tenantId, admin, run }: Recipient,
  { template, to }: { template: 'member.access_link' | 'member.password_link'; to: string },
): Promise<void> {
  return services.outbox.send(trx, {
    tenantId,
    template,
    to,
    userId,
    name,
    values: { 'member.name': name, 'member.email': email, 'admin.name': admin, userId },
    key: `${template}:${tenantId}:${userId}:${run}`,
  })
}

/** The link is made at the moment of sending, because it must not wait in the queue. */
async function parts(services: Services, mail: ClaimedMail): Promise<MailParts | undefined> {
  const { config, database } = services
  const own = recipientOf(mail)
  const second = secondRecipientOf(mail)
  if (own !== undefined) {
    const person = { userId: own, email: mail.recipient }
    const link = await newAccessLink({ config, db: database.db }, person)
    return { values: { 'link.access': link } }
  }
  if (second === undefined) return undefined
  return { values: { 'link.access': await newPasswordLink({ config, db: database.db }, second) } }
}

async function whyPointless(services: Services, mail: ClaimedMail): Promise<string | undefined> {
  const { db } = services.database
  const own = recipientOf(mail)
  const second = secondRecipientOf(mail)
  if (second !== undefined)
    return (await isPasswordLinkAllowed(db, second)) ? undefined : 'the link is void'
  if (own === undefined) return undefined
  const person = await findUser(db, own)
  return person?.email === mail.recipient ? undefined : 'the address is another one'
}

function recipientOf({ template, values }: ClaimedMail): string | undefined {
  if (template !== 'member.access_link') return undefined
  return typeof values.userId === 'string' ? values.userId : undefined
}

function secondRecipientOf({ template, values, tenantId, recipient }: ClaimedMail) {
  const { userId } = values
  if (template !== 'member.password_link' || tenantId === null) return undefined
  return typeof userId === 'string' ? { userId, tenantId, sentTo: recipient } : undefined
}
