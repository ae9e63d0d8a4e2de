import { createHash, randomBytes, scryptSync, timingSafeEqual } from 'node:crypto'
import { trimEnd } from '@atrium/core/platform/trim'
import { SetError } from './errors.ts'
import { decodeId } from './ids.ts'

/** What the server shows in the place of a secret, and what it takes as "leave it as it is". */
export const masked = '****'

/** Cheap on purpose: the sandbox keeps no real secrets, and tests create many mailboxes. */
const cost = { N: 1024, r: 8, p: 1 }

export function hashPassword(password: string): string {
  const salt = randomBytes(16)
  return `$scrypt$${salt.toString('base64')}$${scryptSync(password, salt, 32, cost).toString('base64')}`
}

/** False for a hash that another program made, too: the sandbox knows only its own scheme. */
export function verifyPassword(password: string, hash: string): boolean {
  const [, scheme, salt, digest] = hash.split('$')
  if (scheme !== 'scrypt' || !salt || !digest) return false
  const expected = Buffer.from(digest, 'base64')
  const actual = scryptSync(password, Buffer.from(salt, 'base64'), 32, cost)
  return expected.length === actual.length && timingSafeEqual(expected, actual)
}

/** A hash that the server stores as it comes. */
export function isPasswordHash(secret: string): boolean {
  return (
    /^\$(2[aby]?|argon2(id|i|d)?|pbkdf2[\w-]*|scrypt|1|5|6|sha1)\$./.test(secret) ||
    /^\{[A-Za-z0-9./-]+\}./.test(secret)
  )
}

const common = new Set(
  `password passwort password1 password123 passw0rd p@ssw0rd p@ssword letmein iloveyou sunshine princess football baseball
  superman batman welcome welcome1 welcome123 changeme changeit whatever trustno1 starwars qwertyuiop qwertzuiop asdfghjkl
  qwerty123 1q2w3e4r 1qaz2wsx zaq12wsx abcd1234 abc12345 admin123 administrator master123 secret123 test1234 computer
  internet michelle jennifer samantha liverpool victoria 11223344 12341234 87654321 123456789 1234567890`.split(
    /\s+/,
  ),
)

/**
 * The server's rules for a new password: 8 to 128 bytes and not easy to guess. The real server asks
 * zxcvbn for a score of 3; here a list, repetitions and sequences stand for it.
 */
export function assertStrongPassword(password: string): void {
  const reject = (description: string): never => {
    throw new SetError('invalidProperties', { properties: ['secret'], description })
  }
  const length = Buffer.byteLength(password)
  if (length > 128) reject('Password must be at most 128 characters long.')
  if (length < 8) reject('Password must be at least 8 characters long.')
  const plain = password.toLowerCase()
  if (common.has(plain) || common.has(trimEnd(plain, /[\d\W_]/)))
    reject('Password is too weak. This is similar to a commonly used password.')
  if (new Set(plain).size < 5) reject('Password is too weak. Repeats like "aaa" are easy to guess.')
  const steps = new Set(
    [...plain]
      .slice(1)
      .map((character, index) => character.charCodeAt(0) - plain.charCodeAt(index)),
  )
  if (steps.size === 1)
    reject('Password is too weak. Sequences like abc or 6543 are easy to guess.')
  if (/^\d+$/.test(plain) && length < 12) reject('Password is too weak.')
}

/** One-way form of a key or an app password, under which it is found again. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}

/**
 * A new API key: `API_` and base64url of account id, credential id (both 32 bits, big endian) and
 * 20 random bytes.
 */
export function newApiKey(accountId: string, credentialId: number): string {
  const ids = Buffer.alloc(8)
  ids.writeUInt32BE(Number((decodeId(accountId) ?? 0n) & 0xffffffffn), 0)
  ids.writeUInt32BE(credentialId, 4)
  return `API_${Buffer.concat([ids, randomBytes(20)]).toString('base64url')}`
}

const base32 = 'abcdefghijklmnopqrstuvwxyz234567'

/** A new app password: `app_` and base32 of the credential id and 18 random bytes. */
export function newAppPassword(credentialId: number): string {
  const id = Buffer.alloc(4)
  id.writeUInt32BE(credentialId, 0)
  let bits = ''
  for (const byte of Buffer.concat([id, randomBytes(18)])) bits += byte.toString(2).padStart(8, '0')
  return `app_${(bits.match(/.{1,5}/g) ?? []).map((chunk) => base32[Number.parseInt(chunk.padEnd(5, '0'), 2)]).join('')}`
}
