import { z } from 'zod'
import type { Operation } from '../call-policy.ts'
import type { HttpClient } from '../http-client.ts'
import type { UpstreamError } from '../upstream-error.ts'
import { jmap, SetError, setFailure } from './jmap.ts'

export type ObjectType = 'Account' | 'DkimSignature' | 'Domain' | 'MailingList'

// Values below the ids are read one by one: the path of a shape that differs would quote the id.
const byId = z.record(z.string(), z.unknown()).nullish()

/** The result of a `/set`. The server omits maps without entries. */
const SetResult = z.object({
  created: z.object({ object: z.object({ id: z.string().min(1) }).optional() }).nullish(),
  notCreated: z.object({ object: SetError.optional() }).nullish(),
  updated: byId,
  notUpdated: byId,
  destroyed: z.array(z.string()).nullish(),
  notDestroyed: byId,
})

const Ids = z.object({ ids: z.array(z.string().min(1)), limit: z.number().nullish() })

// The maximum results of one query and the maximum objects of one get, in a default installation.
const idsInQuery = 5_000
const objectsInGet = 500

/**
 * False for a text that cannot be an id: some would be taken for a reference to another call, some
 * break the server's parser.
 */
export function isObjectId(id: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(id)
}

/**
 * Creates one object. A rejection is returned, because some mean that the object exists. Not
 * repeatable.
 */
export async function createObject(
  operation: Operation,
  client: HttpClient,
  type: ObjectType,
  object: Record<string, unknown>,
): Promise<{ id: string } | { rejected: SetError }> {
  const { created, notCreated } = await jmap(operation, client, {
    calls: [[`x:${type}/set`, { create: { object } }, 'set']],
    repeatable: false,
    read: ([result]) => SetResult.parse(result),
  })
  if (created?.object) return { id: created.object.id }
  if (notCreated?.object) return { rejected: notCreated.object }
  throw silence(operation)
}

/**
 * Properties or JSON pointers of one object. Not repeatable by itself when a pointer goes into a
 * list, whose entries move.
 */
export async function updateObject(
  operation: Operation,
  client: HttpClient,
  type: ObjectType,
  { id, patch, repeatable }: { id: string; patch: Record<string, unknown>; repeatable: boolean },
): Promise<void> {
  assertObjectId(operation, id)
  const rejected = await jmap(operation, client, {
    calls: [[`x:${type}/set`, { update: { [id]: patch } }, 'set']],
    repeatable,
    read: ([result]) => updateRejection(operation, result, id),
  })
  if (rejected) throw setFailure(operation, rejected)
}

/** Throws `not_found` for a text that cannot be an id. */
export function assertObjectId(operation: Operation, id: string): void {
  if (!isObjectId(id))
    throw operation.fail('not_found', { note: 'this is no id of the mail server' })
}

/**
 * The rejection of one update in the result of a `/set`; undefined when it succeeded. For response
 * readers, like `destroyRefusal`.
 */
export function updateRejection(
  operation: Operation,
  result: unknown,
  id: string,
): SetError | undefined {
  const { updated, notUpdated } = SetResult.parse(result)
  if (updated && Object.hasOwn(updated, id)) return undefined
  if (!notUpdated || !Object.hasOwn(notUpdated, id)) throw silence(operation)
  return SetError.parse(notUpdated[id])
}

/** Undefined when the object is gone, whether or not we removed it. */
export function destroyRejection(
  operation: Operation,
  result: unknown,
  id: string,
): SetError | undefined {
  const { destroyed, notDestroyed } = SetResult.parse(result)
  if (destroyed?.includes(id)) return undefined
  if (!notDestroyed || !Object.hasOwn(notDestroyed, id)) throw silence(operation)
  const rejected = SetError.parse(notDestroyed[id])
  return rejected.type === 'notFound' ? undefined : rejected
}

/** Destroys one object; an absent one counts as destroyed. */
export async function destroyObject(
  operation: Operation,
  client: HttpClient,
  type: ObjectType,
  id: string,
): Promise<void> {
  if (!isObjectId(id)) return
  const rejected = await jmap(operation, client, {
    calls: [[`x:${type}/set`, { destroy: [id] }, 'set']],
    repeatable: true,
    read: ([result]) => destroyRejection(operation, result, id),
  })
  if (rejected) throw setFailure(operation, rejected)
}

interface ReadRequest<S extends z.ZodType> {
  ids: readonly string[]
  properties: string[]
  shape: S
  /** Objects per response, when a whole page of them could be too large. */
  atOnce?: number
  /** False within steps that repeat together. */
  repeatable?: boolean
}

/** Named properties of the objects that are there, in no certain order. */
export async function readObjects<S extends z.ZodType>(
  operation: Operation,
  client: HttpClient,
  type: ObjectType,
  { ids, properties, shape, atOnce = objectsInGet, repeatable = true }: ReadRequest<S>,
): Promise<z.output<S>[]> {
  const Got = z.object({ list: z.array(shape) })
  const requested = [...new Set(ids)].filter(isObjectId)
  const objects: z.output<S>[] = []
  for (let at = 0; at < requested.length; at += atOnce) {
    const { list } = await jmap(operation, client, {
      calls: [[`x:${type}/get`, { ids: requested.slice(at, at + atOnce), properties }, 'get']],
      repeatable,
      read: ([result]) => Got.parse(result),
    })
    objects.push(...list)
  }
  return objects
}

/** Ids of every object of a type, page by page. */
export async function allIds(
  operation: Operation,
  client: HttpClient,
  type: ObjectType,
): Promise<string[]> {
  const known = new Set<string>()
  for (;;) {
    const before = known.size
    const page = await jmap(operation, client, {
      calls: [[`x:${type}/query`, { position: before, limit: idsInQuery }, 'query']],
      repeatable: true,
      read: ([result]) => Ids.parse(result),
    })
    for (const id of page.ids) known.add(id)
    // A page without new entries also ends it: a server that ignores the position would return the
    // same page forever.
    if (known.size === before || page.ids.length < Math.min(page.limit ?? idsInQuery, idsInQuery))
      return [...known]
  }
}

function silence(operation: Operation): UpstreamError {
  return operation.fail('invalid_answer', { note: 'it tells neither success nor failure' })
}
