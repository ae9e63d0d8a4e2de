import { decodeId } from './ids.ts'
import { isObject, type Json, type JsonObject, own } from './json.ts'

/**
 * Cleans a text as the server does on write. `problem` is the rejection when it answers undefined.
 */
export interface TextRule {
  readonly clean: (value: string) => string | undefined
  readonly problem: string
}

/**
 * The type of a registry property. Values are kept in wire form: lists as objects keyed `"0"`,
 * `"1"`…, sets as `{member: true}`, unions as objects with `@type`.
 */
export type Shape =
  | { readonly kind: 'text'; readonly rules?: readonly TextRule[]; readonly initial?: string }
  | { readonly kind: 'secret' }
  | { readonly kind: 'boolean'; readonly initial: boolean }
  | { readonly kind: 'integer'; readonly initial: number }
  | {
      readonly kind: 'enum'
      readonly name: string
      readonly has: (value: string) => boolean
      readonly initial: string
    }
  | { readonly kind: 'date' }
  | { readonly kind: 'id' }
  | { readonly kind: 'optional'; readonly of: Shape; readonly initial?: string }
  | {
      readonly kind: 'set'
      readonly has?: (member: string) => boolean
      readonly initial?: readonly string[]
    }
  | { readonly kind: 'map'; readonly has: (key: string) => boolean; readonly of: Shape }
  | { readonly kind: 'list'; readonly of: ObjectShape | UnionShape }
  | { readonly kind: 'serverSet' }
  | ObjectShape
  | UnionShape

export interface ObjectShape {
  readonly kind: 'object'
  readonly properties: Readonly<Record<string, Shape>>
}

export interface UnionShape {
  readonly kind: 'union'
  /** The first one is the default. */
  readonly variants: Readonly<Record<string, ObjectShape>>
}

export function object(properties: Readonly<Record<string, Shape>>): ObjectShape {
  return { kind: 'object', properties }
}

export function union(
  variants: Readonly<Record<string, Readonly<Record<string, Shape>>>>,
): UnionShape {
  return {
    kind: 'union',
    variants: Object.fromEntries(
      Object.entries(variants).map(([name, properties]) => [name, object(properties)]),
    ),
  }
}

export function optional(of: Shape, initial?: string): Shape {
  return { kind: 'optional', of, ...(initial !== undefined && { initial }) }
}

/**
 * One of a fixed list of words. `name` is the server's name of the type, which its rejections show.
 */
export function choice(name: string, values: readonly string[], initial: string): Shape {
  const known = new Set(values)
  return { kind: 'enum', name, has: (value) => known.has(value), initial }
}

export const serverSet: Shape = { kind: 'serverSet' }
export const text: Shape = { kind: 'text' }
export const id: Shape = { kind: 'id' }

/** The default value of a property. Properties that only the server sets are left out. */
export function initialValue(shape: Shape): Json {
  switch (shape.kind) {
    case 'text':
      return shape.initial ?? ''
    case 'boolean':
    case 'integer':
    case 'enum':
      return shape.initial
    case 'optional':
      return shape.initial ?? null
    case 'set':
      return Object.fromEntries((shape.initial ?? []).map((member) => [member, true]))
    case 'map':
    case 'list':
      return {}
    case 'object':
      return initialObject(shape)
    case 'union':
      return initialVariant(shape)
    default:
      return ''
  }
}

export function initialObject(shape: ObjectShape): JsonObject {
  const settable = Object.entries(shape.properties).filter(
    ([, property]) => property.kind !== 'serverSet',
  )
  return Object.fromEntries(settable.map(([name, property]) => [name, initialValue(property)]))
}

/** The variant `type` of a union, or its default one. */
export function initialVariant(
  shape: UnionShape,
  type = Object.keys(shape.variants)[0] ?? '',
): JsonObject {
  const variant = variantOf(shape, type)
  return { '@type': type, ...(variant && initialObject(variant)) }
}

export function variantOf(shape: UnionShape, type: Json | undefined): ObjectShape | undefined {
  return typeof type === 'string' && Object.hasOwn(shape.variants, type)
    ? shape.variants[type]
    : undefined
}

/** Names of required properties that are still empty, in the order of the shape. */
export function missingProperties(
  shape: Shape,
  value: Json | undefined,
  name = '',
): readonly string[] {
  switch (shape.kind) {
    case 'text':
    case 'secret':
    case 'date':
      return value === '' || value === undefined ? [name] : []
    case 'id':
      return typeof value === 'string' && decodeId(value) !== undefined ? [] : [name]
    case 'optional':
      return value === null || value === undefined ? [] : missingProperties(shape.of, value, name)
    case 'list':
      return isObject(value)
        ? Object.values(value).flatMap((item) => missingProperties(shape.of, item))
        : []
    case 'object':
      if (!isObject(value)) return [name]
      return Object.entries(shape.properties).flatMap(([property, inner]) =>
        missingProperties(inner, own(value, property), property),
      )
    case 'union': {
      const variant = isObject(value) ? variantOf(shape, own(value, '@type')) : undefined
      return variant ? missingProperties(variant, value) : [name]
    }
    default:
      return []
  }
}

/** Every property name that occurs in a shape. */
export function propertyNames(shape: Shape): readonly string[] {
  switch (shape.kind) {
    case 'object':
      return Object.entries(shape.properties).flatMap(([name, inner]) => [
        name,
        ...propertyNames(inner),
      ])
    case 'union':
      return ['@type', ...Object.values(shape.variants).flatMap(propertyNames)]
    case 'list':
    case 'map':
    case 'optional':
      return propertyNames(shape.of)
    default:
      return []
  }
}
