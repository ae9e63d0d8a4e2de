import { createHmac } from 'node:crypto'
import { demoClients } from '@atrium/core/demo/demo'
import { base64url, CompactEncrypt } from 'jose'
import { createKey, type Issuer, personClaims, publicJwk } from './issuer.ts'

/** A token that must be rejected, with the code of the rejection. */
export type Rejection = [name: string, code: string, make: () => Promise<string> | string]

export interface Issuers {
  /** Both are trusted. */
  issuer: Issuer
  second: Issuer
  /** No server trusts this one. */
  foreign: Issuer
  /** The time of the workplace, in milliseconds since 1970. */
  now: () => number
}

const { portal, operator } = demoClients

/** Every forgery by its name: signatures, headers, addressees, times and shapes. */
export function forgedTokens({ issuer, second, foreign, now }: Issuers): readonly Rejection[] {
  const seconds = () => Math.floor(now() / 1000)
  const own = createKey()
  const encode = (value: unknown) => base64url.encode(JSON.stringify(value))
  const json = (header: unknown, payload: unknown) => `${encode(header)}.${encode(payload)}`

  /** Signs by hand with HMAC, as a forger would who takes a public key for a shared secret. */
  function hmac(
    algorithm: 'HS256' | 'HS384' | 'HS512',
    secret: string | Buffer,
    header: object = {},
  ): string {
    const text = json(
      { alg: algorithm, typ: 'JWT', kid: issuer.key.kid, ...header },
      issuer.claims(),
    )
    return `${text}.${createHmac(`sha${algorithm.slice(2)}`, secret)
      .update(text)
      .digest('base64url')}`
  }

  async function tampered(change: (parts: [string, string, string]) => string): Promise<string> {
    const [header = '', payload = '', signature = ''] = (await issuer.sign()).split('.')
    return change([header, payload, signature])
  }

  /**
   * An EC signature is not needed to show that an odd header is rejected before any key is used.
   */
  const withHeader = (header: Record<string, unknown>) =>
    tampered(([, payload, signature]) => `${encode(header)}.${payload}.${signature}`)

  const forged: Rejection[] = [
    ['alg none', 'unauthenticated', () => `${json({ alg: 'none' }, issuer.claims())}.`],
    [
      'alg None',
      'unauthenticated',
      () => `${json({ alg: 'None', kid: issuer.key.kid }, issuer.claims())}.`,
    ],
    [
      'alg NONE with a signature',
      'unauthenticated',
      () => withHeader({ alg: 'NONE', kid: issuer.key.kid }),
    ],
    ['no alg', 'unauthenticated', () => withHeader({ kid: issuer.key.kid })],
    ['alg as a list', 'unauthenticated', () => withHeader({ alg: ['RS256'], kid: issuer.key.kid })],
    [
      'HS256 with the public key as PEM',
      'unauthenticated',
      () => hmac('HS256', String(issuer.key.publicKey.export({ type: 'spki', format: 'pem' }))),
    ],
    [
      'HS256 with the public key as PKCS#1',
      'unauthenticated',
      () => hmac('HS256', String(issuer.key.publicKey.export({ type: 'pkcs1', format: 'pem' }))),
    ],
    [
      'HS256 with the public key as DER',
      'unauthenticated',
      () => hmac('HS256', issuer.key.publicKey.export({ type: 'spki', format: 'der' })),
    ],
    [
      'HS384 with the published modulus',
      'unauthenticated',
      () => hmac('HS384', publicJwk(issuer.key).n ?? ''),
    ],
    [
      'HS512 with the published key as JSON',
      'unauthenticated',
      () => hmac('HS512', JSON.stringify(publicJwk(issuer.key))),
    ],
    ['HS256 with the client secret', 'unauthenticated', () => hmac('HS256', portal.clientSecret)],
    ['HS256 with an empty secret', 'unauthenticated', () => hmac('HS256', '')],
    [
      'a key embedded in the header',
      'unauthenticated',
      () => issuer.sign({}, { jwk: publicJwk(own), kid: own.kid }, own),
    ],
    [
      'a key embedded under the published kid',
      'unauthenticated',
      () => issuer.sign({}, { jwk: publicJwk(own), kid: issuer.key.kid }, own),
    ],
    [
      'jku to keys of the forger',
      'unauthenticated',
      () => foreign.sign({ iss: issuer.url }, { jku: `${foreign.url}jwks/` }),
    ],
    [
      'x5u to keys of the forger',
      'unauthenticated',
      () => foreign.sign({ iss: issuer.url }, { x5u: `${foreign.url}jwks/` }),
    ],
    [
      'x5c with a certificate of the forger',
      'unauthenticated',
      () => foreign.sign({ iss: issuer.url }, { x5c: ['MIIB'] }),
    ],
    [
      'kid as a path',
      'unauthenticated',
      () => issuer.sign({}, { kid: '../../../../dev/null' }, own),
    ],
    [
      'kid as SQL',
      'unauthenticated',
      () => issuer.sign({}, { kid: "x' union select 'secret' --" }, own),
    ],
    [
      'kid as an address',
      'unauthenticated',
      () => issuer.sign({}, { kid: `${foreign.url}jwks/` }, own),
    ],
    ['kid as a command', 'unauthenticated', () => issuer.sign({}, { kid: '|/usr/bin/id' }, own)],
    ['an empty kid', 'unauthenticated', () => issuer.sign({}, { kid: '' }, own)],
    [
      'no kid and another key',
      'unauthenticated',
      () => issuer.sign({}, { kid: undefined as unknown as string }, own),
    ],
    ['a kid of 8 kB', 'unauthenticated', () => issuer.sign({}, { kid: 'k'.repeat(8_192) }, own)],
    ['a kid that is a number', 'unauthenticated', () => withHeader({ alg: 'RS256', kid: 7 })],
    [
      'the right kid and another key',
      'unauthenticated',
      () => issuer.sign({}, { kid: issuer.key.kid }, own),
    ],
    [
      'ES256 under the kid of an RSA key',
      'unauthenticated',
      () => issuer.sign({}, { kid: issuer.key.kid }, createKey('ES256')),
    ],
    [
      'EdDSA under the kid of an RSA key',
      'unauthenticated',
      () => issuer.sign({}, { kid: issuer.key.kid }, createKey('EdDSA')),
    ],
    [
      'PS256 where the key is for RS256',
      'unauthenticated',
      () => issuer.sign({}, { alg: 'PS256' }),
    ],
    [
      'an unknown critical header',
      'unauthenticated',
      () => withHeader({ alg: 'RS256', kid: issuer.key.kid, crit: ['x'], x: 1 }),
    ],
    [
      'unencoded payload, RFC 7797',
      'unauthenticated',
      () => withHeader({ alg: 'RS256', kid: issuer.key.kid, crit: ['b64'], b64: false }),
    ],
    [
      'a payload changed after signing',
      'unauthenticated',
      () =>
        tampered(
          ([header, , signature]) =>
            `${header}.${encode(issuer.claims(personClaims('operator@atrium.test')))}.${signature}`,
        ),
    ],
    [
      'one flipped bit in the signature',
      'unauthenticated',
      () =>
        tampered(
          ([header, payload, signature]) =>
            `${header}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
        ),
    ],
  ]
  const misaddressed: Rejection[] = [
    ['a foreign issuer with its own good key', 'unexpected_issuer', () => foreign.sign()],
    [
      'an issuer without its slash',
      'unexpected_issuer',
      () => issuer.sign({ iss: issuer.url.slice(0, -1) }),
    ],
    [
      'an issuer in capitals',
      'unexpected_issuer',
      () => issuer.sign({ iss: issuer.url.toUpperCase() }),
    ],
    [
      'an issuer with something after it',
      'unexpected_issuer',
      () => issuer.sign({ iss: `${issuer.url}x` }),
    ],
    ['no issuer', 'unexpected_issuer', () => issuer.sign({ iss: undefined })],
    ['a list of issuers', 'unexpected_issuer', () => issuer.sign({ iss: [issuer.url] })],
    ['an issuer that is a number', 'unexpected_issuer', () => issuer.sign({ iss: 1 })],
    [
      'both issuers in one text',
      'unexpected_issuer',
      () => issuer.sign({ iss: `${issuer.url},${second.url}` }),
    ],
    [
      'the name of one issuer with the key of the other',
      'unauthenticated',
      () => second.sign({ iss: issuer.url }),
    ],
    ['a foreign audience', 'unauthenticated', () => issuer.sign({ aud: 'something-else' })],
    ['a list of foreign audiences', 'unauthenticated', () => issuer.sign({ aud: ['a', 'b'] })],
    ['an empty list of audiences', 'unauthenticated', () => issuer.sign({ aud: [] })],
    [
      'our two audiences in one text',
      'unauthenticated',
      () => issuer.sign({ aud: `${portal.clientId},${operator.clientId}` }),
    ],
    ['no audience', 'unauthenticated', () => issuer.sign({ aud: undefined })],
    [
      'an audience that is an object',
      'unauthenticated',
      () => issuer.sign({ aud: { is: portal.clientId } }),
    ],
  ]
  const untimely: Rejection[] = [
    [
      'expired by more than the leeway',
      'token_expired',
      () => issuer.sign({ iat: seconds() - 600, exp: seconds() - 31 }),
    ],
    ['expired long ago', 'token_expired', () => issuer.sign({ iat: 1, exp: 2 })],
    ['exp zero', 'token_expired', () => issuer.sign({ exp: 0 })],
    ['exp negative', 'token_expired', () => issuer.sign({ exp: -1 })],
    ['not valid yet', 'unauthenticated', () => issuer.sign({ nbf: seconds() + 31 })],
    [
      'issued in the future',
      'unauthenticated',
      () => issuer.sign({ iat: seconds() + 60, exp: seconds() + 600 }),
    ],
    [
      'of a sign-in in the future',
      'unauthenticated',
      () => issuer.sign({ auth_time: seconds() + 60 }),
    ],
    ['of a sign-in at no time', 'unauthenticated', () => issuer.sign({ auth_time: 'now' })],
    ['no exp', 'unauthenticated', () => issuer.sign({ exp: undefined })],
    ['no iat', 'unauthenticated', () => issuer.sign({ iat: undefined })],
    ['exp as text', 'unauthenticated', () => issuer.sign({ exp: '9999999999' })],
    ['exp null', 'unauthenticated', () => issuer.sign({ exp: null })],
    ['exp in milliseconds', 'unauthenticated', () => issuer.sign({ exp: now() + 600_000 })],
    ['iat as text', 'unauthenticated', () => issuer.sign({ iat: 'now' })],
    ['nbf as text', 'unauthenticated', () => issuer.sign({ nbf: 'now' })],
    ['living longer than a day', 'unauthenticated', () => issuer.sign({ exp: seconds() + 86_401 })],
  ]
  const misshapen: Rejection[] = [
    ['no sub', 'unauthenticated', () => issuer.sign({ sub: undefined })],
    ['an empty sub', 'unauthenticated', () => issuer.sign({ sub: '' })],
    ['sub as a number', 'unauthenticated', () => issuer.sign({ sub: 7 })],
    ['sub as a list', 'unauthenticated', () => issuer.sign({ sub: ['a'] })],
    ['sub as an object', 'unauthenticated', () => issuer.sign({ sub: { a: 1 } })],
    ['sub null', 'unauthenticated', () => issuer.sign({ sub: null })],
    ['a sub of 256 characters', 'unauthenticated', () => issuer.sign({ sub: 'a'.repeat(256) })],
    ['a sub with a NUL', 'unauthenticated', () => issuer.sign({ sub: 'a\u0000b' })],
    [
      'an ID token by its nonce',
      'unauthenticated',
      () => issuer.sign({ scope: undefined, nonce: 'n' }),
    ],
    [
      'an ID token by its at_hash',
      'unauthenticated',
      () => issuer.sign({ scope: undefined, at_hash: 'h' }),
    ],
    [
      'an ID token by its c_hash',
      'unauthenticated',
      () => issuer.sign({ scope: undefined, c_hash: 'h' }),
    ],
    [
      'a sub with a control character that no header may hold',
      'unauthenticated',
      () => issuer.sign({ sub: 'a\r\nb' }),
    ],
    [
      'a payload that is a list',
      'unauthenticated',
      () => tampered(([header, , signature]) => `${header}.${encode([])}.${signature}`),
    ],
    [
      'a payload that is text',
      'unauthenticated',
      () => tampered(([header, , signature]) => `${header}.${encode('x')}.${signature}`),
    ],
    [
      'a payload that is not JSON',
      'unauthenticated',
      () => tampered(([header, , signature]) => `${header}.${base64url.encode('{x')}.${signature}`),
    ],
    [
      'a header that is not JSON',
      'unauthenticated',
      () =>
        tampered(([, payload, signature]) => `${base64url.encode('{x')}.${payload}.${signature}`),
    ],
    [
      'no signature',
      'unauthenticated',
      () => tampered(([header, payload]) => `${header}.${payload}.`),
    ],
    ['two parts', 'unauthenticated', () => tampered(([header, payload]) => `${header}.${payload}`)],
    ['four parts', 'unauthenticated', () => tampered((parts) => `${parts.join('.')}.x`)],
    [
      'five parts, as an encrypted token',
      'unauthenticated',
      () => tampered((parts) => `${parts.join('.')}.x.y`),
    ],
    ['cut short', 'unauthenticated', () => tampered((parts) => parts.join('.').slice(0, -10))],
    [
      'base64 with padding',
      'unauthenticated',
      () => tampered(([header, payload, signature]) => `${header}==.${payload}.${signature}=`),
    ],
    ['only dots', 'unauthenticated', () => '..'],
    ['a word', 'unauthenticated', () => 'token'],
    ['half a megabyte', 'unauthenticated', () => 'a'.repeat(512 * 1024)],
    [
      'half a megabyte in three parts',
      'unauthenticated',
      () => `${'a'.repeat(100)}.${'b'.repeat(512 * 1024)}.${'c'.repeat(100)}`,
    ],
  ]

  const confused: Rejection[] = [
    ['a logout token by its type', 'unauthenticated', () => issuer.sign({}, { typ: 'logout+jwt' })],
    [
      'a logout token by its event',
      'unauthenticated',
      () => issuer.sign({ scope: undefined, events: logoutEvent }),
    ],
    ['a logout token with a scope', 'unauthenticated', () => issuer.sign({ events: logoutEvent })],
    ['a proof of possession', 'unauthenticated', () => issuer.sign({}, { typ: 'dpop+jwt' })],
    [
      'an assertion of a client',
      'unauthenticated',
      () => issuer.sign({}, { typ: 'client-authentication+jwt' }),
    ],
    [
      'a token about a security event',
      'unauthenticated',
      () => issuer.sign({}, { typ: 'application/secevent+jwt' }),
    ],
    ['a type that is none', 'unauthenticated', () => issuer.sign({}, { typ: 'anything' })],
    ['an encrypted token', 'unauthenticated', async () => encrypted(await issuer.sign())],
    [
      'a good token in another',
      'unauthenticated',
      async () => `${await issuer.sign()}.${await issuer.sign()}`,
    ],
    [
      'an EC signature of zeros',
      'unauthenticated',
      () => `${json({ alg: 'ES256', kid: issuer.key.kid }, issuer.claims())}.${'A'.repeat(86)}`,
    ],
    [
      'an EdDSA signature of zeros',
      'unauthenticated',
      () => `${json({ alg: 'EdDSA', kid: issuer.key.kid }, issuer.claims())}.${'A'.repeat(86)}`,
    ],
    [
      'an RSA signature of zeros',
      'unauthenticated',
      () => `${json({ alg: 'RS256', kid: issuer.key.kid }, issuer.claims())}.${'A'.repeat(342)}`,
    ],
    [
      'the signature of another good token',
      'unauthenticated',
      () => tampered(([header, payload]) => `${header}.${payload.slice(0, -4)}AAAA.AAAA`),
    ],
    [
      'a header with the algorithm twice',
      'unauthenticated',
      () =>
        tampered(
          ([, payload, signature]) =>
            `${base64url.encode(`{"alg":"none","kid":"${issuer.key.kid}","alg":"RS256"}`)}.${payload}.${signature}`,
        ),
    ],
    [
      'a header with special keys',
      'unauthenticated',
      () =>
        tampered(
          ([, payload, signature]) =>
            `${base64url.encode(`{"__proto__":{"alg":"none"},"kid":"${issuer.key.kid}"}`)}.${payload}.${signature}`,
        ),
    ],
    [
      'RS256 in lower case',
      'unauthenticated',
      () => withHeader({ alg: 'rs256', kid: issuer.key.kid }),
    ],
    [
      'a token with a line end in it',
      'unauthenticated',
      () => tampered((parts) => parts.join('.').replace('.', '.\t')),
    ],
  ]
  return [...forged, ...misaddressed, ...untimely, ...misshapen, ...confused]
}

const logoutEvent = { 'http://schemas.openid.net/event/backchannel-logout': {} }

function encrypted(token: string): Promise<string> {
  return new CompactEncrypt(new TextEncoder().encode(token))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', cty: 'JWT' })
    .encrypt(new Uint8Array(32))
}
