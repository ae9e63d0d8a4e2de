import { createHash, randomBytes } from 'node:crypto'
import { trimEnd } from '@atrium/core/platform/trim'
import type { Keyring } from '@atrium/db/platform/encryption'
import type { Config } from '../../platform/config.ts'

/**
 * Opens one booking to its visitor: a random text that is only in the manage link, never stored in
 * clear text.
 */
export interface ManageToken {
  /** 43 characters of base64url, 256 bits. */
  token: string
  /** SHA-256, by which the booking is found. */
  hash: Buffer
  /** Encrypted for this booking alone, so that mails can be given the link when they are sent. */
  sealed: Buffer
}

const shape = /^[A-Za-z0-9_-]{43}$/

export function newManageToken(keyring: Keyring, bookingId: string): ManageToken {
  const token = randomBytes(32).toString('base64url')
  return { token, hash: sha256(token), sealed: keyring.encrypt(token, manageContext(bookingId)) }
}

/**
 * The token, or null once the link's life is over. Throws DecryptionError when its key is no longer
 * listed.
 */
export function readManageToken(
  keyring: Keyring,
  booking: { id: string; manageSealed: Uint8Array | null },
): string | null {
  return booking.manageSealed === null
    ? null
    : keyring.decrypt(booking.manageSealed, manageContext(booking.id))
}

/** By which a booking is looked for; undefined for a text that no token can be. */
export function hashOfManageToken(token: string): Buffer | undefined {
  return shape.test(token) ? sha256(token) : undefined
}

/**
 * Proves that a person reads the mail of the visitor's address: it is only sent there. The manage
 * token proves nothing, because anyone who books gets it.
 */
export function addressProof(
  keyring: Keyring,
  booking: { id: string; visitorEmail: string },
): string {
  return keyring.sign(`${booking.id}\n${booking.visitorEmail}`, proofContext)
}

export function isAddressProof(
  keyring: Keyring,
  booking: { id: string; visitorEmail: string },
  proof: string,
): boolean {
  return keyring.isSigned(`${booking.id}\n${booking.visitorEmail}`, proofContext, proof)
}

const proofContext = 'bookings.visitor_confirmed_at'

/** Where the visitor manages the booking; empty where this installation has no booking pages. */
export function manageLink({ booking }: Pick<Config, 'booking'>, token: string): string {
  return booking.url === null ? '' : `${trimEnd(booking.url, /\//)}/manage/${token}`
}

/**
 * The page where the visitor requests the manage link by their address: it opens nothing by itself,
 * so calendars may contain it.
 */
export function manageLookupLink({ booking }: Pick<Config, 'booking'>, bookingId: string): string {
  return booking.url === null ? '' : `${trimEnd(booking.url, /\//)}/manage/link/${bookingId}`
}

function sha256(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** The one place that the token of a booking belongs to; see `Keyring`. */
export const manageContext = (bookingId: string) => `bookings.manage:${bookingId}`
