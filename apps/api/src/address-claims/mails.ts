import { createHash, randomBytes } from 'node:crypto'
import { writtenDay } from '@atrium/core/platform/written-day'
import {
  type AddressClaimRow,
  findAddressClaim,
  findAddressClaimOfPerson,
  listOperators,
  saveAddressChangeLink,
  saveAddressClaimLink,
} from '@atrium/db/address-claims/address-claims'
import { listAdministrators } from '@atrium/db/members/members'
import type { ClaimedMail } from '@atrium/db/outbox/outbox'
import type { Trx } from '@atrium/db/platform/connect'
import { detachedEmail } from '@atrium/db/users/users'
import { portalLink } from '../platform/links.ts'
import type { InTransaction, MailKind, MailParts, Services } from '../rpc/services.ts'

/** Paths of the links of these mails, in the portal. */
export const claimPath = '/claim/'
export const confirmationPath = '/confirm-address'

/** Mails about claims to addresses. Their links are made when the mail is sent. */
export const addressClaimMails: MailKind = { parts: linkParts, whyPointless: pointlessLink }

/** 256 bits as base64url, and its SHA-256, which is all that is stored. */
function newToken(): { token: string; hash: Buffer } {
  const token = randomBytes(32).toString('base64url')
  return { token, hash: createHash('sha256').update(token).digest() }
}

/** By which a link is looked up; undefined for a text that no token can be. */
export function hashOfToken(token: string): Buffer | undefined {
  return /^[A-Za-z0-9_-]{43}$/.test(token) ? createHash('sha256').update(token).digest() : undefined
}

const domainOf = (email: string) => email.slice(email.lastIndexOf('@') + 1)

/** Notifies the person and the admins of the tenant that manages the identity. */
export async function mailClaim(
  services: InTransaction,
  trx: Trx,
  claim: AddressClaimRow,
): Promise<void> {
  const { tenantId, userId, email, name, endsAt, tenantName, startedAt } = claim
  const common = {
    'person.email': email,
    'domain.name': domainOf(email),
    'claim.name': detachedEmail(email, userId),
  }
  const key = `${tenantId}:${userId}:${startedAt.getTime()}`
  await services.outbox.send(trx, {
    tenantId: null,
    template: 'address.claimed',
    to: email,
    userId,
    name,
    values: (language) => ({
      ...common,
      'workplace.name': tenantName,
      'claim.endsOn': writtenDay(endsAt, language),
      'link.profile': portalLink(services.config, '/profile'),
      tenantId,
      userId,
    }),
    key: `address.claimed:${key}`,
  })
  const { homeTenantId } = claim
  // The tenant that claims knows.
  if (homeTenantId === null || homeTenantId === tenantId) return
  for (const admin of await listAdministrators(trx, homeTenantId))
    await services.outbox.send(trx, {
      tenantId: null,
      template: 'address.claimed_elsewhere',
      to: admin.email,
      userId: admin.id,
      name: admin.name,
      values: (language) => ({ ...common, 'claim.endsOn': writtenDay(endsAt, language) }),
      key: `address.claimed_elsewhere:${key}:${admin.id}`,
    })
}

/** Notifies the operators that a person has rights that only they can revoke. */
export async function mailHeld(
  services: InTransaction,
  trx: Trx,
  claim: AddressClaimRow,
): Promise<void> {
  const { email, userId, tenantId, tenantName } = claim
  for (const admin of await listOperators(trx))
    await services.outbox.send(trx, {
      tenantId: null,
      template: 'address.claim_held',
      to: admin.email,
      userId: admin.id,
      name: admin.name,
      values: {
        'person.email': email,
        'domain.name': domainOf(email),
        'workplace.name': tenantName,
      },
      key: `address.claim_held:${tenantId}:${userId}:${claim.startedAt.getTime()}:${admin.id}`,
    })
}

/** Sends the link by which a new address is confirmed. */
export function mailAddressChange(
  services: InTransaction,
  trx: Trx,
  change: { userId: string; name: string; email: string },
): Promise<void> {
  const { userId, name, email } = change
  return services.outbox.send(trx, {
    tenantId: null,
    template: 'address.change',
    to: email,
    userId,
    name,
    values: { 'person.name': name, 'person.email': email, userId },
    key: `address.change:${userId}:${services.clock.now().getTime()}`,
  })
}

async function linkParts(services: Services, mail: ClaimedMail): Promise<MailParts | undefined> {
  const { config, database } = services
  const { tenantId, userId } = mail.values
  if (typeof userId !== 'string') return undefined
  const { token, hash } = newToken()
  if (mail.template === 'address.claimed' && typeof tenantId === 'string') {
    await saveAddressClaimLink(database.db, { tenantId, userId, hash })
    return { values: { 'link.claim': portalLink(config, `${claimPath}${token}`) } }
  }
  if (mail.template !== 'address.change') return undefined
  await saveAddressChangeLink(database.db, { userId, email: mail.recipient, hash })
  // After the hash sign: no server and no log sees it.
  return { values: { 'link.confirm': portalLink(config, `${confirmationPath}#${token}`) } }
}

async function pointlessLink(services: Services, mail: ClaimedMail): Promise<string | undefined> {
  const { db } = services.database
  const { tenantId, userId } = mail.values
  if (typeof userId !== 'string') return undefined
  if (mail.template === 'address.claimed' && typeof tenantId === 'string')
    return (await findAddressClaim(db, tenantId, userId)) ? undefined : 'the claim has ended'
  if (mail.template !== 'address.change') return undefined
  const claim = await findAddressClaimOfPerson(db, userId)
  return claim?.newEmail === mail.recipient ? undefined : 'another address was requested'
}
