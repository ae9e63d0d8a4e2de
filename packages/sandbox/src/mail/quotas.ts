import { addressOf } from './accounts.ts'
import { idsArgument, textsArgument } from './arguments.ts'
import { MethodError } from './errors.ts'
import { type JsonObject, objectOf, own } from './json.ts'
import type { MethodCall } from './method.ts'
import { selected } from './registry-get.ts'

/** `Quota/get` (RFC 9425): one entry, `a`, and only for an account with a disk quota. */
export function quotaGet({ world, accountId, args }: MethodCall): JsonObject {
  const account = world.store.get('Account', accountId)
  if (!account) throw new MethodError('serverUnavailable')
  const hardLimit = own(objectOf(account, 'quotas'), 'maxDiskQuota')
  const held = typeof hardLimit === 'number' && hardLimit > 0 ? ['a'] : []
  const ids = idsArgument(args, 'ids') ?? held
  const quota: JsonObject = {
    id: 'a',
    resourceType: 'octets',
    used: world.store.usedDiskQuota.get(accountId) ?? 0,
    warnLimit: null,
    softLimit: null,
    hardLimit: hardLimit ?? null,
    scope: 'account',
    name: addressOf(world, account),
    description: account.description ?? null,
    types: ['Email', 'SieveScript', 'FileNode', 'CalendarEvent', 'ContactCard'],
  }
  const properties = new Set(textsArgument(args, 'properties') ?? [])
  return {
    accountId,
    state: 'n',
    list: ids.filter((id) => held.includes(id)).map(() => selected(quota, properties)),
    notFound: ids.filter((id) => !held.includes(id)),
  }
}
