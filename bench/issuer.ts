import { createServer } from 'node:http'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

/**
 * An OpenID provider as far as an API sees one: discovery, keys, and access tokens signed with
 * RS256 as authentik does.
 */
export interface Issuer {
  readonly url: string
  readonly audience: string
  sign(subject: string): Promise<string>
  close(): Promise<void>
}

export async function startIssuer(): Promise<Issuer> {
  const audience = 'bench-portal'
  const { publicKey, privateKey } = await generateKeyPair('RS256')
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'bench', use: 'sig', alg: 'RS256' }]
  let url = ''
  const server = createServer((request, response) => {
    const body = request.url?.endsWith('/jwks/')
      ? { keys }
      : { issuer: url, jwks_uri: `${url}jwks/` }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the issuer has no address')
  url = `http://127.0.0.1:${address.port}/application/o/bench/`
  return {
    url,
    audience,
    sign: (subject) =>
      new SignJWT({
        scope: 'openid email profile',
        email: `${subject}@bench.test`,
        name: subject,
        groups: ['bench-tenant-1', 'bench-tenant-2'],
      })
        .setProtectedHeader({ alg: 'RS256', kid: 'bench', typ: 'JWT' })
        .setIssuer(url)
        .setAudience(audience)
        .setSubject(subject)
        .setIssuedAt()
        .setExpirationTime('2h')
        .sign(privateKey),
    async close() {
      const closed = new Promise<void>((done) => server.close(() => done()))
      server.closeAllConnections()
      await closed
    },
  }
}
