import { isIP } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { DnsResolver } from '@atrium/integrations/dns/port'
import {
  error,
  ok,
  type SetupFinding,
  warning,
} from '@atrium/integrations/identity/authentik-setup-findings'
import { smtpServer } from '@atrium/integrations/mailer/smtp-server-address'
import type { Config } from '../../platform/config.ts'
import { publicAddresses } from './addresses.ts'
import { connectTls, type Endpoint, NoStartTls } from './connect-tls.ts'

/** Automatic renewal happens 30 days before the end: after this it has failed for two weeks. */
const soonDays = 14

/** Ports of a mail server: RFC 5321, 6409 and 8314. */
const standardMailPorts = { relay: 25, submission: 587, submissionTls: 465, imapTls: 993 }
export type MailPorts = typeof standardMailPorts

export interface CertificateOptions {
  now: Date
  /** Further authorities, as PEM; `NODE_EXTRA_CA_CERTS` holds for the process anyway. */
  ca?: string | undefined
  /** Those of the standards by default. */
  mailPorts?: MailPorts | undefined
}

/**
 * The certificate of every address that the settings name with https, of SMTP with TLS, and of the
 * mail server that members use.
 */
export async function checkCertificates(
  config: Config,
  dns: DnsResolver,
  options: CertificateOptions,
): Promise<SetupFinding[]> {
  const urls = [
    ...publicAddresses(config).map(([, url]) => url),
    ...[config.identity?.baseUrl, config.mail?.baseUrl, config.files?.baseUrl].flatMap((text) =>
      text === undefined ? [] : [new URL(text)],
    ),
  ]
  const endpoints: Endpoint[] = urls
    .filter(({ protocol }) => protocol === 'https:')
    .map(({ hostname, port }) => ({
      host: hostname.replace(/^\[(.*)\]$/, '$1'),
      port: Number(port || 443),
    }))
  if (config.smtp) {
    const { host, port, secure, requireTLS } = smtpServer(config.smtp.url)
    if (secure || requireTLS) endpoints.push({ host, port, startTls: !secure })
  }
  if (config.mailProvisioning)
    for (const host of await mailHosts(dns, config.tenantDomain))
      endpoints.push(...mailEndpoints(host, options.mailPorts ?? standardMailPorts))
  // The first of an address wins: what the settings name has to answer.
  const unique = endpoints.filter(
    ({ host, port }, at) =>
      at === endpoints.findIndex((other) => other.host === host && other.port === port),
  )
  return (await Promise.all(unique.map((one) => checkCertificate(one, options)))).flat()
}

/** Where the world delivers the mail of tenants. `checkDns` reports an MX that is absent. */
async function mailHosts(dns: DnsResolver, tenantDomain: string): Promise<string[]> {
  const mx = await dns.lookup('MX', `atrium-check.${tenantDomain}`)
  if (mx.state !== 'found') return []
  return mx.values.map((value) => value.replace(/^\d+ /, ''))
}

function mailEndpoints(host: string, ports: MailPorts): Endpoint[] {
  return [
    {
      host,
      port: ports.relay,
      startTls: true,
      silence: 'Other servers deliver there; the network of this machine may close port 25.',
    },
    // Many installations offer submission with TLS from the start alone.
    { host, port: ports.submission, startTls: true, silence: null },
    ...[ports.submissionTls, ports.imapTls].map((port) => ({
      host,
      port,
      silence: 'Mail programs connect there, unless another server only receives the mail.',
    })),
  ]
}

/** Nothing for an optional address where nothing answers. */
async function checkCertificate(
  endpoint: Endpoint,
  { now, ca }: CertificateOptions,
): Promise<SetupFinding[]> {
  const { host, port, silence } = endpoint
  const need = `certificate of ${isIP(host) === 6 ? `[${host}]` : host}:${port}`
  try {
    return [certificateFinding(need, await connectTls(endpoint, ca), now)]
  } catch (cause) {
    if (cause instanceof NoStartTls) return [error(need, `${cause.message} Switch it on.`)]
    if (silence === null) return []
    const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : ''
    const text = `could not be read: nothing answers with TLS from here${code}.`
    return [silence === undefined ? error(need, text) : warning(need, `${text} ${silence}`)]
  }
}

function certificateFinding(need: string, socket: TLSSocket, now: Date): SetupFinding {
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
}
