import { createHash, randomBytes } from 'node:crypto'
import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { saveAccessLink } from '@atrium/db/members/invitations'
import type { Db } from '@atrium/db/platform/connect'
import type { Config } from '../platform/config.ts'
import { portalLink } from '../platform/links.ts'

/** 256 bits as base64url. */
const shape = /^[A-Za-z0-9_-]{43}$/

/**
 * Makes the link that proves an address, in the moment its mail is sent: the token is in that mail
 * alone, and the database keeps its SHA-256. A link sent before is void from then on.
 */
export async function newAccessLink(
  { config, db }: { config: Config; db: Db },
  { userId, email }: { userId: string; email: string },
): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  await saveAccessLink(db, { userId, email, hash: sha256(token) })
  return portalLink(config, `/invitation/${token}`)
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
