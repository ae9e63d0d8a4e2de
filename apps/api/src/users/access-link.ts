import { createHash, randomBytes } from 'node:crypto'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { Db } from '@atrium/db/platform/connect'
import { renewPasswordLink, saveAccessLink } from '@atrium/db/users/access-links'
import type { Config } from '../platform/config.ts'
import { portalLink } from '../platform/links.ts'

/** 256 bits as base64url. */
const shape = /^[A-Za-z0-9_-]{43}$/

/**
 * A token of its own for a mailed link, with the hash that is stored: the token is in the mail
 * alone. The link leads to the page of the portal that follows it.
 */
export function newLinkToken(config: Config): { link: string; hash: Buffer } {
  const token = randomBytes(32).toString('base64url')
  return { link: portalLink(config, `/invitation/${token}`), hash: sha256(token) }
}

/**
 * Creates the link by which a person sets a new password, when its mail is sent. Links sent before
 * become invalid.
 */
export async function newAccessLink(
  { config, db }: { config: Config; db: Db },
  { userId, email }: { userId: string; email: string },
): Promise<string> {
  const { link, hash } = newLinkToken(config)
  await saveAccessLink(db, { userId, email, hash })
  return link
}

/**
 * The same for a link to a second address, which an admin allowed. Throws when it is not allowed
 * any more.
 */
export async function newPasswordLink(
  { config, db }: { config: Config; db: Db },
  allowed: { userId: string; sentTo: string; tenantId: string },
): Promise<string> {
  const { link, hash } = newLinkToken(config)
  if (!(await renewPasswordLink(db, { ...allowed, hash })))
    throw new Error('the link to a new password was replaced while its mail was sent')
  return link
}

/** By which a link is looked up; undefined for a text that no token can be. */
export function hashOfAccessToken(token: string): Buffer | undefined {
  return shape.test(token) ? sha256(token) : undefined
}

/**
 * Throws AppError `integration_off` where no link to the portal can be created, so that no one
 * waits for a useless mail.
 */
export function requirePortal({ portalUrl }: Config): void {
  if (portalUrl !== null) return
  throw new AppError('integration_off', errorText('invitationNeedsPortalUrl'))
}

function sha256(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
