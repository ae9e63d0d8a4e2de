import { localPartRule } from './addresses.ts'
import { SetError } from './errors.ts'
import { decodeId, encodeId } from './ids.ts'
import { isObject, type JsonObject, membersOf, objectOf, textOf } from './json.ts'
import { utcDate } from './patch.ts'
import { isPermission } from './permission-names.ts'
import { accountPermissions, assertMayGrant } from './permissions.ts'
import type { Change, ForeignKey, MailWorld, RegistryType } from './registry-type.ts'
import { assertStrongPassword, hashPassword, isPasswordHash, masked } from './secrets.ts'
import { id, object, optional, type Shape, serverSet, text, union } from './shapes.ts'
import type { IndexKey } from './store.ts'

const localPart: Shape = { kind: 'text', rules: [localPartRule] }
const names: Shape = { kind: 'set', has: isPermission }
const ids: Shape = { kind: 'set', has: (member) => decodeId(member) !== undefined }

export const aliasList: Shape = {
  kind: 'list',
  of: object({
    enabled: { kind: 'boolean', initial: true },
    name: localPart,
    domainId: id,
    description: optional(text),
  }),
}

/** Limits of an API key or an app password. */
export const credentialLimits = {
  expiresAt: optional({ kind: 'date' }),
  permissions: union({
    Inherit: {},
    Disable: { permissions: names },
    Replace: { permissions: names },
  }),
  allowedIps: { kind: 'set', has: (member) => /^[0-9a-fA-F.:]+(\/\d{1,3})?$/.test(member) },
} satisfies Record<string, Shape>

const secondary = {
  credentialId: serverSet,
  description: text,
  secret: serverSet,
  createdAt: serverSet,
  ...credentialLimits,
} satisfies Record<string, Shape>
const credentials: Shape = {
  kind: 'list',
  of: union({
    Password: {
      credentialId: serverSet,
      secret: { kind: 'secret' },
      otpAuth: optional({ kind: 'secret' }),
      expiresAt: credentialLimits.expiresAt,
      allowedIps: credentialLimits.allowedIps,
    },
    AppPassword: secondary,
    ApiKey: secondary,
  }),
}

const quotaNames = new Set(
  `maxDiskQuota maxEmails maxMailboxes maxEmailSubmissions maxEmailIdentities maxParticipantIdentities maxSieveScripts maxPushSubscriptions
  maxCalendars maxCalendarEvents maxCalendarEventNotifications maxAddressBooks maxContactCards maxFiles maxFolders maxMaskedAddresses
  maxAppPasswords maxApiKeys maxPublicKeys`.split(/\s+/),
)
const quotas: Shape = {
  kind: 'map',
  has: (key) => quotaNames.has(key),
  of: { kind: 'integer', initial: 0 },
}
const permissions: Shape = union({
  Inherit: {},
  Merge: { enabledPermissions: names, disabledPermissions: names },
  Replace: { enabledPermissions: names, disabledPermissions: names },
})
const locale: Shape = {
  kind: 'enum',
  name: 'Locale',
  has: (value) => /^[a-z]{2,3}_[A-Z]{2}$/.test(value),
  initial: 'en_US',
}
const timeZone: Shape = optional({
  kind: 'enum',
  name: 'TimeZone',
  has: isTimeZone,
  initial: 'UTC',
})
const encryption = {
  publicKey: id,
  encryptOnAppend: { kind: 'boolean', initial: false },
  allowSpamTraining: { kind: 'boolean', initial: true },
} satisfies Record<string, Shape>

function isTimeZone(value: string): boolean {
  try {
    return value.includes('/') && Boolean(new Intl.DateTimeFormat('en', { timeZone: value }))
  } catch {
    return false
  }
}

