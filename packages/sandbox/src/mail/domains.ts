import { addressRule, domainRule, trimRule } from './addresses.ts'
import { generateSelector } from './dkim.ts'
import { SetError } from './errors.ts'
import { type JsonObject, membersOf, objectOf, textOf } from './json.ts'
import { utcDate } from './patch.ts'
import type { Change, ForeignKey, MailWorld, RegistryType } from './registry-type.ts'
import { choice, id, object, optional, serverSet, text, union } from './shapes.ts'
import { zoneText } from './zone.ts'

const algorithms = ['Dkim1Ed25519Sha256', 'Dkim1RsaSha256', 'Dkim2Ed25519Sha256', 'Dkim2RsaSha256']
const recordTypes = [
  'dkim',
  'tlsa',
  'spf',
  'mx',
  'dmarc',
  'srv',
  'mtaSts',
  'tlsRpt',
  'caa',
  'autoConfig',
  'autoConfigLegacy',
  'autoDiscover',
]

const shape = object({
  name: { kind: 'text', rules: [domainRule] },
  aliases: { kind: 'set' },
  isEnabled: { kind: 'boolean', initial: true },
  createdAt: serverSet,
  description: optional(text),
  logo: optional(text),
  certificateManagement: union({
    Manual: {},
    Automatic: { acmeProviderId: id, subjectAlternativeNames: { kind: 'set' } },
  }),
  dkimManagement: union({
    Automatic: {
      algorithms: {
        kind: 'set',
        has: (name) => algorithms.includes(name),
        initial: ['Dkim1Ed25519Sha256', 'Dkim1RsaSha256'],
      },
      selectorTemplate: { kind: 'text', initial: 'v{version}-{algorithm}-{date-%Y%m%d}' },
      rotateAfter: { kind: 'integer', initial: 7_776_000_000 },
      retireAfter: { kind: 'integer', initial: 604_800_000 },
      deleteAfter: { kind: 'integer', initial: 2_592_000_000 },
    },
    Manual: {},
  }),
  dnsManagement: union({
    Manual: {},
    Automatic: {
      dnsServerId: id,
      origin: optional(text),
      publishRecords: {
        kind: 'set',
        has: (name) => recordTypes.includes(name),
        initial: recordTypes,
      },
    },
  }),
  memberTenantId: optional(id),
  directoryId: optional(id),
  catchAllAddress: optional({ kind: 'text', rules: [addressRule] }),
  subAddressing: union({
    Enabled: {},
    Custom: { customRule: choice('Expression', [], '') },
    Disabled: {},
  }),
  allowRelaying: { kind: 'boolean', initial: false },
  reportAddressUri: optional({ kind: 'text', rules: [trimRule] }, 'mailto:postmaster'),
  dnsZoneFile: serverSet,
})

function foreignKeys(record: JsonObject): readonly ForeignKey[] {
  const keys: ForeignKey[] = []
  const tenant = textOf(record, 'memberTenantId')
  if (tenant) keys.push({ object: 'Tenant', id: tenant })
  const directory = textOf(record, 'directoryId')
  if (directory) keys.push({ object: 'Directory', id: directory })
  const acme = textOf(objectOf(record, 'certificateManagement'), 'acmeProviderId')
  if (acme) keys.push({ object: 'AcmeProvider', id: acme })
  const dns = textOf(objectOf(record, 'dnsManagement'), 'dnsServerId')
  if (dns) keys.push({ object: 'DnsServer', id: dns })
  return keys
}

export function domainNameKey(name: string): string {
  return `Domain:name:${name}`
}

export function domainAliasKey(name: string): string {
  return `Domain:aliases:${name}`
}

/** The domain of that name or alias. */
export function findDomain(world: MailWorld, name: string): string | undefined {
  return (world.store.holder(domainNameKey(name)) ?? world.store.holder(domainAliasKey(name)))?.id
}

function prepare({ world, id, record, previous }: Change): JsonObject {
  const management = objectOf(record, 'dkimManagement')
  if (textOf(management, '@type') === 'Automatic')
    generateSelector(textOf(management, 'selectorTemplate'), 'rsa', world.now())

  const name = textOf(record, 'name')
  const taken = (property: string, key: string) => {
    const holder = world.store.holder(key)
    if (holder && holder.id !== id)
      throw new SetError('primaryKeyViolation', { properties: [property], objectId: holder })
  }
  taken('name', domainAliasKey(name))
  for (const alias of membersOf(record.aliases)) {
    if (alias === name) continue
    taken('aliases', domainNameKey(alias))
    taken('aliases', domainAliasKey(alias))
  }
  return { ...record, createdAt: previous?.createdAt ?? utcDate(world.now()) }
}

/** Automatic management makes the keys of a domain in the background, one after the other. */
function stored(
  world: MailWorld,
  domainId: string,
  record: JsonObject,
  previous: JsonObject | undefined,
): void {
  const management = objectOf(record, 'dkimManagement')
  const wasAutomatic =
    previous && textOf(objectOf(previous, 'dkimManagement'), '@type') === 'Automatic'
  if (textOf(management, '@type') !== 'Automatic' || wasAutomatic) return
  const requested = algorithms.filter((algorithm) =>
    membersOf(management.algorithms).includes(algorithm),
  )
  world.store.tasks.push(
    ...requested.map((algorithm, index) => ({
      domainId,
      algorithm,
      dueAt: world.now() + world.settings.dkimDelayMs * (index + 1),
    })),
  )
}

export const domains: RegistryType = {
  name: 'Domain',
  shape,
  filters: { name: 'keyword', aliases: 'members', memberTenantId: 'id' },
  sorts: ['name', 'aliases', 'memberTenantId'],
  words: (record) => [
    textOf(record, 'name'),
    ...membersOf(record.aliases),
    textOf(record, 'description'),
  ],
  indexKeys: (record) => [
    { key: domainNameKey(textOf(record, 'name')), property: 'name' },
    ...membersOf(record.aliases).map((alias) => ({
      key: domainAliasKey(alias),
      property: 'aliases',
    })),
  ],
  foreignKeys,
  prepare,
  stored,
  removed(world, domainId) {
    world.store.tasks = world.store.tasks.filter((task) => task.domainId !== domainId)
  },
  view: (world, domainId, record, wants) => ({
    ...record,
    ...(wants('dnsZoneFile') && { dnsZoneFile: zoneText(world, domainId, record) }),
  }),
}
