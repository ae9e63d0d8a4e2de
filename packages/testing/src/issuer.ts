import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { demoClients, demoPeople } from '@atrium/core/demo/demo'
import { type JWK, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose'

export interface SigningKey {
  kid: string
  algorithm: 'RS256' | 'ES256' | 'EdDSA'
  privateKey: KeyObject
  publicKey: KeyObject
}

/** An OpenID provider of a test's own: it publishes keys and signs whatever it is asked to. */
export interface Issuer extends AsyncDisposable {
  /** The `iss` claim, with a slash at the end. */
  readonly url: string
  /** The newest key; signs unless `sign` names another. */
  key: SigningKey
  /** How often the keys were fetched. */
  keyFetches: number
  /** While true, every request gets 503. */
  down: boolean
  /** While true, requests wait for their response; `waiting` is their current number. */
  hangs: boolean
  waiting: number
  /** Published beside the keys. */
  furtherKeys: JWK[]
  /** Merged over the discovery document. */
  discovery: Record<string, unknown>
  /** A new key; the old ones stay published unless dropped. */
  rotate(options: { drop: boolean }): SigningKey
  /** A token with usable claims unless overridden; a claim given as undefined is left out. */
  sign(
    claims?: Record<string, unknown>,
    header?: Partial<JWTHeaderParameters>,
    key?: SigningKey,
  ): Promise<string>
  /** Usable claims, for forgeries that sign by hand. */
  claims(overrides?: Record<string, unknown>): JWTPayload
}

export function createKey(algorithm: SigningKey['algorithm'] = 'RS256'): SigningKey {
  const kid = randomBytes(8).toString('hex')
  const pair =
    algorithm === 'RS256'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : algorithm === 'ES256'
        ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
        : generateKeyPairSync('ed25519')
  return { kid, algorithm, ...pair }
}

export function publicJwk(key: SigningKey): JWK {
  return {
    ...(key.publicKey.export({ format: 'jwk' }) as JWK),
    kid: key.kid,
    alg: key.algorithm,
    use: 'sig',
  }
}

/** Claims that name a demo person as the identity provider would. */
export function personClaims(email: string): Record<string, unknown> {
  const person = demoPeople.find((one) => one.email === email)
  if (!person) throw new Error(`${email} is no demo person`)
  return { sub: person.subject, email, name: person.name, groups: [...person.groups] }
}

export async function startIssuer(now: () => Date = () => new Date()): Promise<Issuer> {
  let published = [createKey()]
  const server = createServer((request, response) => {
    if (issuer.hangs) {
      issuer.waiting += 1
      response.once('close', () => {
        issuer.waiting -= 1
      })
      return
    }
    if (issuer.down) {
      response.writeHead(503).end()
      return
    }
    const answer = (body: unknown) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    if (request.url?.endsWith('/.well-known/openid-configuration')) {
      answer({ issuer: issuer.url, jwks_uri: `${issuer.url}jwks/`, ...issuer.discovery })
    } else if (request.url?.endsWith('/jwks/')) {
      issuer.keyFetches += 1
      answer({ keys: [...published.map(publicJwk), ...issuer.furtherKeys] })
    } else response.writeHead(404).end()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo

  const issuer: Issuer = {
    url: `http://127.0.0.1:${port}/application/o/test/`,
    key: published[0] ?? createKey(),
    keyFetches: 0,
    down: false,
    hangs: false,
    waiting: 0,
    furtherKeys: [],
    discovery: {},
    rotate({ drop }) {
      issuer.key = createKey()
      published = drop ? [issuer.key] : [issuer.key, ...published]
      return issuer.key
    },
    claims(overrides = {}) {
      const iat = Math.floor(now().getTime() / 1000)
      const claims = {
        iss: issuer.url,
        aud: demoClients.portal.clientId,
        sub: randomBytes(32).toString('hex'),
        iat,
        exp: iat + 600,
        scope: 'openid email profile groups',
        email: 'somebody@example.test',
        name: 'Somebody',
        groups: [],
        ...overrides,
      }
      return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined))
    },
    sign: (claims, header, key = issuer.key) =>
      new SignJWT(issuer.claims(claims))
        .setProtectedHeader({ alg: key.algorithm, kid: key.kid, typ: 'JWT', ...header })
        .sign(key.privateKey),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
  return issuer
}
