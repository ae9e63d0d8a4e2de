import { idsArgument, textsArgument } from './arguments.ts'
import { MethodError } from './errors.ts'
import { type JsonObject, own, withProperty } from './json.ts'
import { limits } from './limits.ts'
import type { MethodCall } from './method.ts'
import { knownProperties } from './registry.ts'
import type { RegistryType } from './registry-type.ts'

/**
 * `x:<Object>/get`: `{accountId, list, notFound}` without a state. Names that no object has are
 * ignored; when none is left, every property comes back.
 */
export function registryGet(type: RegistryType): (call: MethodCall) => JsonObject {
  return ({ world, accountId, args }) => {
    const ids = idsArgument(args, 'ids')
    if (ids && ids.length > limits.maxObjectsInGet) throw new MethodError('requestTooLarge')
    const properties = new Set(
      (textsArgument(args, 'properties') ?? []).filter((name) => knownProperties.has(name)),
    )
    const requested =
      ids ??
      world.store
        .list(type.name)
        .slice(0, limits.maxObjectsInGet)
        .map(([id]) => id)
    const wants = (name: string) => properties.size === 0 || properties.has(name)
    const list: JsonObject[] = []
    const notFound: string[] = []
    for (const id of requested) {
      const record = world.store.get(type.name, id)
      if (!record) {
        notFound.push(id)
        continue
      }
      list.push(selected({ id, ...type.view(world, id, record, wants) }, properties))
    }
    return { accountId, list, notFound }
  }
}

/** The named properties of a view and its id; all of them when no name is given. */
export function selected(view: JsonObject, properties: ReadonlySet<string>): JsonObject {
  if (properties.size === 0) return view
  let shown: JsonObject = {}
  for (const name of Object.keys(view)) {
    if (name === 'id' || properties.has(name))
      shown = withProperty(shown, name, own(view, name) ?? null)
  }
  return shown
}
