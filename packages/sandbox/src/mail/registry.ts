import { accounts } from './accounts.ts'
import { dkimSignatures } from './dkim.ts'
import { domains } from './domains.ts'
import type { ObjectId } from './errors.ts'
import { compareIds } from './ids.ts'
import { type JsonObject, textOf } from './json.ts'
import { mailingLists } from './lists.ts'
import { isRole } from './permissions.ts'
import type { ForeignKey, MailWorld, RegistryType } from './registry-type.ts'
import { propertyNames } from './shapes.ts'
import { type IndexKey, type ObjectName, objectNames } from './store.ts'

export const registry: Readonly<Record<ObjectName, RegistryType>> = {
  Account: accounts,
  DkimSignature: dkimSignatures,
  Domain: domains,
  MailingList: mailingLists,
}

/** Every property name that the server knows for any object: others are rejected in other words. */
export const knownProperties: ReadonlySet<string> = new Set([
  'id',
  ...Object.values(registry).flatMap((type) => propertyNames(type.shape)),
])

export function indexKeys(object: ObjectName, record: JsonObject): readonly IndexKey[] {
  return registry[object].indexKeys(record)
}

/**
 * False when the key points to nothing. Tenants, directories and others do not exist on this
 * server.
 */
export function isResolved(world: MailWorld, key: ForeignKey): boolean {
  if (key.object === 'Role') return isRole(key.id)
  const name = objectNames.find((one) => one === key.object)
  const target = name && world.store.get(name, key.id)
  return (
    target !== undefined && (key.variant === undefined || textOf(target, '@type') === key.variant)
  )
}

/**
 * Everything that points to an object, each once, ordered by type and id. The first domain is the
 * server's default domain, which its settings point to.
 */
export function linkedObjects(
  world: MailWorld,
  object: ObjectName,
  id: string,
): readonly ObjectId[] {
  const linked: ObjectId[] = objectNames.flatMap((name) =>
    world.store
      .list(name)
      .filter(([, record]) =>
        registry[name].foreignKeys(record).some((key) => key.object === object && key.id === id),
      )
      .map(([linkedId]) => ({ object: name, id: linkedId })),
  )
  if (object === 'Domain' && id === defaultDomainId)
    linked.push({ object: 'SystemSettings', id: 'singleton' })
  return linked.sort((one, other) =>
    one.object === other.object ? compareIds(one.id, other.id) : one.object < other.object ? -1 : 1,
  )
}

/** The domain that the first start creates and that completes a bare user name at login. */
export const defaultDomainId = 'b'
