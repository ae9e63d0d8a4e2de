import { DecryptionError, type Keyring } from '@atrium/db/platform/encryption'
import type { WebApp } from '@atrium/db/users/web-sessions'
import { z } from 'zod'

/** How long a person may take at the identity provider. */
export const signInSeconds = 600

const Transaction = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  returnTo: z.string(),
  /** Milliseconds since 1970. */
  startedAt: z.number(),
  /** A signed-in person was asked to sign in again. */
  recent: z.boolean().optional(),
  /** A first return came with a sign-in that is too old for a workplace of the person. */
  again: z.boolean().optional(),
})
export type Transaction = z.infer<typeof Transaction>

/**
 * The value of the cookie that binds a sign-in to the browser that began it: encrypted, for this
 * app and this state only.
 */
export function sealTransaction(keyring: Keyring, app: WebApp, transaction: Transaction): string {
  return keyring
    .encrypt(JSON.stringify(transaction), contextOf(app, transaction.state))
    .toString('base64url')
}

/**
 * The sign-in that the cookie holds; undefined when it is missing, altered, of another state or
 * older than ten minutes.
 */
export function openTransaction(
  keyring: Keyring,
  app: WebApp,
  { cookie, state, now }: { cookie: string | undefined; state: string; now: Date },
): Transaction | undefined {
  if (!cookie) return undefined
  try {
    const transaction = Transaction.parse(
      JSON.parse(keyring.decrypt(Buffer.from(cookie, 'base64url'), contextOf(app, state))),
    )
    return now.getTime() - transaction.startedAt < signInSeconds * 1000 ? transaction : undefined
  } catch (error) {
    if (error instanceof DecryptionError) return undefined
    throw error
  }
}

function contextOf(app: WebApp, state: string): string {
  return `sign-in:${app}:${state}`
}
