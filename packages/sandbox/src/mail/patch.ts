import { SetError } from './errors.ts'
import { decodeId } from './ids.ts'
import { isObject, type Json, type JsonObject, own, withoutProperty, withProperty } from './json.ts'
import {
  initialValue,
  initialVariant,
  type ObjectShape,
  type Shape,
  type UnionShape,
  variantOf,
} from './shapes.ts'

/** A JSON pointer and how far it was followed. */
interface Pointer {
  readonly segments: readonly string[]
  readonly at: number
}

class PatchFailure extends Error {
  readonly path: string

  constructor(path: string, message: string) {
    super(message)
    this.path = path
  }
}

const root: Pointer = { segments: [], at: 0 }

/**
 * The segments of a pointer as JMAP writes it: no leading slash, `~1` for a slash, `~0` for a
 * tilde.
 */
export function parsePointer(pointer: string): readonly string[] {
  return pointer.split('/').map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function pathOf(pointer: Pointer): string {
  return pointer.segments
    .map((segment) => segment.replaceAll('~', '~0').replaceAll('/', '~1'))
    .join('/')
}

function fail(pointer: Pointer, message: string): never {
  throw new PatchFailure(pathOf(pointer), message)
}

function atEnd(pointer: Pointer): boolean {
  return pointer.at >= pointer.segments.length
}

function assertEnd(pointer: Pointer): void {
  if (!atEnd(pointer)) fail(pointer, 'Invalid JSON Pointer path')
}

/**
 * Writes `value` at `pointer` (empty: the whole) into `current` and answers the new value.
 * Rejections are `invalidPatch` with the path and the wording of Stalwart 0.16.18. `known` holds
 * every property name that the server has anywhere: an unknown name is rejected in other words.
 */
export function patched(
  shape: Shape,
  current: Json,
  pointer: readonly string[],
  value: Json,
  known: ReadonlySet<string>,
): Json {
  try {
    return patch(shape, current, { segments: pointer, at: 0 }, value, known)
  } catch (error) {
    if (!(error instanceof PatchFailure)) throw error
    throw new SetError('invalidPatch', { description: error.message, properties: [error.path] })
  }
}

function patch(
  shape: Shape,
  current: Json,
  pointer: Pointer,
  value: Json,
  known: ReadonlySet<string>,
): Json {
  switch (shape.kind) {
    case 'serverSet':
      return fail(pointer, 'Cannot modify server set property')
    case 'optional':
      if (value === null) {
        assertEnd(pointer)
        return null
      }
      return patch(shape.of, current ?? initialValue(shape.of), pointer, value, known)
    case 'set':
      return patchSet(shape, current, pointer, value)
    case 'map':
      return patchEntries(shape.of, current, pointer, value, known, shape.has, true)
    case 'list':
      return renumberable(patchEntries(shape.of, current, pointer, value, known, isIndex, false))
    case 'object':
      return patchObject(shape, isObject(current) ? current : {}, pointer, value, known)
    case 'union':
      return patchUnion(shape, current, pointer, value, known)
    default:
      return patchScalar(shape, pointer, value)
  }
}

function patchScalar(shape: Shape, pointer: Pointer, value: Json): Json {
  const scalar = readScalar(shape, pointer, value)
  assertEnd(pointer)
  return scalar
}

function readScalar(shape: Shape, pointer: Pointer, value: Json): Json {
  switch (shape.kind) {
    case 'boolean':
      return typeof value === 'boolean'
        ? value
        : fail(pointer, 'Invalid value for boolean property (expected true or false)')
    case 'integer':
      return typeof value === 'number' && Number.isInteger(value) && value >= 0
        ? value
        : fail(
            pointer,
            'Invalid value for unsigned integer property (expected non-negative integer)',
          )
    case 'enum':
      return typeof value === 'string' && shape.has(value)
        ? value
        : fail(pointer, `Invalid value ${JSON.stringify(value)} for enum type ${shape.name}.`)
    case 'id':
      return typeof value === 'string' && decodeId(value) !== undefined
        ? value
        : fail(pointer, 'Invalid value for property.')
    case 'date':
      return readDate(pointer, value)
    default: {
      if (typeof value !== 'string' || value === '')
        return fail(pointer, 'Invalid value for property.')
      let cleaned = value
      for (const rule of shape.kind === 'text' ? (shape.rules ?? []) : []) {
        cleaned = rule.clean(cleaned) ?? fail(pointer, rule.problem)
      }
      return cleaned
    }
  }
}

function readDate(pointer: Pointer, value: Json): string {
  if (
    typeof value !== 'string' ||
    !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value)
  )
    return fail(pointer, 'Invalid value for property.')
  const time = Date.parse(value)
  return Number.isNaN(time) ? fail(pointer, 'Invalid value for property.') : utcDate(time)
}

