import { MethodError, SetError } from './errors.ts'
import { isObject, type Json, type JsonObject, own, textOf } from './json.ts'

/**
 * Creation references (`#name`) of a request: names that earlier sets gave to what they created.
 */
export interface References {
  /**
   * The id behind `#name`, or the text itself. `created` holds what the running set created so far.
   */
  id(text: string, created: JsonObject): string
  /**
   * A value with the references in it replaced, as ids and as keys of sets. Throws a SetError for
   * one whose create failed.
   */
  within(value: Json, created: JsonObject): Json
}

/** Properties whose value is an id. Other texts may begin with `#` and mean it. */
const idProperties = new Set([
  'domainId',
  'memberTenantId',
  'directoryId',
  'publicKey',
  'acmeProviderId',
  'dnsServerId',
  'ids',
  'destroy',
])
const setsOfIds = new Set(['memberGroupIds', 'roleIds'])

export function references(createdIds: ReadonlyMap<string, string>): References {
  const find = (name: string, created: JsonObject): string | undefined => {
    const fresh = own(created, name)
    return (isObject(fresh) ? textOf(fresh, 'id') : undefined) ?? createdIds.get(name)
  }
  const resolve = (text: string, created: JsonObject): string => {
    if (!text.startsWith('#')) return text
    const found = find(text.slice(1), created)
    if (found !== undefined) return found
    throw new SetError('notFound', {
      description: `Id reference ${JSON.stringify(text.slice(1))} not found.`,
    })
  }
  const within = (value: Json, created: JsonObject, property = ''): Json => {
    if (typeof value === 'string')
      return idProperties.has(property) ? resolve(value, created) : value
    if (Array.isArray(value)) return value.map((item: Json) => within(item, created, property))
    if (!isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => {
        const inner = within(item, created, key.slice(key.lastIndexOf('/') + 1))
        if (setsOfIds.has(property) && key.startsWith('#'))
          return [find(key.slice(1), created) ?? key, inner]
        const [head = '', member] = key.split('/')
        const pointed =
          setsOfIds.has(head) && member?.startsWith('#')
            ? find(member.slice(1), created)
            : undefined
        return [pointed === undefined ? key : `${head}/${pointed}`, inner]
      }),
    )
  }
  return {
    id: (text, created) => (text.startsWith('#') ? (find(text.slice(1), created) ?? text) : text),
    within: (value, created) => within(value, created),
  }
}

/** Names that a value refers to. */
function referredNames(value: Json, property = ''): readonly string[] {
  if (typeof value === 'string')
    return idProperties.has(property) && value.startsWith('#') ? [value.slice(1)] : []
  if (Array.isArray(value)) return value.flatMap((item: Json) => referredNames(item, property))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, item]) => [
    ...(setsOfIds.has(property) && key.startsWith('#') ? [key.slice(1)] : []),
    ...referredNames(item, key.slice(key.lastIndexOf('/') + 1)),
  ])
}

/**
 * Fails the call when it refers to a name that nothing created, and puts its creates into an order
 * in which each comes after what it refers to.
 */
export function orderedCreates(
  args: JsonObject,
  createdIds: ReadonlyMap<string, string>,
): JsonObject {
  const create = own(args, 'create')
  const creates = isObject(create) ? create : {}
  for (const name of referredNames(args)) {
    if (!createdIds.has(name) && !Object.hasOwn(creates, name)) {
      throw new MethodError(
        'invalidResultReference',
        `Id reference ${JSON.stringify(name)} not found.`,
      )
    }
  }
  if (!isObject(create)) return args
  const ordered: [string, Json][] = []
  const state = new Map<string, 'open' | 'done'>()
  const visit = (name: string) => {
    if (state.get(name) === 'done' || !Object.hasOwn(creates, name)) return
    if (state.get(name) === 'open')
      throw new MethodError(
        'invalidResultReference',
        `Circular reference between client ids ${JSON.stringify(name)}.`,
      )
    state.set(name, 'open')
    for (const needed of referredNames(creates[name] ?? null)) visit(needed)
    state.set(name, 'done')
    ordered.push([name, creates[name] ?? null])
  }
  for (const name of Object.keys(creates)) visit(name)
  return { ...args, create: Object.fromEntries(ordered) }
}

/** One completed call, for back references. */
export interface Answered {
  readonly name: string
  readonly result: JsonObject
  readonly callId: string
}

/**
 * Replaces arguments such as `#ids` by the result of an earlier call of the request (RFC 8620,
 * section 3.7).
 */
export function withBackReferences(args: JsonObject, answered: readonly Answered[]): JsonObject {
  const entries = Object.entries(args).map(([key, value]): [string, Json] => {
    if (!key.startsWith('#')) return [key, value]
    const name = key.slice(1)
    if (Object.hasOwn(args, name))
      throw new MethodError('invalidArguments', `Duplicate argument "${name}"`)
    if (!isObject(value))
      throw new MethodError(
        'invalidArguments',
        `Invalid value for argument "${key}", expected a result reference`,
      )
    const [resultOf, method, path] = [
      textOf(value, 'resultOf'),
      textOf(value, 'name'),
      textOf(value, 'path'),
    ]
    const source = answered.find((one) => one.callId === resultOf && one.name === method)
    const found = source && evaluate(source.result, path.replace(/^\//, '').split('/'))
    if (found === undefined)
      throw new MethodError(
        'invalidResultReference',
        `Result reference to ${resultOf}#${method} not found.`,
      )
    return [name, found]
  })
  return Object.fromEntries(entries)
}

function evaluate(value: Json, path: readonly string[]): Json | undefined {
  const [segment, ...rest] = path
  if (segment === undefined) return value
  if (Array.isArray(value)) {
    if (segment !== '*')
      return /^\d+$/.test(segment) ? evaluateMember(value[Number(segment)], rest) : undefined
    const results: (Json | undefined)[] = value.map((item: Json) => evaluate(item, rest))
    if (results.includes(undefined)) return undefined
    return results.flatMap((item) => (Array.isArray(item) ? [...item] : [item ?? null]))
  }
  if (!isObject(value)) return undefined
  return evaluateMember(own(value, segment.replaceAll('~1', '/').replaceAll('~0', '~')), rest)
}

function evaluateMember(value: Json | undefined, rest: readonly string[]): Json | undefined {
  return value === undefined ? undefined : evaluate(value, rest)
}
