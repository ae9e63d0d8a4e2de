import { SetError } from './errors.ts'
import { type JsonObject, membersOf, objectOf, textOf } from './json.ts'
import { permissionNames } from './permission-names.ts'

export type PermissionSet = ReadonlySet<string>

const everyone = /^(authenticate|authenticateWithAlias|interactAi)$/
const protocols = /^(jmap|imap|pop3|calendar|email|dav|sieve)/
const ownThings =
  /^sys(MaskedEmail|ArchivedItem|AccountSettings|PublicKey|SpamTrainingSample(?!.*Create))/
const ownSecrets = /^sys(AccountPassword|ApiKey|AppPassword)/
const systemOnly = /^(impersonate|unlimitedRequests|unlimitedUploads|liveMetrics|liveTracing)$/
const tenantObjects =
  /^sys(Domain|DkimSignature|AcmeProvider|Account|Role|OAuthClient|MailingList|ExternalReport|DnsServer|QueuedMessage)/

function pick(requested: (name: string) => boolean): PermissionSet {
  return new Set(permissionNames.filter(requested))
}

const user = pick(
  (name) =>
    everyone.test(name) || protocols.test(name) || ownThings.test(name) || ownSecrets.test(name),
)
const group = pick((name) => protocols.test(name) || ownThings.test(name))
const tenantAdministrator = pick(
  (name) =>
    everyone.test(name) ||
    name === 'fetchAnyBlob' ||
    name === 'liveDeliveryTest' ||
    (tenantObjects.test(name) && !ownThings.test(name) && !ownSecrets.test(name)),
)
const systemAdministrator = pick((name) => systemOnly.test(name) || !protocols.test(name))

/** The roles that a first start creates, by the id that their order gives them. */
const roles: Readonly<Record<string, PermissionSet>> = {
  b: user,
  c: group,
  d: tenantAdministrator,
  e: systemAdministrator,
}

/** True for the id of a role that exists. */
export function isRole(id: string): boolean {
  return Object.hasOwn(roles, id)
}

function union(...sets: readonly PermissionSet[]): PermissionSet {
  return new Set(sets.flatMap((set) => [...set]))
}

function difference(set: PermissionSet, without: readonly string[]): PermissionSet {
  const removed = new Set(without)
  return new Set([...set].filter((name) => !removed.has(name)))
}

function permissionsOfRoles(account: JsonObject): PermissionSet {
  const choice = objectOf(account, 'roles')
  switch (textOf(choice, '@type')) {
    case 'Admin':
      return union(systemAdministrator, user)
    case 'Custom':
      return union(...membersOf(choice.roleIds).map((id) => roles[id] ?? new Set<string>()))
    case 'Default':
      return group
    default:
      return user
  }
}

/** What an account may do: its roles, then its own `permissions`. What is disabled always wins. */
export function accountPermissions(account: JsonObject): PermissionSet {
  const own = objectOf(account, 'permissions')
  const disabled = membersOf(own.disabledPermissions)
  const enabled = new Set(membersOf(own.enabledPermissions))
  switch (textOf(own, '@type')) {
    case 'Merge':
      return difference(union(permissionsOfRoles(account), enabled), disabled)
    case 'Replace':
      return difference(enabled, disabled)
    default:
      return permissionsOfRoles(account)
  }
}

/**
 * What a caller may do who came with an API key or an app password of the account: never more than
 * the account.
 */
export function credentialPermissions(
  account: PermissionSet,
  credential: JsonObject,
): PermissionSet {
  const limit = objectOf(credential, 'permissions')
  const names = membersOf(limit.permissions)
  switch (textOf(limit, '@type')) {
    case 'Disable':
      return difference(account, names)
    case 'Replace':
      return new Set(names.filter((name) => account.has(name)))
    default:
      return account
  }
}

/** Rejects to give away what the caller does not hold. */
export function assertMayGrant(caller: PermissionSet, granted: PermissionSet): void {
  const missing = permissionNames.filter((name) => granted.has(name) && !caller.has(name))
  if (missing.length === 0) return
  const more = missing.length > 5 ? ` and ${missing.length - 5} more` : ''
  throw new SetError('forbidden', {
    description: `You are not authorized to grant permissions: ${missing.slice(0, 5).join(', ')}${more}`,
  })
}
