import { BlockList, isIP } from 'node:net'
import { addressKey, addressOf, entriesOf, secretKey } from './accounts.ts'
import type { Caller } from './caller.ts'
import { findDomain } from './domains.ts'
import { recoveryCaller } from './installation.ts'
import { type JsonObject, membersOf, objectOf, textOf } from './json.ts'
import { accountPermissions, credentialPermissions, type PermissionSet } from './permissions.ts'
import { defaultDomainId } from './registry.ts'
import type { MailWorld } from './registry-type.ts'
import { hashSecret, verifyPassword } from './secrets.ts'

export type Rejection = 'unauthorized' | 'codeRequired' | 'forbidden'

interface Account {
  readonly id: string
  readonly record: JsonObject
}

/**
 * The caller behind an `Authorization` header. `forbidden`: right credentials of an account that
 * may not authenticate (a frozen mailbox), or from an address that the credential does not allow.
 */
export function authenticate(
  world: MailWorld,
  header: string,
  remoteAddress: string | undefined,
): Caller | Rejection {
  if (world.installation.mode !== 'running') return recoveryCaller(world.installation, header)
  const [scheme = '', value = ''] = header.split(' ', 2)
  if (/^bearer$/i.test(scheme)) return withKey(world, value, 'ApiKey', remoteAddress)
  if (/^basic$/i.test(scheme))
    return withBasic(world, Buffer.from(value, 'base64').toString('utf8'), remoteAddress)
  return 'unauthorized'
}

function withBasic(
  world: MailWorld,
  pair: string,
  remoteAddress: string | undefined,
): Caller | Rejection {
  const colon = pair.indexOf(':')
  if (colon === -1) return 'unauthorized'
  const login = pair.slice(0, colon).trim().toLowerCase()
  const secret = pair.slice(colon + 1)
  const percent = login.indexOf('%')
  if (percent !== -1)
    return asMaster(world, login.slice(0, percent), login.slice(percent + 1), secret, remoteAddress)
  const account = findAccount(world, login)
  if (!account) return 'unauthorized'
  if (secret.startsWith('app_')) {
    const holder = world.store.holder(secretKey(hashSecret(secret)))
    return holder?.id === account.id
      ? withKey(world, secret, 'AppPassword', remoteAddress)
      : 'unauthorized'
  }
  return withPassword(world, account, secret, remoteAddress, login)
}

/**
 * `target%master`: the master's password opens the target's mailbox, with the target's own
 * permissions.
 */
function asMaster(
  world: MailWorld,
  target: string,
  master: string,
  secret: string,
  remoteAddress: string | undefined,
): Caller | Rejection {
  const masterAccount = findAccount(world, master)
  if (!masterAccount) return 'unauthorized'
  const checked = withPassword(world, masterAccount, secret, remoteAddress, master)
  if (typeof checked === 'string') return checked
  if (!checked.permissions.has('impersonate')) return 'forbidden'
  const account = findAccount(world, target)
  return account ? callerOf(world, account, accountPermissions(account.record)) : 'unauthorized'
}

function withPassword(
  world: MailWorld,
  account: Account,
  secret: string,
  remoteAddress: string | undefined,
  login: string,
): Caller | Rejection {
  const credential = entriesOf(objectOf(account.record, 'credentials')).find(
    (one) => textOf(one, '@type') === 'Password',
  )
  if (
    !credential ||
    isExpired(world, credential) ||
    !verifyPassword(secret, textOf(credential, 'secret'))
  )
    return 'unauthorized'
  if (textOf(credential, 'otpAuth')) return 'codeRequired'
  if (!isAllowedFrom(credential, remoteAddress)) return 'forbidden'
  const permissions = accountPermissions(account.record)
  const isAlias = login.includes('@') && login !== addressOf(world, account.record)
  if (isAlias && !permissions.has('authenticateWithAlias')) return 'forbidden'
  return callerOf(world, account, permissions)
}

function withKey(
  world: MailWorld,
  secret: string,
  type: 'ApiKey' | 'AppPassword',
  remoteAddress: string | undefined,
): Caller | Rejection {
  const hash = hashSecret(secret)
  const id = world.store.holder(secretKey(hash))?.id
  const record = id === undefined ? undefined : world.store.get('Account', id)
  const credential =
    record &&
    entriesOf(objectOf(record, 'credentials')).find(
      (one) => textOf(one, '@type') === type && textOf(one, 'secret') === hash,
    )
  if (id === undefined || !record || !credential || isExpired(world, credential))
    return 'unauthorized'
  if (!isAllowedFrom(credential, remoteAddress)) return 'forbidden'
  return callerOf(
    world,
    { id, record },
    credentialPermissions(accountPermissions(record), credential),
  )
}

function callerOf(
  world: MailWorld,
  account: Account,
  permissions: PermissionSet,
): Caller | Rejection {
  if (!permissions.has('authenticate')) return 'forbidden'
  return {
    accountId: account.id,
    address: addressOf(world, account.record),
    permissions,
    accountPermissions: accountPermissions(account.record),
  }
}

/**
 * By address or alias, on a domain or an alias of it. A bare name is completed with the default
 * domain.
 */
function findAccount(world: MailWorld, login: string): Account | undefined {
  const id = accountByAddress(
    world,
    login.includes('@') ? login : `${login}@${defaultDomainName(world)}`,
  )
  const record = id === undefined ? undefined : world.store.get('Account', id)
  return id !== undefined && record ? { id, record } : undefined
}

/** The account of an address: primary or alias, no plus-addressing, no catch-all. */
export function accountByAddress(world: MailWorld, address: string): string | undefined {
  const at = address.lastIndexOf('@')
  const domainId = findDomain(world, address.slice(at + 1).toLowerCase())
  const holder =
    at > 0 && domainId !== undefined
      ? world.store.holder(addressKey(address.slice(0, at).toLowerCase(), domainId))
      : undefined
  return holder?.object === 'Account' ? holder.id : undefined
}

function defaultDomainName(world: MailWorld): string {
  return textOf(world.store.get('Domain', defaultDomainId) ?? {}, 'name')
}

function isExpired(world: MailWorld, credential: JsonObject): boolean {
  const expiresAt = textOf(credential, 'expiresAt')
  return expiresAt !== '' && Date.parse(expiresAt) <= world.now()
}

function isAllowedFrom(credential: JsonObject, remoteAddress: string | undefined): boolean {
  const allowed = membersOf(credential.allowedIps)
  if (allowed.length === 0) return true
  const address = remoteAddress?.replace(/^::ffff:/, '') ?? ''
  if (isIP(address) === 0) return false
  const list = new BlockList()
  for (const range of allowed) {
    const [network = '', bits] = range.split('/')
    const family = isIP(network) === 6 ? 'ipv6' : 'ipv4'
    if (isIP(network) === 0) continue
    if (bits === undefined) list.addAddress(network, family)
    else list.addSubnet(network, Number(bits), family)
  }
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}
