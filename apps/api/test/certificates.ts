import type { AddressInfo } from 'node:net'
import { createServer } from 'node:tls'
import forge from 'node-forge'

export interface TlsServer extends AsyncDisposable {
  port: number
  /** The certificate, which is its own authority. */
  ca: string
}

/** A server with TLS on localhost, whose certificate is valid for so many days from now on. */
export async function startTlsServer(days: number): Promise<TlsServer> {
  const { publicKey, privateKey } = forge.pki.rsa.generateKeyPair(2048)
  const certificate = forge.pki.createCertificate()
  certificate.publicKey = publicKey
  certificate.serialNumber = '01'
  certificate.validity.notBefore = new Date(Date.now() - 90 * 86_400_000)
  // An hour more, so that the whole days do not depend on the moment.
  certificate.validity.notAfter = new Date(Date.now() + days * 86_400_000 + 3_600_000)
  const name = [{ name: 'commonName', value: 'localhost' }]
  certificate.setSubject(name)
  certificate.setIssuer(name)
  certificate.setExtensions([
    { name: 'basicConstraints', cA: true },
    { name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] },
  ])
  certificate.sign(privateKey, forge.md.sha256.create())
  const ca = forge.pki.certificateToPem(certificate)
  const server = createServer({ cert: ca, key: forge.pki.privateKeyToPem(privateKey) })
  server.on('tlsClientError', () => {})
  await new Promise<void>((done) => server.listen(0, 'localhost', done))
  return {
    port: (server.address() as AddressInfo).port,
    ca,
    async [Symbol.asyncDispose]() {
      await new Promise<void>((done) => server.close(() => done()))
    },
  }
}
