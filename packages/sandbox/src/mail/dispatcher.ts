import type { Caller } from './caller.ts'
import { isCapability } from './capabilities.ts'
import { MethodError } from './errors.ts'
import { decodeId } from './ids.ts'
import { isObject, type Json, type JsonObject, own, textOf } from './json.ts'
import { limits } from './limits.ts'
import type { Method } from './method.ts'
import { methods } from './methods.ts'
import { type Answered, orderedCreates, references, withBackReferences } from './references.ts'
import type { MailWorld } from './registry-type.ts'

export interface JmapRequest {
  readonly using: readonly string[]
  readonly calls: readonly { readonly name: string; readonly args: Json; readonly callId: string }[]
  readonly createdIds: JsonObject | undefined
}

/** A request that fails as a whole. */
export type RequestProblem = 'notRequest' | 'maxCallsInRequest' | 'maxSizeRequest'

/**
 * Reads the body of `POST /jmap`. Any malformed body is `notRequest`, as is an unknown capability.
 */
export function parseRequest(body: string): JmapRequest | RequestProblem {
  if (Buffer.byteLength(body) > limits.maxSizeRequest) return 'maxSizeRequest'
  let request: Json
  try {
    request = JSON.parse(body)
  } catch {
    return 'notRequest'
  }
  if (!isObject(request) || hasEscapedKey(body)) return 'notRequest'
  const using = own(request, 'using') ?? []
  const sent = own(request, 'methodCalls') ?? []
  const createdIds = own(request, 'createdIds')
  if (!Array.isArray(using) || !Array.isArray(sent)) return 'notRequest'
  if (!using.every((name: Json) => typeof name === 'string' && isCapability(name)))
    return 'notRequest'
  if (createdIds !== undefined && createdIds !== null && !isObject(createdIds)) return 'notRequest'
  const calls = sent.map((call: Json) => {
    if (!Array.isArray(call) || call.length !== 3) return undefined
    const [name, args, callId]: readonly Json[] = call
    return typeof name === 'string' && args !== undefined && typeof callId === 'string'
      ? { name, args, callId }
      : undefined
  })
  const wellFormed = calls.filter((call) => call !== undefined)
  if (wellFormed.length < calls.length) return 'notRequest'
  if (calls.length > limits.maxCallsInRequest) return 'maxCallsInRequest'
  return {
    using: using.filter((name: Json) => typeof name === 'string'),
    calls: wellFormed,
    createdIds: isObject(createdIds) ? createdIds : undefined,
  }
}

/**
 * The server borrows keys from the text as it stands, so one with an escape in it cannot be read.
 * Expects well-formed JSON.
 */
function hasEscapedKey(json: string): boolean {
  if (!json.includes('\\')) return false
  let open = json.indexOf('"')
  while (open !== -1) {
    let end = open + 1
    let escaped = false
    while (json[end] !== '"') {
      if (json[end] === '\\') escaped = true
      end += json[end] === '\\' ? 2 : 1
    }
    let next = end + 1
    while (/\s/.test(json[next] ?? '')) next += 1
    if (escaped && json[next] === ':') return true
    open = json.indexOf('"', end + 1)
  }
  return false
}

/**
 * The names of the methods in a body, whatever else is wrong with it: for faults and the call log.
 */
export function methodNames(body: string): readonly string[] {
  try {
    const request: Json = JSON.parse(body)
    const calls = isObject(request) ? own(request, 'methodCalls') : undefined
    if (!Array.isArray(calls)) return []
    return calls.flatMap((call: Json) =>
      Array.isArray(call) && typeof call[0] === 'string' ? [call[0]] : [],
    )
  } catch {
    return []
  }
}

/** Carries the calls out one after the other, in one go: no other request comes in between. */
export function carryOut(
  world: MailWorld,
  caller: Caller,
  request: JmapRequest,
  sessionState: string,
): JsonObject {
  const answered: Answered[] = []
  const responses: Json[] = []
  const createdIds = new Map<string, string>()
  for (const [name, id] of Object.entries(request.createdIds ?? {}))
    if (typeof id === 'string') createdIds.set(name, id)

  for (const { name, args, callId } of request.calls) {
    try {
      const result = call(world, caller, request, name, args, answered, createdIds)
      const created = own(result, 'created')
      for (const [clientId, object] of Object.entries(isObject(created) ? created : {})) {
        if (isObject(object)) createdIds.set(clientId, textOf(object, 'id'))
      }
      answered.push({ name, result, callId })
      responses.push([name, result, callId])
    } catch (error) {
      if (!(error instanceof MethodError)) throw error
      responses.push(['error', error.toJson(), callId])
    }
  }
  return {
    methodResponses: responses,
    ...(request.createdIds && { createdIds: Object.fromEntries(createdIds) }),
    sessionState,
  }
}

function call(
  world: MailWorld,
  caller: Caller,
  request: JmapRequest,
  name: string,
  sent: Json,
  answered: readonly Answered[],
  createdIds: ReadonlyMap<string, string>,
): JsonObject {
  const method = methods.get(name)
  if (!method) throw new MethodError('unknownMethod', name)
  if (world.installation.mode !== 'running' && !name.startsWith('x:Bootstrap/'))
    throw new MethodError('forbidden', 'The server is in bootstrap mode and is limited to setup.')
  if (!isObject(sent))
    throw new MethodError('invalidArguments', 'The arguments of a method are an object.')
  const args = orderedCreates(withBackReferences(sent, answered), createdIds)
  if (method.capability && !request.using.includes(method.capability)) {
    throw new MethodError(
      'unknownMethod',
      `Method ${name} requires capability ${method.capability} which is not present in the "using" property.`,
    )
  }
  if (method.permission && !caller.permissions.has(method.permission)) {
    throw new MethodError('forbidden', 'You are not authorized to perform this action')
  }
  const resolved = references(createdIds)
  const ids = own(args, 'ids')
  const withIds = Array.isArray(ids)
    ? { ...args, ids: ids.map((id: Json) => (typeof id === 'string' ? resolved.id(id, {}) : id)) }
    : args
  return method.run({
    world,
    caller,
    accountId: accountOf(method, caller, args),
    args: withIds,
    references: resolved,
  })
}

function accountOf(method: Method, caller: Caller, args: JsonObject): string {
  const sent = own(args, 'accountId')
  if (method.accountId === 'ignored') return caller.accountId
  if (sent !== undefined && typeof sent !== 'string')
    throw new MethodError(
      'invalidArguments',
      'Invalid value for argument "accountId", expected an id',
    )
  if (sent === undefined || decodeId(sent) === undefined) {
    if (method.accountId === 'optional') return caller.accountId
    if (sent === undefined)
      throw new MethodError('invalidArguments', 'The "accountId" property is required.')
    throw new MethodError('accountNotFound')
  }
  if (sent !== caller.accountId && !caller.permissions.has('impersonate')) {
    throw new MethodError('forbidden', `You are not an owner of account ${sent}`)
  }
  return sent
}
