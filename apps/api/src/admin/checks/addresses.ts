import { isIP } from 'node:net'
import { writeCheckText } from '@atrium/core/mail/check-text'
import type { DnsAnswer, RecordType } from '@atrium/core/mail/dns-answers'
import { isLoopback } from '@atrium/core/platform/settings'
import type { DnsResolver } from '@atrium/integrations/dns/port'
import {
  error,
  ok,
  type SetupFinding,
  warning,
} from '@atrium/integrations/identity/authentik-setup-findings'
import { parseMailbox } from '@atrium/integrations/mailer/addresses'
import type { Config } from '../../platform/config.ts'

/** Addresses that people's browsers open, by the setting that names them. */
export function publicAddresses(config: Config): (readonly [setting: string, url: URL])[] {
  const named: readonly (readonly [string, string | null | undefined])[] = [
    ['PORTAL_URL', config.portalUrl],
    ['OPERATOR_URL', config.operatorUrl],
    ['BOOKING_URL', config.booking.url],
    ['IDP_PUBLIC_URL', config.identity?.publicUrl],
    ...[...config.tokens.subjectPrefixes.keys()].map((issuer) => ['IDP_ISSUER', issuer] as const),
  ]
  return named.flatMap(([setting, text]) => (text ? [[setting, new URL(text)] as const] : []))
}

/** Public names, the mail records of tenants' default domains, and those of the sender. */
export async function checkDns(config: Config, dns: DnsResolver): Promise<SetupFinding[]> {
  const hosts = new Set(publicAddresses(config).map(([, url]) => url.hostname))
  const sender = config.smtp && parseMailbox(config.smtp.from)?.address.split('@')[1]
  const found = await Promise.all([
    ...[...hosts]
      .filter((host) => !isLoopback(host) && isIP(host.replace(/^\[(.*)\]$/, '$1')) === 0)
      .map((host) => checkHost(dns, host)),
    ...(config.mailProvisioning ? [checkTenantMail(dns, config.tenantDomain)] : []),
    ...(sender ? [checkSender(dns, sender)] : []),
  ])
  return found.flat()
}

async function checkHost(dns: DnsResolver, host: string): Promise<SetupFinding[]> {
  const need = `DNS of ${host}`
  const answers = await Promise.all([dns.lookup('A', host), dns.lookup('AAAA', host)])
  if (answers.some(({ state }) => state === 'found')) return [ok(need)]
  return [unknown(need, answers) ?? error(need, 'has no address. Publish an A or AAAA record.')]
}

/** A name below the tenants' domain that no tenant has, so that only the wildcard can answer. */
async function checkTenantMail(dns: DnsResolver, domain: string): Promise<SetupFinding[]> {
  const need = `MX of *.${domain}`
  const mx = await dns.lookup('MX', `atrium-check.${domain}`)
  if (mx.state === 'found') return [ok(need)]
  return [
    unknown(need, [mx]) ?? error(need, 'is missing. Publish it; it points to the mail server.'),
  ]
}

async function checkSender(dns: DnsResolver, domain: string): Promise<SetupFinding[]> {
  const records = [
    ['SPF', domain, /^v=spf1(\s|$)/i],
    ['DMARC', `_dmarc.${domain}`, /^v=DMARC1\s*(;|$)/i],
  ] as const
  return Promise.all(
    records.map(async ([name, at, shape]) => {
      const need = `${name} record of ${domain}`
      const txt = await dns.lookup('TXT' satisfies RecordType, at)
      if (txt.state === 'found' && txt.values.some((value) => shape.test(value))) return ok(need)
      return (
        unknown(need, [txt]) ??
        warning(need, 'is missing: mails of SMTP_FROM may be rejected. Publish it.')
      )
    }),
  )
}

function unknown(need: string, answers: readonly DnsAnswer[]): SetupFinding | undefined {
  const failed = answers.find((one) => one.state === 'unknown')
  return failed && warning(need, `could not be looked up: ${writeCheckText(failed.reason, 'en')}`)
}
