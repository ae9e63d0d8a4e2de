import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'
import { createServer } from 'node:tls'
import forge from 'node-forge'
import { SMTPServer } from 'smtp-server'

interface Certificate {
  key: string
  cert: string
}

/** A certificate for localhost that is its own authority, valid for so many days from now on. */
function certificateFor(days: number): Certificate {
  // Node makes keys a hundred times faster.
  const key = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const privateKey = forge.pki.privateKeyFromPem(key.privateKey)
  const certificate = forge.pki.createCertificate()
  certificate.publicKey = forge.pki.publicKeyFromPem(key.publicKey)
  certificate.serialNumber = '01'
  certificate.validity.notBefore = new Date(Date.now() - 90 * 86_400_000)
  // An hour more, so that the whole days do not depend on the moment.
  certificate.validity.notAfter = new Date(Date.now() + days * 86_400_000 + 3_600_000)
  // An authority is found by its name: each certificate has one of its own.
  const name = [{ name: 'commonName', value: randomUUID() }]
  certificate.setSubject(name)
  certificate.setIssuer(name)
  certificate.setExtensions([
    { name: 'basicConstraints', cA: true },
    { name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] },
  ])
  certificate.sign(privateKey, forge.md.sha256.create())
  return { key: key.privateKey, cert: forge.pki.certificateToPem(certificate) }
}

export interface TlsServer extends AsyncDisposable {
  port: number
  /** The certificate, which is its own authority. */
  ca: string
}

/** A server with TLS on localhost, whose certificate is valid for so many days from now on. */
export async function startTlsServer(days: number): Promise<TlsServer> {
  const certificate = certificateFor(days)
  const server = createServer(certificate)
  server.on('tlsClientError', () => {})
  server.listen(0, 'localhost')
  await once(server, 'listening')
  return running(server, server, certificate)
}

/** A mail server on localhost that speaks SMTP, and offers STARTTLS unless `without` says so. */
export async function startSmtpServer(days: number, without?: 'STARTTLS'): Promise<TlsServer> {
  const certificate = certificateFor(days)
  const hidden: 'STARTTLS'[] = without ? [without] : []
  const server = new SMTPServer({
    ...certificate,
    logger: false,
    disableReverseLookup: true,
    authOptional: true,
    disabledCommands: hidden,
  })
  server.on('error', () => {})
  const listening = server.listen(0, 'localhost')
  await once(listening, 'listening')
  return running(listening, server, certificate)
}

const running = (
  listening: Server,
  server: { close(done: () => void): unknown },
  { cert }: Certificate,
): TlsServer => ({
  port: (listening.address() as AddressInfo).port,
  ca: cert,
  async [Symbol.asyncDispose]() {
    await new Promise<void>((done) => server.close(done))
  },
})
