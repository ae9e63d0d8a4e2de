import { createHash, createVerify, X509Certificate } from 'node:crypto'
import forge from 'node-forge'

export interface SigningMaterial {
  /** The signer's certificate and the one between it and the root. */
  chain: string
  key: string
  root: string
}

type Issuer = { certificate: forge.pki.Certificate; key: forge.pki.rsa.PrivateKey }
let serial = 1

/**
 * A root, an authority under it, and a certificate for signing under that; `days` is how long the
 * last is valid from now.
 */
export function signingMaterial({ days = 30 }: { days?: number } = {}): SigningMaterial {
  const root = certify('Test Root', undefined, 365)
  const middle = certify('Test Authority', root, 365)
  const own = certify('mail.example.test', middle, days)
  const pem = ({ certificate }: Issuer) => forge.pki.certificateToPem(certificate)
  return { chain: pem(own) + pem(middle), key: forge.pki.privateKeyToPem(own.key), root: pem(root) }
}

function certify(commonName: string, issuer: Issuer | undefined, days: number): Issuer {
  const { publicKey, privateKey } = forge.pki.rsa.generateKeyPair(2048)
  const certificate = forge.pki.createCertificate()
  const authority = commonName.startsWith('Test')
  certificate.publicKey = publicKey
  serial += 1
  certificate.serialNumber = serial.toString(16).padStart(4, '0')
  certificate.validity.notBefore = new Date(Date.now() - 40 * 86_400_000)
  certificate.validity.notAfter = new Date(Date.now() + days * 86_400_000)
  const subject = [{ name: 'commonName', value: commonName }]
  certificate.setSubject(subject)
  certificate.setIssuer(issuer ? issuer.certificate.subject.attributes : subject)
  certificate.setExtensions([
    { name: 'basicConstraints', cA: authority, critical: true },
    authority
      ? { name: 'keyUsage', keyCertSign: true, critical: true }
      : { name: 'keyUsage', digitalSignature: true, critical: true },
    ...(authority ? [] : [{ name: 'extKeyUsage', emailProtection: true, serverAuth: true }]),
  ])
  certificate.sign(issuer?.key ?? privateKey, forge.md.sha256.create())
  return { certificate, key: privateKey }
}

/**
 * The content of a SignedData message whose signature holds and whose certificates lead to the root
 * (RFC 5652 section 5.4). Throws with the step that does not hold.
 */
export function verifiedByHand(der: Uint8Array, root: string): string {
  const message = forge.pkcs7.messageFromAsn1(
    forge.asn1.fromDer(Buffer.from(der).toString('latin1')),
  ) as unknown as Message
  const bytes = (text: string) => Buffer.from(text, 'latin1')
  const { content, authenticatedAttributes, signature } = message.rawCapture
  const signed = bytes(content.value[0]?.value as string)
  const attributes = forge.asn1.create(
    forge.asn1.Class.UNIVERSAL,
    forge.asn1.Type.SET,
    true,
    authenticatedAttributes,
  )
  const digest = createHash('sha256').update(signed).digest().toString('latin1')
  const encoded = forge.asn1.toDer(attributes).getBytes()
  if (!encoded.includes(digest)) throw new Error('the digest is of other content')
  const [own, ...chain] = message.certificates.map(
    (certificate) => new X509Certificate(forge.pki.certificateToPem(certificate)),
  )
  const verifier = createVerify('sha256').update(bytes(encoded))
  if (!own || !verifier.verify(own.publicKey, bytes(signature)))
    throw new Error('the signature is of another key')
  let below = own
  for (const above of [...chain, new X509Certificate(root)]) {
    if (!below.checkIssued(above) || !below.verify(above.publicKey))
      throw new Error(`${below.subject} was not issued by ${above.subject}`)
    below = above
  }
  return signed.toString()
}

interface Message {
  certificates: forge.pki.Certificate[]
  rawCapture: {
    content: { value: forge.asn1.Asn1[] }
    authenticatedAttributes: forge.asn1.Asn1[]
    signature: string
  }
}
