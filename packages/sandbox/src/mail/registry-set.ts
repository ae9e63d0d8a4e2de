import { idsArgument, objectArgument } from './arguments.ts'
import type { Caller } from './caller.ts'
import { MethodError, SetError } from './errors.ts'
import { isObject, type Json, type JsonObject, own, withProperty } from './json.ts'
import { limits } from './limits.ts'
import type { MethodCall } from './method.ts'
import { parsePointer, patched, renumbered } from './patch.ts'
import { isResolved, knownProperties, linkedObjects } from './registry.ts'
import type { MailWorld, RegistryType } from './registry-type.ts'
import { initialObject, missingProperties } from './shapes.ts'

/** What a set did, object by object. */
export interface SetOutcome {
  created: JsonObject
  updated: JsonObject
  destroyed: readonly string[]
  notCreated: JsonObject
  notUpdated: JsonObject
  notDestroyed: JsonObject
}

export interface SetSteps {
  readonly create: (value: Json) => JsonObject
  readonly update: (id: string, patch: Json) => void
  readonly destroy: (id: string) => void
}

/**
 * Runs creates, then updates, then destroys, each on its own: a rejection does not stop the others.
 * The response omits empty maps, and there is no state.
 */
export function runSet(call: MethodCall, permission: string, steps: SetSteps): JsonObject {
  const { args, accountId, caller } = call
  const create = objectArgument(args, 'create')
  const update = objectArgument(args, 'update')
  const destroy = idsArgument(args, 'destroy') ?? []
  if (
    Object.keys(create).length + Object.keys(update).length + destroy.length >
    limits.maxObjectsInSet
  )
    throw new MethodError('requestTooLarge')

  assertPermitted(caller, permission, {
    create: Object.keys(create).length > 0,
    update: Object.keys(update).length > 0,
    destroy: destroy.length > 0,
  })
  const outcome: SetOutcome = {
    created: {},
    updated: {},
    destroyed: [],
    notCreated: {},
    notUpdated: {},
    notDestroyed: {},
  }
  for (const [clientId, value] of Object.entries(create)) {
    const rejection = attempt(() => {
      const response = steps.create(call.references.within(value, outcome.created))
      outcome.created = withProperty(outcome.created, clientId, response)
    })
    if (rejection) outcome.notCreated = withProperty(outcome.notCreated, clientId, rejection)
  }
  for (const [sentId, patch] of Object.entries(update)) {
    const id = call.references.id(sentId, outcome.created)
    const rejection = attempt(() => {
      if (destroy.includes(id)) throw new SetError('willDestroy')
      steps.update(id, call.references.within(patch, outcome.created))
      outcome.updated = withProperty(outcome.updated, id, null)
    })
    if (rejection) outcome.notUpdated = withProperty(outcome.notUpdated, id, rejection)
  }
  for (const sentId of destroy) {
    const id = call.references.id(sentId, outcome.created)
    const rejection = attempt(() => {
      steps.destroy(id)
      outcome.destroyed = [...outcome.destroyed, id]
    })
    if (rejection) outcome.notDestroyed = withProperty(outcome.notDestroyed, id, rejection)
  }
  return { accountId, ...withoutEmpty(outcome) }
}

function withoutEmpty(outcome: SetOutcome): JsonObject {
  const kept = Object.entries(outcome).filter(([, value]) => Object.keys(value).length > 0)
  return Object.fromEntries(kept)
}

function attempt(step: () => void): JsonObject | undefined {
  try {
    step()
    return undefined
  } catch (error) {
    if (error instanceof SetError) return error.toJson()
    throw error
  }
}

/** A missing permission fails the whole call, not the objects one by one. */
function assertPermitted(
  caller: Caller,
  permission: string,
  verbs: Readonly<Record<string, boolean>>,
): void {
  const missing = Object.keys(verbs).filter(
    (verb) => !caller.permissions.has(`${permission}${verb[0]?.toUpperCase()}${verb.slice(1)}`),
  )
  const rejected =
    missing.length === Object.keys(verbs).length
      ? 'create, update or destroy'
      : missing.find((verb) => verbs[verb])
  if (rejected)
    throw new MethodError('forbidden', `You are not authorized to ${rejected} objects of this type`)
}

/** `x:<Object>/set` for the objects that the registry stores. */
export function registrySet(type: RegistryType): (call: MethodCall) => JsonObject {
  return (call) => {
    const { world, caller } = call
    return runSet(call, `sys${type.name}`, {
      create: (value) => {
        const start = type.shape.kind === 'object' ? initialObject(type.shape) : null
        const record = asObject(patched(type.shape, start, [], value, knownProperties))
        return { id: write(world, caller, type, undefined, record, undefined) }
      },
      update: (id, patch) => {
        const previous = world.store.get(type.name, id)
        if (!previous) throw new SetError('notFound')
        write(world, caller, type, id, updated(type, previous, patch), previous)
      },
      destroy: (id) => {
        if (!world.store.get(type.name, id)) throw new SetError('notFound')
        const linked = linkedObjects(world, type.name, id)
        if (linked.length > 0)
          throw new SetError('objectIsLinked', {
            objectId: { object: type.name, id },
            linkedObjects: linked,
          })
        world.store.remove(type.name, id)
        type.removed?.(world, id)
      },
    })
  }
}

function updated(type: RegistryType, previous: JsonObject, patch: Json): JsonObject {
  if (!isObject(patch))
    throw new SetError('invalidPatch', {
      description: 'Invalid value type for object',
      properties: [''],
    })
  const sentType = own(patch, '@type')
  if (
    typeof sentType === 'string' &&
    typeof previous['@type'] === 'string' &&
    sentType !== previous['@type']
  ) {
    return asObject(patched(type.shape, previous, [], patch, knownProperties))
  }
  let record: Json = previous
  for (const [pointer, value] of Object.entries(patch)) {
    if (pointer === '@type') continue
    record = patched(type.shape, record, parsePointer(pointer), value, knownProperties)
  }
  return asObject(record)
}

function asObject(value: Json): JsonObject {
  if (!isObject(value))
    throw new SetError('invalidPatch', {
      description: 'Invalid value type for object',
      properties: [''],
    })
  return value
}

/**
 * Checks a record and stores it, in the order in which the server rejects: object rules, required
 * properties, references, uniqueness.
 */
function write(
  world: MailWorld,
  caller: Caller,
  type: RegistryType,
  id: string | undefined,
  changed: JsonObject,
  previous: JsonObject | undefined,
): string {
  const record = asObject(
    renumbered(type.shape, type.prepare({ world, caller, id, record: changed, previous })),
  )
  const missing = missingProperties(type.shape, record)
  if (missing.length > 0) {
    throw new SetError('validationFailed', {
      validationErrors: missing.map((property) => ({ type: 'Required', property })),
    })
  }
  for (const key of type.foreignKeys(record)) {
    if (!isResolved(world, key))
      throw new SetError('invalidForeignKey', { objectId: { object: key.object, id: key.id } })
  }
  for (const { key, property } of type.indexKeys(record)) {
    const holder = property === undefined ? undefined : world.store.holder(key)
    if (property !== undefined && holder && !(holder.object === type.name && holder.id === id)) {
      throw new SetError('primaryKeyViolation', { properties: [property], objectId: holder })
    }
  }
  const stored = id ?? world.store.insert(type.name, record)
  if (id !== undefined) world.store.update(type.name, id, record)
  type.stored?.(world, stored, record, previous)
  return stored
}
