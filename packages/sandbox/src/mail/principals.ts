import { addressOf, entriesOf } from './accounts.ts'
import { idsArgument, textsArgument } from './arguments.ts'
import { accountByAddress } from './authentication.ts'
import { capabilities } from './capabilities.ts'
import { MethodError } from './errors.ts'
import { isObject, type Json, type JsonObject, objectOf, own, textOf } from './json.ts'
import type { MethodCall } from './method.ts'
import { selected } from './registry-get.ts'
import { queryResponse } from './registry-query.ts'
import type { MailWorld } from './registry-type.ts'

function view(world: MailWorld, accountId: string, account: JsonObject): JsonObject {
  const address = addressOf(world, account)
  return {
    id: accountId,
    type: textOf(account, '@type') === 'Group' ? 'group' : 'individual',
    name: address,
    description: account.description ?? null,
    email: address,
    timeZone: account.timeZone ?? null,
    capabilities: { [capabilities.principals]: {} },
    accounts: {},
  }
}

/** `Principal/get`: the id of a principal is the id of its account. */
export function principalGet({ world, accountId, args }: MethodCall): JsonObject {
  const ids = idsArgument(args, 'ids') ?? world.store.list('Account').map(([id]) => id)
  const properties = new Set(textsArgument(args, 'properties') ?? [])
  const list: JsonObject[] = []
  const notFound: string[] = []
  for (const id of ids) {
    const account = world.store.get('Account', id)
    if (account) list.push(selected(view(world, id, account), properties))
    else notFound.push(id)
  }
  return { accountId, state: 'n', list, notFound }
}

/**
 * `Principal/query`: `name` and `email` look up an exact address, aliases and aliases of domains
 * included.
 */
export function principalQuery({ world, accountId, args }: MethodCall): JsonObject {
  const matches = matcher(world, own(args, 'filter') ?? null)
  const rows = world.store.list('Account').filter(([id, account]) => matches(id, account))
  return queryResponse(
    accountId,
    { ...args, sort: [{ property: 'id' }], calculateTotal: own(args, 'calculateTotal') ?? false },
    [],
    rows,
  )
}

type Matcher = (id: string, account: JsonObject) => boolean

function matcher(world: MailWorld, filter: Json): Matcher {
  if (filter === null) return () => true
  if (!isObject(filter))
    throw new MethodError(
      'invalidArguments',
      'Invalid value for argument "filter", expected an object',
    )
  if (Object.hasOwn(filter, 'operator')) return combined(world, filter)
  const conditions = Object.entries(filter).map(([name, value]) => condition(world, name, value))
  return (id, account) => conditions.every((one) => one(id, account))
}

function combined(world: MailWorld, filter: JsonObject): Matcher {
  const inner = own(filter, 'conditions')
  const conditions = Array.isArray(inner) ? inner.map((one: Json) => matcher(world, one)) : []
  switch (textOf(filter, 'operator')) {
    case 'AND':
      return (id, account) => conditions.every((one) => one(id, account))
    case 'OR':
      return (id, account) => conditions.some((one) => one(id, account))
    case 'NOT':
      return (id, account) => !conditions.some((one) => one(id, account))
    default:
      throw new MethodError('invalidArguments', 'Invalid filter operator')
  }
}

function condition(world: MailWorld, name: string, value: Json): Matcher {
  const accountIds: readonly Json[] | undefined = Array.isArray(value) ? value : undefined
  if (name === 'accountIds' && accountIds) return (id) => accountIds.includes(id)
  if (typeof value !== 'string') throw new MethodError('unsupportedFilter', name)
  switch (name) {
    case 'name':
    case 'email': {
      const found = accountByAddress(world, value)
      return (id) => id === found
    }
    case 'type':
      return (_id, account) =>
        value === (textOf(account, '@type') === 'Group' ? 'group' : 'individual')
    case 'text':
      return (_id, account) => words(account).has(value.toLowerCase())
    default:
      throw new MethodError('unsupportedFilter', name)
  }
}

function words(account: JsonObject): ReadonlySet<string> {
  const aliases = entriesOf(objectOf(account, 'aliases')).map((alias) => textOf(alias, 'name'))
  const texts = [textOf(account, 'name'), textOf(account, 'description'), ...aliases]
  return new Set(texts.flatMap((one) => one.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []))
}
