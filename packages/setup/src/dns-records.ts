import type { RecordType } from '@atrium/core/mail/dns-answers'
import type { DnsResolver } from '@atrium/integrations/dns/port'
import { hostsOf, type Names } from './names.ts'

export interface NeededRecord {
  name: string
  type: RecordType
  value: string
}

/** Addresses of the server, as the world reaches it. */
export interface ServerAddresses {
  ipv4?: string | undefined
  ipv6?: string | undefined
}

/** What the stack needs before it starts: certificates are issued for names that lead here. */
export function hostRecords(names: Names, { ipv4, ipv6 }: ServerAddresses): NeededRecord[] {
  return hostsOf(names).flatMap((name) => [
    ...(ipv4 ? [{ name, type: 'A' as const, value: ipv4 }] : []),
    ...(ipv6 ? [{ name, type: 'AAAA' as const, value: ipv6 }] : []),
  ])
}

/** Mail of the tenants' first domains, and of domains that a deleted tenant released. */
export function tenantRecords(names: Names): NeededRecord[] {
  return ['', '*.'].map((prefix) => ({
    name: `${prefix}${names.tenantDomain}`,
    type: 'MX',
    value: `10 ${names.mail}`,
  }))
}

/** A table as a zone has it, aligned. */
export function recordLines(records: readonly NeededRecord[]): string[] {
  const width = Math.max(0, ...records.map(({ name }) => name.length + 1))
  return records.map(
    ({ name, type, value }) =>
      `${`${name}.`.padEnd(width)} 3600 IN ${type.padEnd(5)} ${zoneValue(type, value)}`,
  )
}

function zoneValue(type: RecordType, value: string): string {
  if (type === 'TXT')
    return (value.match(/.{1,255}/gs) ?? [''])
      .map((part) => `"${part.replaceAll(/["\\]/g, '\\$&')}"`)
      .join(' ')
  return ['MX', 'CNAME', 'SRV'].includes(type) ? `${value}.` : value
}

/**
 * The records that DNS does not hold yet. A look-up that fails counts as missing: the record cannot
 * be relied on.
 */
export async function missingRecords(
  resolver: DnsResolver,
  records: readonly NeededRecord[],
): Promise<NeededRecord[]> {
  const found = await Promise.all(
    records.map(async ({ type, name, value }) => {
      // A wildcard record answers for any name below it.
      const lookup = await resolver.lookup(type, name.replace(/^\*\./, 'atrium-check.'))
      return lookup.state === 'found' && lookup.values.includes(value)
    }),
  )
  return records.filter((_, at) => !found[at])
}

export interface DnsWait {
  resolver: DnsResolver
  records: readonly NeededRecord[]
  /** Called with what is missing, when that changes. */
  report: (missing: readonly NeededRecord[]) => void
  pause: () => Promise<void>
  /** Milliseconds; after them it gives up. */
  timeoutMs: number
}

/** Waits until DNS holds every record. False when it gave up. */
export async function waitForRecords(wait: DnsWait): Promise<boolean> {
  const end = performance.now() + wait.timeoutMs
  for (let reported = ''; ; ) {
    const missing = await missingRecords(wait.resolver, wait.records)
    const now = recordLines(missing).join('\n')
    if (now !== reported) wait.report(missing)
    reported = now
    if (missing.length === 0) return true
    if (performance.now() > end) return false
    await wait.pause()
  }
}
