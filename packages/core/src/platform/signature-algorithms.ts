/**
 * The algorithms that tokens of an identity provider may be signed with. Asymmetric only (RFC 8725
 * section 3.1): with an HMAC among them, a public key could serve as the shared secret.
 */
export const signatureAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
]