const shape = union({
  User: {
    name: localPart,
    domainId: id,
    emailAddress: serverSet,
    credentials,
    createdAt: serverSet,
    memberGroupIds: ids,
    memberTenantId: optional(id),
    roles: union({ User: {}, Admin: {}, Custom: { roleIds: ids } }),
    permissions,
    quotas,
    usedDiskQuota: serverSet,
    aliases: aliasList,
    description: optional(text),
    locale,
    timeZone,
    encryptionAtRest: union({
      Disabled: {},
      Aes128: encryption,
      Aes256: encryption,
      Aes256Gcm: encryption,
      ChaCha20Poly1305: encryption,
    }),
  },
  Group: {
    name: localPart,
    domainId: id,
    emailAddress: serverSet,
    description: optional(text),
    createdAt: serverSet,
    memberTenantId: optional(id),
    roles: union({ Default: {}, Custom: { roleIds: ids } }),
    quotas,
    usedDiskQuota: serverSet,
    permissions,
    aliases: aliasList,
    locale,
    timeZone,
  },
})

/** The entries of a list in their order. */
export function entriesOf(list: JsonObject): readonly JsonObject[] {
  return Object.values(list).filter(isObject)
}

export function addressKey(localName: string, domainId: string): string {
  return `email:${localName}@${domainId}`
}

/** Primary address and aliases of an account or a list: unique over both, on every domain. */
export function addressKeys(record: JsonObject): readonly IndexKey[] {
  const addresses = [record, ...entriesOf(objectOf(record, 'aliases'))]
  return addresses.map((one) => ({
    key: addressKey(textOf(one, 'name'), textOf(one, 'domainId')),
    property: 'email',
  }))
}

export function addressForeignKeys(record: JsonObject): readonly ForeignKey[] {
  const tenant = textOf(record, 'memberTenantId')
  return [
    { object: 'Domain', id: textOf(record, 'domainId') },
    ...entriesOf(objectOf(record, 'aliases')).map((alias) => ({
      object: 'Domain' as const,
      id: textOf(alias, 'domainId'),
    })),
    ...(tenant ? [{ object: 'Tenant' as const, id: tenant }] : []),
  ]
}

export function addressOf(world: MailWorld, record: JsonObject): string {
  return `${textOf(record, 'name')}@${textOf(world.store.get('Domain', textOf(record, 'domainId')) ?? {}, 'name')}`
}

function foreignKeys(record: JsonObject): readonly ForeignKey[] {
  const encryptionKey = textOf(objectOf(record, 'encryptionAtRest'), 'publicKey')
  return [
    ...addressForeignKeys(record),
    ...membersOf(record.memberGroupIds).map((groupId) => ({
      object: 'Account' as const,
      id: groupId,
      variant: 'Group',
    })),
    ...membersOf(objectOf(record, 'roles').roleIds).map((roleId) => ({
      object: 'Role' as const,
      id: roleId,
    })),
    ...(encryptionKey ? [{ object: 'PublicKey' as const, id: encryptionKey }] : []),
  ]
}

/** The index key under which a bearer of an API key or an app password is found. */
export function secretKey(hash: string): string {
  return `secret:${hash}`
}

function secretKeys(record: JsonObject): readonly IndexKey[] {
  return entriesOf(objectOf(record, 'credentials'))
    .filter((credential) => textOf(credential, '@type') !== 'Password')
    .map((credential) => ({ key: secretKey(textOf(credential, 'secret')) }))
}

const invalidCredentials = (description: string) =>
  new SetError('invalidProperties', { properties: ['credentials'], description })

function newSecret(secret: string): string {
  if (isPasswordHash(secret)) return secret
  assertStrongPassword(secret)
  return hashPassword(secret)
}

/**
 * Credentials that came in: passwords are checked and hashed, what the server made itself must not
 * change.
 */
