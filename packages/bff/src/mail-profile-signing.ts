import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'

/** PEM text, or the path of a file that holds it. */
export interface SigningConfig {
  certificate: string
  key: string
}

/**
 * The text wrapped in PKCS #7 SignedData (DER), SHA-256, with every certificate that is configured,
 * so that a device can follow the chain. Files are read each time: a renewed certificate needs no
 * restart. Throws when certificate and key cannot sign: not PEM, no RSA key, no pair, not valid
 * now.
 */
export async function signProfile(
  profile: string,
  config: SigningConfig,
  now: Date,
): Promise<Uint8Array<ArrayBuffer>> {
  const [certificates, key] = await Promise.all([readPem(config.certificate), readPem(config.key)])
  const chain =
    certificates.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  const own = chain.find((pem) => new X509Certificate(pem).checkPrivateKey(createPrivateKey(key)))
  if (!own) throw new Error('The key is that of none of the certificates.')
  const { validFromDate, validToDate } = new X509Certificate(own)
  if (now < validFromDate || now > validToDate) throw new Error('The certificate is not valid now.')
  // Loaded on first use: most servers never sign.
  const { default: forge } = await import('node-forge')
  const signed = forge.pkcs7.createSignedData()
  signed.content = forge.util.createBuffer(profile, 'utf8')
  for (const pem of chain) signed.addCertificate(pem)
  signed.addSigner({
    key: forge.pki.privateKeyFromPem(key),
    certificate: forge.pki.certificateFromPem(own),
    digestAlgorithm: forge.pki.oids.sha256 ?? '',
    authenticatedAttributes: [
      { type: forge.pki.oids.contentType ?? '', value: forge.pki.oids.data ?? '' },
      { type: forge.pki.oids.messageDigest ?? '' },
      // The library takes a Date; its types know text alone.
      { type: forge.pki.oids.signingTime ?? '', value: now as unknown as string },
    ],
  })
  signed.sign()
  return new Uint8Array(Buffer.from(forge.asn1.toDer(signed.toAsn1()).getBytes(), 'latin1'))
}

/**
 * A PEM in one line, as environment files hold it, has its line ends written as backslash and n.
 */
async function readPem(provided: string): Promise<string> {
  return provided.includes('-----BEGIN')
    ? provided.replaceAll('\\n', '\n')
    : readFile(provided, 'utf8')
}
