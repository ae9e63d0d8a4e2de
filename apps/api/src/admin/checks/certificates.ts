import { isIP } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import {
  error,
  ok,
  type SetupFinding,
  warning,
} from '@atrium/integrations/identity/authentik-setup-findings'
import { smtpServer } from '@atrium/integrations/mailer/smtp-server-address'
import type { Config } from '../../platform/config.ts'
import { publicAddresses } from './addresses.ts'

/** Automatic renewal happens 30 days before the end: after this it has failed for two weeks. */
const soonDays = 14
const deadlineMs = 10_000

export interface CertificateOptions {
  now: Date
  /** Further authorities, as PEM; `NODE_EXTRA_CA_CERTS` holds for the process anyway. */
  ca?: string | undefined
}

interface Endpoint {
  host: string
  port: number
}

/** The certificate of every address that the settings name with https, and of SMTP over TLS. */
export async function checkCertificates(
  config: Config,
  options: CertificateOptions,
): Promise<SetupFinding[]> {
  const urls = [
    ...publicAddresses(config).map(([, url]) => url),
    ...[config.identity?.baseUrl, config.mail?.baseUrl, config.files?.baseUrl].flatMap((text) =>
      text === undefined ? [] : [new URL(text)],
    ),
  ]
  const endpoints = new Map<string, Endpoint>()
  for (const { protocol, hostname, port } of urls)
    if (protocol === 'https:')
      endpoints.set(`${hostname}:${port || 443}`, {
        host: hostname.replace(/^\[(.*)\]$/, '$1'),
        port: Number(port || 443),
      })
  if (config.smtp) {
    const { host, port, secure } = smtpServer(config.smtp.url)
    if (secure) endpoints.set(`${host}:${port}`, { host, port })
  }
  return Promise.all(
    [...endpoints].map(([name, endpoint]) => checkCertificate(name, endpoint, options)),
  )
}

async function checkCertificate(
  name: string,
  endpoint: Endpoint,
  { now, ca }: CertificateOptions,
): Promise<SetupFinding> {
  const need = `certificate of ${name}`
  try {
    const socket = await handshake(endpoint, ca)
    const { valid_to: end } = socket.getPeerCertificate()
    const rejected = socket.authorized ? undefined : String(socket.authorizationError)
    socket.destroy()
    const days = Math.floor((Date.parse(end) - now.getTime()) / 86_400_000)
    if (days < 0) return error(need, `expired on ${end}. Renew it.`)
    if (rejected !== undefined)
      return error(need, `is not trusted (${rejected}). For a private authority see "Stalwart".`)
    return days >= soonDays
      ? ok(`${need} (${days} days left)`)
      : warning(need, `expires in ${days} days. Check why it was not renewed.`)
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : ''
    return error(need, `could not be read: nothing answers with TLS from here${code}.`)
  }
}

/** Completes a handshake whatever the certificate is: what is wrong with it is to be told. */
function handshake({ host, port }: Endpoint, ca: string | undefined): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port,
      rejectUnauthorized: false,
      ...(isIP(host) === 0 && { servername: host }),
      ...(ca !== undefined && { ca }),
    })
    socket.setTimeout(deadlineMs, () => socket.destroy(new Error('no answer in time')))
    socket.once('secureConnect', () => resolve(socket))
    socket.once('error', reject)
  })
}