function prepareCredentials(record: JsonObject, previous: JsonObject | undefined): JsonObject {
  const before = entriesOf(objectOf(previous ?? {}, 'credentials'))
  const sent = entriesOf(objectOf(record, 'credentials'))
  const known = new Set(before.map((credential) => textOf(credential, 'credentialId')))
  let largest = Math.max(previous ? 0 : -1, ...[...known].map((one) => Number(decodeId(one) ?? 0n)))
  let hasPassword = sent.some(
    (one) => textOf(one, '@type') === 'Password' && known.has(textOf(one, 'credentialId')),
  )
  const prepared = sent.map((credential) => {
    const old = before.find(
      (one) => textOf(one, 'credentialId') === textOf(credential, 'credentialId'),
    )
    if (old) return keptCredential(credential, old)
    if (textOf(credential, '@type') !== 'Password')
      throw invalidCredentials('Secondary credentials cannot be set directly.')
    if (hasPassword) throw invalidCredentials('Only one password credential is allowed.')
    hasPassword = true
    largest += 1
    return {
      ...credential,
      secret: newSecret(textOf(credential, 'secret')),
      credentialId: encodeId(largest),
    }
  })
  return Object.fromEntries(prepared.map((credential, index) => [String(index), credential]))
}

function keptCredential(credential: JsonObject, old: JsonObject): JsonObject {
  const type = textOf(old, '@type')
  if (textOf(credential, '@type') !== type)
    throw invalidCredentials('Credential type cannot be changed.')
  const secret = textOf(credential, 'secret')
  const kept = secret === masked ? textOf(old, 'secret') : secret
  if (kept === textOf(old, 'secret'))
    return {
      ...credential,
      secret: kept,
      ...(credential.otpAuth === masked && { otpAuth: old.otpAuth ?? null }),
    }
  if (type !== 'Password')
    throw new SetError('forbidden', {
      description: 'Cannot change app password or API credentials through this method.',
    })
  return { ...credential, secret: newSecret(kept) }
}

function prepare({ world, caller, record, previous }: Change): JsonObject {
  if (previous && textOf(previous, '@type') !== textOf(record, '@type')) {
    throw new SetError('invalidProperties', {
      properties: ['@type'],
      description: 'Cannot change the type of an existing account.',
    })
  }
  const isUser = textOf(record, '@type') === 'User'
  const prepared: JsonObject = {
    ...record,
    ...(isUser && { credentials: prepareCredentials(record, previous) }),
    createdAt: previous?.createdAt ?? utcDate(world.now()),
  }
  const grants =
    !previous ||
    !same(previous.permissions, record.permissions) ||
    !same(previous.roles, record.roles)
  if (grants && world.settings.grantRule)
    assertMayGrant(caller.permissions, accountPermissions(prepared))
  return prepared
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** Credentials as a get shows them: secrets masked, in the order of the list. */
function maskedCredentials(list: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(list).map(([index, credential]) => {
      if (!isObject(credential)) return [index, credential]
      const { secret: _secret, otpAuth, ...shown } = credential
      return [
        index,
        {
          ...shown,
          secret: masked,
          ...(otpAuth !== null && otpAuth !== undefined && { otpAuth: masked }),
        },
      ]
    }),
  )
}

export const accounts: RegistryType = {
  name: 'Account',
  shape,
  filters: {
    '@type': 'type',
    domainId: 'id',
    name: 'keyword',
    memberGroupIds: 'members',
    memberTenantId: 'id',
  },
  sorts: ['name', 'domainId', '@type', 'memberTenantId'],
  words: (record) => [
    textOf(record, 'name'),
    textOf(record, 'description'),
    ...entriesOf(objectOf(record, 'aliases')).map((alias) => textOf(alias, 'name')),
  ],
  indexKeys: (record) => [...addressKeys(record), ...secretKeys(record)],
  foreignKeys,
  prepare,
  removed(world, accountId) {
    world.store.usedDiskQuota.delete(accountId)
    world.calendars.removeAccount(accountId)
  },
  view: (world, accountId, record) => ({
    ...record,
    emailAddress: addressOf(world, record),
    usedDiskQuota: world.store.usedDiskQuota.get(accountId) ?? 0,
    ...('credentials' in record && {
      credentials: maskedCredentials(objectOf(record, 'credentials')),
    }),
  }),
}
