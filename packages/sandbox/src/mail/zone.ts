import { createHash } from 'node:crypto'
import { keyType, publicKey } from './dkim.ts'
import { type JsonObject, textOf } from './json.ts'
import type { MailWorld } from './registry-type.ts'

/** A TXT record: one quoted text, or lines of 255 bytes in brackets when it is longer. */
function txt(name: string, value: string): string {
  const quote = (part: string) => `"${part.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
  if (Buffer.byteLength(value) <= 255) return `${name} IN TXT ${quote(value)}\n`
  const chunks = value.match(/.{1,255}/gs) ?? []
  return `${name} IN TXT (\n${chunks.map((chunk) => `    ${quote(chunk)}\n`).join('')})\n`
}

/**
 * The records to publish for a domain in BIND syntax, in the order of Stalwart 0.16.18 with its
 * default settings: no TTL, absolute names, DMARC always with `p=reject`, an MTA-STS policy in
 * testing mode, the services in the order of `x:SystemSettings`. TLSA needs a loaded certificate
 * and CAA an ACME account; the sandbox has neither. Source:
 * `crates/common/src/network/dns/records.rs`.
 */
export function zoneText(world: MailWorld, domainId: string, domain: JsonObject): string {
  const name = textOf(domain, 'name')
  const host = world.settings.hostname
  const lines: string[] = []

  for (const [, signature] of world.store.list('DkimSignature')) {
    if (textOf(signature, 'domainId') !== domainId) continue
    const key = publicKey(signature)
    if (key === undefined) continue
    const value = `v=DKIM1; k=${keyType(textOf(signature, '@type'))}; h=sha256; p=${key}`
    lines.push(txt(`${textOf(signature, 'selector')}._domainkey.${name}.`, value))
  }
  if (host.endsWith(`.${name}`)) lines.push(txt(`${host}.`, 'v=spf1 a -all'))
  lines.push(txt(`${name}.`, 'v=spf1 mx -all'))
  lines.push(`${name}. IN MX 10 ${host}.\n`)

  const report = textOf(domain, 'reportAddressUri')
  const reportTo =
    report.startsWith('mailto:') && !report.includes('@') ? `${report}@${name}` : report
  if (report) lines.push(txt(`_dmarc.${name}.`, `v=DMARC1; p=reject; rua=${reportTo}`))

  const services = {
    caldavs: 443,
    carddavs: 443,
    imaps: 993,
    jmap: 443,
    pop3s: 995,
    submissions: 465,
  }
  for (const [service, port] of Object.entries(services))
    lines.push(`_${service}._tcp.${name}. IN SRV 0 1 ${port} ${host}.\n`)

  lines.push(`mta-sts.${name}. IN CNAME ${host}.\n`)
  lines.push(txt(`_mta-sts.${name}.`, `v=STSv1; id=${policyId(host)}`))
  if (report) lines.push(txt(`_smtp._tls.${name}.`, `v=TLSRPTv1; rua=${reportTo}`))

  lines.push(`ua-auto-config.${name}. IN CNAME ${host}.\n`)
  lines.push(txt(`_ua-auto-config.${name}.`, `v=UAAC1; a=sha256; d=${autoConfigDigest(host)}`))
  lines.push(`autoconfig.${name}. IN CNAME ${host}.\n`)
  lines.push(`autodiscover.${name}. IN CNAME ${host}.\n`)
  return lines.join('')
}

/**
 * Changes with the policy, as an unsigned integer of 64 bits. Stalwart hashes mode, age and mail
 * servers with the default hasher of Rust, whose algorithm is not specified, so the number itself
 * is another one.
 */
function policyId(host: string): string {
  return createHash('sha256').update(`testing 604800 ${host}`).digest().readBigUInt64BE().toString()
}

/**
 * SHA-256 of the document that mail programs find their settings in (`network/autoconfig/pacc.rs`),
 * in the order of its fields.
 */
function autoConfigDigest(host: string): string {
  const document = {
    protocols: {
      jmap: { url: `https://${host}/jmap/session` },
      imap: { host },
      pop3: { host },
      smtp: { host },
      caldav: { url: `https://${host}/dav/cal/` },
      carddav: { url: `https://${host}/dav/card/` },
      webdav: { url: `https://${host}/dav/file/` },
      managesieve: { host },
    },
    authentication: { 'oauth-public': { issuer: `https://${host}` }, password: true },
    info: { provider: { name: 'Stalwart' } },
  }
  return createHash('sha256').update(JSON.stringify(document)).digest('base64')
}
