import { createHash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 62 to the power of 43 is more than 2 to the power of 256. */
const secretLength = 43
/** 62 to the power of 6 is more than 2 to the power of 32. */
const checksumLength = 6

/**
 * The whole text of a service token; docs/reference/contract.md gives the same pattern to secret
 * scanners.
 */
export const serviceTokenPattern = /^atr_([0-9a-f]{32})_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/

/** A bearer token that begins like this is a service token or nothing; no JWT begins so. */
export const serviceTokenPrefix = 'atr_'

/** What the subject of a service token begins with; no person may have such a `sub`. */
export const serviceSubjectPrefix = 'service-token:'

/** A new random secret, and its hash to store. */
export function newSecret(): { secret: string; secretHash: Buffer } {
  const secret = Array.from({ length: secretLength }, () => digits[randomInt(62)]).join('')
  return { secret, secretHash: hashOf(secret) }
}

/** The text of a token, with its checksum. */
export function writeServiceToken(id: string, secret: string): string {
  const body = `${serviceTokenPrefix}${id.replaceAll('-', '')}_${secret}`
  return body + checksumOf(body)
}

/** The id and the hash of a token's secret; undefined for a text that was mistyped or cut. */
export function readServiceToken(text: string): { id: string; secretHash: Buffer } | undefined {
  const [, id, secret, checksum] = serviceTokenPattern.exec(text) ?? []
  if (id === undefined || secret === undefined) return undefined
  if (checksumOf(text.slice(0, -checksumLength)) !== checksum) return undefined
  return {
    id: id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'),
    secretHash: hashOf(secret),
  }
}

// 256 random bits need no slow hash: there is nothing to guess from.
const hashOf = (secret: string) => createHash('sha256').update(secret).digest()

/** CRC-32 of what comes before, in base 62, as GitHub's tokens have it. */
function checksumOf(body: string): string {
  let rest = crc32(body)
  let text = ''
  for (let at = 0; at < checksumLength; at++) {
    text = `${digits[rest % 62]}${text}`
    rest = Math.floor(rest / 62)
  }
  return text
}
