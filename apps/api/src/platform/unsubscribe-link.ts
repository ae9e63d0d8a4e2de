import { type MailGroup, mailGroups } from '@atrium/core/account/notifications'
import type { Config } from './config.ts'
import { portalLink } from './links.ts'

/** What a link to unsubscribe does, and all that it does. */
export interface Unsubscription {
  userId: string
  group: MailGroup
}

type Settings = Pick<Config, 'keyring' | 'portalUrl'>

const context = 'mail.unsubscribe'
const shape = /^([a-z]+)_([0-9a-f-]{36})_([\w-]{43})$/

/**
 * The address of the page that switches a group of mails off for a person (RFC 8058). It does not
 * expire: a mail may be read long after it was sent. Undefined where there is no portal to link to,
 * or no key to sign with.
 */
export function unsubscribeLink(
  { keyring, portalUrl }: Settings,
  { userId, group }: Unsubscription,
): string | undefined {
  if (keyring === null || portalUrl === null) return undefined
  const proof = keyring.sign(`${group} ${userId}`, context)
  return portalLink({ portalUrl }, `/unsubscribe/${group}_${userId}_${proof}`)
}

/** What the token of such a link is for; undefined for one that was not made here. */
export function readUnsubscribeToken(
  { keyring }: Pick<Settings, 'keyring'>,
  token: string,
): Unsubscription | undefined {
  const [, name, userId, proof] = shape.exec(token) ?? []
  const group = mailGroups.find((known) => known === name)
  if (!keyring || !group || userId === undefined || proof === undefined) return undefined
  return keyring.isSigned(`${group} ${userId}`, context, proof) ? { userId, group } : undefined
}
