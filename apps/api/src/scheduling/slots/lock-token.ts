import { createHash, randomBytes } from 'node:crypto'
import type { Context } from '../../rpc/context.ts'

/** Proves who holds a time: 32 random bytes as base64url. Only its hash is stored. */
export function newLockToken(): string {
  return randomBytes(32).toString('base64url')
}

/** True for a text that `newLockToken` or the booking pages can have made. */
export function isLockToken(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text)
}

/** SHA-256, by which the locks of a holder are found. */
export function hashOfLockToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/**
 * What the visitor says to hold already. In a header, because addresses are logged on their way.
 */
export function presentedLockToken({ request }: Pick<Context, 'request'>): string | undefined {
  const token = request.header('x-lock-token')
  return token === undefined || token === '' || token.length > 200 ? undefined : token
}
