import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import type { JWK } from 'jose'
import { isoNow, type SigningKey, type Store } from '../records.ts'

/** The keys of the instance, newest first; the first one is made when it is first needed. */
export function signingKeys(store: Store): readonly [SigningKey, ...SigningKey[]] {
  const [newest, ...older] = store.records.signingKeys
  if (newest) return [newest, ...older]
  const made = makeKey(store)
  store.records.signingKeys = [made]
  store.changed()
  return [made]
}

/** A new key signs from now on. The old ones stay published, or are dropped at once. */
export function rotateKeys(store: Store, options: { drop: boolean }): readonly SigningKey[] {
  store.records.signingKeys = [makeKey(store), ...(options.drop ? [] : signingKeys(store))]
  store.changed()
  return store.records.signingKeys
}

const keyObjects = new WeakMap<SigningKey, KeyObject>()

/** The private key, ready to sign; parsed once. */
export function privateKey(key: SigningKey): KeyObject {
  const known = keyObjects.get(key)
  if (known) return known
  const made = createPrivateKey({ key: key.privateJwk, format: 'jwk' })
  keyObjects.set(key, made)
  return made
}

/** The public half, as the key set of an application shows it. */
export function publicJwk(key: SigningKey): JWK {
  const { kty, n, e } = key.privateJwk
  return {
    kid: key.kid,
    kty: kty ?? 'RSA',
    alg: 'RS256',
    use: 'sig',
    ...(n && { n }),
    ...(e && { e }),
  }
}

type KeyPair = Pick<SigningKey, 'kid' | 'privateJwk'>

// Shared by the sandboxes of a process, of which tests start one after the other: a key takes more
// time than all else of a start.
const pairs: KeyPair[] = []
/** How many of them a sandbox has had; the next one is always new to it. */
const had = new WeakMap<Store, number>()

function makeKey(store: Store): SigningKey {
  const known = new Set(store.records.signingKeys.map(({ kid }) => kid))
  let place = had.get(store) ?? 0
  // Keys that came with a saved state were not counted.
  while (known.has(pairAt(place).kid)) place++
  had.set(store, place + 1)
  return { ...pairAt(place), created: isoNow(store) }
}

function pairAt(place: number): KeyPair {
  pairs[place] ??= makePair()
  return pairs[place]
}

function makePair(): KeyPair {
  const privateJwk = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
    format: 'jwk',
  }) as JWK
  const kid = createHash('sha256')
    .update(privateJwk.n ?? '')
    .digest('hex')
    .slice(0, 32)
  return { kid, privateJwk: { ...privateJwk, kid, alg: 'RS256', use: 'sig' } }
}
