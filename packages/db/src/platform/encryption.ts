import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { equalBytes } from './constant-time.ts'

const cipher = 'aes-256-gcm'
const formatVersion = 1
const nonceBytes = 12
const tagBytes = 16

/**
 * A stored secret that cannot be read: its key is not listed, it was altered, or it belongs to
 * another place.
 */
export class DecryptionError extends Error {
  constructor(reason: string, options?: { cause: unknown }) {
    super(reason, options)
    this.name = 'DecryptionError'
  }
}

/**
 * Encrypts what the database must not hold in the clear: AES-256-GCM (NIST SP 800-38D) with a
 * random 96-bit nonce. `context` names the one place that the value belongs to
 * (`web_sessions.tokens:<row id>`); it is bound as associated data, so that a value moved to
 * another row or column does not open.
 */
export interface Keyring {
  encrypt(plaintext: string, context: string): Buffer
  /** Throws DecryptionError. */
  decrypt(sealed: Uint8Array, context: string): string
  /**
   * False when the value was encrypted with a key that is no longer the first: it should be written
   * again.
   */
  isCurrent(sealed: Uint8Array): boolean
  /**
   * Proves that this service wrote `text` for `context`: HMAC-SHA256 as base64url, 43 characters.
   * The same text has the same proof.
   */
  sign(text: string, context: string): string
  /** True for a proof by any listed key. Compares in constant time. */
  isSigned(text: string, context: string, proof: string): boolean
}

/**
 * A keyring from `id:base64,id:base64,…`, each key 32 bytes. The first one encrypts, every listed
 * one decrypts: to rotate, put a new key in front, write the values again, then drop the old key.
 * Throws an error that names the faulty entry and never a key.
 */
export function createKeyring(spec: string): Keyring {
  const keys = new Map<string, Buffer>()
  for (const [index, entry] of spec.split(',').entries()) {
    const { id, key } = parseKey(entry.trim(), index + 1)
    if (keys.has(id)) throw new Error(`key id "${id}" is listed twice`)
    keys.set(id, key)
  }
  const [first] = keys
  if (!first) throw new Error('no key is listed')
  const [currentId, currentKey] = first

  return {
    encrypt(plaintext, context) {
      const header = headerOf(currentId)
      const nonce = randomBytes(nonceBytes)
      const encryption = createCipheriv(cipher, currentKey, nonce, { authTagLength: tagBytes })
      encryption.setAAD(associatedData(header, context))
      const body = Buffer.concat([encryption.update(plaintext, 'utf8'), encryption.final()])
      return Buffer.concat([header, nonce, body, encryption.getAuthTag()])
    },
    decrypt(sealed, context) {
      const parts = split(sealed)
      const key = keys.get(parts.keyId)
      if (!key) throw new DecryptionError('The value was encrypted with a key that is not listed.')
      const decryption = createDecipheriv(cipher, key, parts.nonce, { authTagLength: tagBytes })
      decryption.setAAD(associatedData(parts.header, context))
      decryption.setAuthTag(parts.tag)
      try {
        return Buffer.concat([decryption.update(parts.body), decryption.final()]).toString('utf8')
      } catch (cause) {
        throw new DecryptionError('The value was altered, or belongs to another place.', { cause })
      }
    },
    isCurrent: (sealed) => split(sealed).keyId === currentId,
    sign: (text, context) => macOf(currentKey, text, context).toString('base64url'),
    isSigned(text, context, proof) {
      const provided = Buffer.from(proof, 'base64url')
      return [...keys.values()].some((key) => {
        const expected = macOf(key, text, context)
        return equalBytes(provided, expected)
      })
    },
  }
}

/**
 * Distinct values among 32 random bytes are 30 on average; fewer than 16 do not happen by chance.
 */
const leastDistinctBytes = 16

/**
 * The id of the first key of a usable spec that is obviously not random, such as zeros or words;
 * undefined when none is.
 */
export function weakKey(spec: string): string | undefined {
  const keys = spec.split(',').map((entry, index) => parseKey(entry.trim(), index + 1))
  return keys.find(({ key }) => new Set(key).size < leastDistinctBytes)?.id
}

/**
 * With a key derived for this use alone (RFC 5869): the encryption key serves no second algorithm.
 */
function macOf(key: Buffer, text: string, context: string): Buffer {
  const derived = Buffer.from(hkdfSync('sha256', key, '', `mac:${context}`, 32))
  return createHmac('sha256', derived).update(text).digest()
}

function parseKey(entry: string, position: number): { id: string; key: Buffer } {
  const separator = entry.indexOf(':')
  const id = entry.slice(0, Math.max(separator, 0))
  if (!/^[A-Za-z0-9._-]{1,32}$/.test(id))
    throw new Error(`entry ${position} is not written id:base64`)
  const encoded = entry.slice(separator + 1)
  const key = Buffer.from(encoded, 'base64')
  // Buffer.from skips what is no base64; encoding it back finds a truncated or mistyped key.
  if (key.length !== 32 || key.toString('base64') !== encoded.padEnd(44, '=')) {
    throw new Error(`key "${id}" is not 32 bytes in base64`)
  }
  return { id, key }
}

/** Layout: version, length of the key id, key id, nonce, ciphertext, tag. */
function headerOf(keyId: string): Buffer {
  return Buffer.concat([Buffer.from([formatVersion, keyId.length]), Buffer.from(keyId, 'latin1')])
}

function associatedData(header: Uint8Array, context: string): Buffer {
  return Buffer.concat([header, Buffer.from(context, 'utf8')])
}

function split(sealed: Uint8Array) {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength)
  const bodyStart = 2 + (bytes[1] ?? 0) + nonceBytes
  if (bytes[0] !== formatVersion || bytes.length < bodyStart + tagBytes)
    throw new DecryptionError('The value is not in a known format.')
  const header = bytes.subarray(0, bodyStart - nonceBytes)
  return {
    header,
    keyId: header.subarray(2).toString('latin1'),
    nonce: bytes.subarray(header.length, bodyStart),
    body: bytes.subarray(bodyStart, bytes.length - tagBytes),
    tag: bytes.subarray(bytes.length - tagBytes),
  }
}