/** Milliseconds since 1970 as the server writes dates: UTC, whole seconds. */
export function utcDate(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`
}

function patchSet(
  shape: Extract<Shape, { kind: 'set' }>,
  current: Json,
  pointer: Pointer,
  value: Json,
): Json {
  const accepts = (member: string) => member !== '' && (shape.has?.(member) ?? true)
  const before = isObject(current) ? current : {}
  const segment = pointer.segments[pointer.at]
  const here = { ...pointer, at: pointer.at + 1 }
  if (segment === undefined) {
    if (!isObject(value)) return fail(pointer, 'Invalid value for object property')
    const members = Object.entries(value).map(([key, set]) => {
      const member = key.trim()
      return typeof set === 'boolean' && accepts(member)
        ? { member, set }
        : fail(pointer, 'Invalid key for object property')
    })
    return Object.fromEntries(members.filter(({ set }) => set).map(({ member }) => [member, true]))
  }
  const member = segment.trim()
  if (!accepts(member) || !atEnd(here)) return fail(pointer, 'Invalid value for object property')
  if (value === true)
    return Object.hasOwn(before, member) ? before : withProperty(before, member, true)
  if (value === null || value === false) return withoutProperty(before, member)
  return fail(pointer, 'Invalid value for object property')
}

function isIndex(key: string): boolean {
  return /^\+?\d{1,10}$/.test(key) && Number(key) <= 4_294_967_295
}

/** Lists and maps. Removing an absent entry is rejected for a list and nothing for a map. */
function patchEntries(
  of: Shape,
  current: Json,
  pointer: Pointer,
  value: Json,
  known: ReadonlySet<string>,
  accepts: (key: string) => boolean,
  removeAbsent: boolean,
): JsonObject {
  const before = isObject(current) ? current : {}
  const key = pointer.segments[pointer.at]
  const inner = { ...pointer, at: pointer.at + 1 }
  if (key === undefined) {
    if (!isObject(value)) return fail(pointer, 'Invalid value for object property')
    const entries = Object.entries(value).map(([name, item]): [string, Json] => {
      if (!accepts(name)) return fail(pointer, 'Invalid key for object property')
      return [name, patch(of, initialValue(of), pointer, item, known)]
    })
    return Object.fromEntries(entries)
  }
  if (!accepts(key)) return fail(pointer, 'Invalid value for object property')
  if (value === null && atEnd(inner)) {
    if (!Object.hasOwn(before, key) && !removeAbsent)
      return fail(pointer, 'Invalid value for object property')
    return withoutProperty(before, key)
  }
  return withProperty(
    before,
    key,
    patch(of, own(before, key) ?? initialValue(of), inner, value, known),
  )
}

/**
 * Plain decimal keys in ascending order. The list is renumbered when it is stored, not while a
 * patch goes on.
 */
function renumberable(list: JsonObject): JsonObject {
  const entries = Object.entries(list).map(([key, item]): [number, Json] => [Number(key), item])
  return Object.fromEntries(
    entries.sort(([one], [other]) => one - other).map(([key, item]) => [String(key), item]),
  )
}

function patchUnion(
  shape: UnionShape,
  current: Json,
  pointer: Pointer,
  value: Json,
  known: ReadonlySet<string>,
): Json {
  let record = isObject(current) ? current : initialVariant(shape)
  if (atEnd(pointer)) {
    const type = isObject(value) ? own(value, '@type') : undefined
    if (typeof type !== 'string' || !variantOf(shape, type))
      return fail(pointer, "Missing or invalid '@type' property in object")
    record = initialVariant(shape, type)
  }
  const variant = variantOf(shape, own(record, '@type'))
  if (!variant) return fail(pointer, "Missing or invalid '@type' property in object")
  if (Object.keys(variant.properties).length === 0) {
    assertEnd(pointer)
    return record
  }
  return patchObject(variant, record, pointer, value, known)
}

function patchObject(
  shape: ObjectShape,
  current: JsonObject,
  pointer: Pointer,
  value: Json,
  known: ReadonlySet<string>,
): JsonObject {
  if (!atEnd(pointer)) return patchProperty(shape, current, pointer, value, known)
  if (!isObject(value)) return fail(pointer, 'Invalid value type for object')
  let record = current
  for (const [name, item] of Object.entries(value)) {
    if (name === '@type') continue
    if (!known.has(name)) return fail(pointer, 'Invalid key for object')
    try {
      record = patchProperty(shape, record, { ...root, segments: [name] }, item, known)
    } catch (error) {
      if (!(error instanceof PatchFailure) || pointer.segments.length === 0) throw error
      throw new PatchFailure(`${pathOf(pointer)}/${error.path}`, error.message)
    }
  }
  return record
}

function patchProperty(
  shape: ObjectShape,
  current: JsonObject,
  pointer: Pointer,
  value: Json,
  known: ReadonlySet<string>,
): JsonObject {
  const name = pointer.segments[pointer.at] ?? ''
  if (name === '@type') return current
  const property = Object.hasOwn(shape.properties, name) ? shape.properties[name] : undefined
  if (!property) return fail(pointer, 'Invalid property')
  const inner = { ...pointer, at: pointer.at + 1 }
  return withProperty(
    current,
    name,
    patch(property, own(current, name) ?? initialValue(property), inner, value, known),
  )
}

/** Renumbers every list of a value 0..n, as storing it does. */
export function renumbered(shape: Shape, value: Json): Json {
  if (!isObject(value)) return value
  switch (shape.kind) {
    case 'list':
      return Object.fromEntries(
        Object.values(value).map((item, index) => [String(index), renumbered(shape.of, item)]),
      )
    case 'object':
      return Object.fromEntries(
        Object.entries(value).map(([name, item]) => {
          const property = Object.hasOwn(shape.properties, name)
            ? shape.properties[name]
            : undefined
          return [name, property ? renumbered(property, item) : item]
        }),
      )
    case 'union': {
      const variant = variantOf(shape, own(value, '@type'))
      return variant ? renumbered(variant, value) : value
    }
    default:
      return value
  }
}
