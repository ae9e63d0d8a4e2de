import { createHash, randomBytes } from 'node:crypto'
import type { FilesStore, User } from './records.ts'

export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}

/** A password with salt, in one text. Cheap on purpose: the sandbox keeps no real secrets. */
export function hashPassword(
  password: string,
  salt = randomBytes(12).toString('base64url'),
): string {
  return `${salt}.${hashToken(`${salt}:${password}`)}`
}

/**
 * The user behind an `Authorization` header: HTTP Basic with the username and an app token that has
 * not expired, or with the user's password where the workplace allows that. App tokens outlive a
 * disabled account, passwords do not.
 */
export function authenticate(
  store: FilesStore,
  header: string | undefined,
  now: number,
  passwords: boolean,
): User | undefined {
  const [scheme = '', value = ''] = (header ?? '').split(' ', 2)
  if (!/^basic$/i.test(scheme)) return undefined
  const pair = Buffer.from(value, 'base64').toString('utf8')
  const colon = pair.indexOf(':')
  const user = colon > 0 ? store.findUser(pair.slice(0, colon)) : undefined
  if (!user) return undefined
  const secret = pair.slice(colon + 1)
  const hash = hashToken(secret)
  if (
    store.appTokens.some(
      (token) => token.userId === user.id && token.hash === hash && token.expiresAt > now,
    )
  )
    return user
  if (!passwords || user.accountEnabled === false || user.passwordHash === undefined)
    return undefined
  return hashPassword(secret, user.passwordHash.split('.', 1)[0]) === user.passwordHash
    ? user
    : undefined
}
