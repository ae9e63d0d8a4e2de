import { honoListener, type SocketSystem, type SystemContext } from '../system.ts'
import { createDnsApp, type DnsParts } from './app.ts'
import { createDnsServer } from './server.ts'
import { parseZone, type ZoneRecord } from './zone-parser.ts'
import { createZones, type Zones } from './zones.ts'

export interface DnsSystem extends SocketSystem {
  readonly name: 'dns'
  readonly zones: Zones
}

/**
 * The DNS of the local workplace: what is put here is what the world sees. Nothing is asked
 * outside.
 */
export function createDns(context: SystemContext, parts: DnsParts): DnsSystem {
  const zones = createZones((name) => elsewhere(parts, name))
  const server = createDnsServer(context, zones)
  return {
    name: 'dns',
    zones,
    listener: honoListener(createDnsApp({ zones, parts, changed: context.changed })),
    listen: (port, host) => server.listen(port, host),
    close: () => server.close(),
    state: () => ({ zones: zones.list() }),
    save: () => zones.save(),
    load: (saved) => zones.load(saved),
    reset: () => zones.clear(),
    errorResponse: (status) => ({
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ error: `status ${status}` }),
    }),
  }
}

/**
 * The platform's own domains and the address of the mail server, which need no manual publishing.
 */
function elsewhere(
  { mailHost, mailZone, platformDomain }: DnsParts,
  name: string,
): readonly ZoneRecord[] | undefined {
  if (name === mailHost) return [{ name, type: 'A', value: '127.0.0.1' }]
  if (!name.endsWith(`.${platformDomain}`)) return undefined
  const labels = name.split('.')
  const domain = labels.slice(-platformDomain.split('.').length - 1).join('.')
  const text = mailZone(domain)
  return text === undefined ? undefined : parseZone(text, domain)
}
