import { isDeepStrictEqual } from 'node:util'
import type { Schema } from '@atrium/api/http/openapi-document'

/** The sections of the changelog of the API, in their order. */
export const changeKinds = ['breaking', 'removed', 'deprecated', 'added'] as const
export type ChangeKind = (typeof changeKinds)[number]

/** What differs, as the end of a sentence that begins with the operation. */
export interface Difference {
  kind: ChangeKind
  text: string
}

/** A request must accept what it accepted; a response must be what callers could expect. */
export type Direction = 'request' | 'response'

interface Read {
  type?: string | readonly string[]
  enum?: readonly unknown[]
  const?: unknown
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
  not?: Schema
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  additionalProperties?: boolean | Schema
  propertyNames?: Schema
  items?: Schema
  uniqueItems?: boolean
  pattern?: string
  format?: string
  default?: unknown
  [keyword: string]: unknown
}

/**
 * What differs between two schemas by docs/reference/compatibility.md. `at` names the field.
 *
 * The libraries on npm know OpenAPI 3.0: api-smart-diff 1.0.6 takes a response whose type becomes
 * `["string", "null"]`, or another, for compatible, and a field that a request no longer accepts.
 */
export function compareSchemas(
  before: Schema,
  after: Schema,
  direction: Direction,
  at: string,
): Difference[] {
  if (isDeepStrictEqual(before, after)) return []
  const [was, is] = [alternativesOf(before), alternativesOf(after)]
  // In a request each of the earlier alternatives must still have one that takes it; in a response
  // each of the present ones must be one that callers know.
  const [needed, offered] = direction === 'request' ? [was, is] : [is, was]
  const found = needed.flatMap((alternative) => {
    const tried = offered
      .filter((other) => fits(alternative, other))
      .map((other) =>
        direction === 'request'
          ? compareAlternatives(alternative, other, direction, at)
          : compareAlternatives(other, alternative, direction, at),
      )
    return leastOf(tried) ?? [breaking(`${at} ${missing(alternative, direction)}`)]
  })
  const more =
    direction === 'request' ? is.filter((one) => !was.some((other) => fits(one, other))) : []
  return distinct([
    ...found,
    ...more.map((one) => addition(`${at} accepts ${typeName(one)} too`)),
    ...compareDefaults(before, after, direction, at),
  ])
}

export const breaking = (text: string): Difference => ({ kind: 'breaking', text })
export const addition = (text: string): Difference => ({ kind: 'added', text })

function missing(alternative: Read, direction: Direction): string {
  if (direction === 'request') return `no longer accepts ${typeName(alternative)}`
  return alternative.type === 'null' ? 'may be null' : `may be ${typeName(alternative)}`
}

/** The types that a schema allows, each by itself. Beside fields, alternatives are conditions. */
function alternativesOf(schema: Schema): Read[] {
  const { anyOf, oneOf, ...own } = schema as Read
  const options = anyOf ?? oneOf
  if (options && !own.properties) return options.flatMap(alternativesOf)
  if (Array.isArray(own.type)) return own.type.map((type) => ({ ...own, type }))
  return [schema as Read]
}

function typeOf({ type, enum: values, const: value }: Read): string | undefined {
  if (typeof type === 'string') return type
  const example = value ?? values?.[0]
  return example === undefined ? undefined : typeof example
}

const typeName = (schema: Read) => typeOf(schema) ?? 'any value'

/** Whether the needed alternative can be meant by the offered one. Whole numbers are numbers. */
function fits(needed: Read, offered: Read): boolean {
  const [one, other] = [typeOf(needed), typeOf(offered)]
  return one === other || other === undefined || (one === 'integer' && other === 'number')
}

/** The comparison with the fewest breaking differences. */
function leastOf(tried: readonly Difference[][]): Difference[] | undefined {
  const cost = (found: Difference[]) =>
    found.filter(({ kind }) => kind === 'breaking').length * 1000 + found.length
  return tried.toSorted((one, other) => cost(one) - cost(other))[0]
}

function distinct(found: readonly Difference[]): Difference[] {
  return [...new Map(found.map((one) => [one.text, one])).values()]
}

function compareAlternatives(
  before: Read,
  after: Read,
  direction: Direction,
  at: string,
): Difference[] {
  return [
    ...compareValues(before, after, direction, at),
    ...(direction === 'request' ? compareBounds(before, after, at) : []),
    ...compareFields(before, after, direction, at),
    ...compareInner(before, after, direction, at),
  ]
}

function compareValues(before: Read, after: Read, direction: Direction, at: string): Difference[] {
  const [was, is] = [valuesOf(before), valuesOf(after)]
  const found: Difference[] = []
  if (!isDeepStrictEqual(was, is)) {
    const gone = was?.filter((value) => is && !is.includes(value)) ?? []
    const come = is?.filter((value) => !was?.includes(value)) ?? []
    if (direction === 'request') {
      if (!was && is) found.push(breaking(`${at} accepts only ${list(is)}`))
      if (gone.length > 0) found.push(breaking(`${at} no longer accepts ${list(gone)}`))
      if (was && come.length > 0) found.push(addition(`${at} accepts ${list(come)} too`))
    } else if (was && come.length > 0) found.push(addition(`${at} may be ${list(come)}`))
  }
  const formatChanged = before.format !== after.format
  if (formatChanged && (direction === 'response' ? before.format : after.format))
    found.push(
      breaking(
        `${at} is ${after.format ?? 'of no format'} instead of ${before.format ?? 'any text'}`,
      ),
    )
  return found
}

function valuesOf(schema: Read): readonly unknown[] | undefined {
  if (schema.const !== undefined) return [schema.const]
  return schema.enum?.toSorted()
}

const list = (values: readonly unknown[]) =>
  values.map((value) => `\`${JSON.stringify(value)}\``).join(', ')

const least = ['minLength', 'minItems', 'minimum', 'exclusiveMinimum', 'minProperties'] as const
const most = ['maxLength', 'maxItems', 'maximum', 'exclusiveMaximum', 'maxProperties'] as const

/** Bounds of a request that are stricter. */
function compareBounds(before: Read, after: Read, at: string): Difference[] {
  const found: Difference[] = []
  const stricter = (keyword: string, isStricter: (was: number, is: number) => boolean) => {
    const [was, is] = [before[keyword], after[keyword]] as (number | undefined)[]
    if (is !== undefined && (was === undefined || isStricter(was, is)))
      found.push(breaking(`${at} has ${keyword} ${is} instead of ${was ?? 'none'}`))
  }
  for (const keyword of least) stricter(keyword, (was, is) => is > was)
  for (const keyword of most) stricter(keyword, (was, is) => is < was)
  if (after.pattern !== undefined && before.pattern !== after.pattern)
    found.push(breaking(`${at} has another pattern`))
  if (after.uniqueItems && !before.uniqueItems)
    found.push(breaking(`${at} accepts no repeated items`))
  if (after.not && !isDeepStrictEqual(before.not, after.not))
    found.push(breaking(`${at} has another exception`))
  return [...found, ...compareConditions(before, after, at)]
}

/** Alternatives beside fields, such as "one of these fields must be there". */
function compareConditions(before: Read, after: Read, at: string): Difference[] {
  const conditions = ({ properties, anyOf, oneOf }: Read) => properties && (anyOf ?? oneOf)
  const [was, is] = [conditions(before), conditions(after)]
  if (!is) return []
  const kept = was?.every((one) => is.some((other) => isDeepStrictEqual(one, other))) ?? false
  return kept ? [] : [breaking(`${at} has other rules for which fields go together`)]
}

function compareFields(before: Read, after: Read, direction: Direction, at: string): Difference[] {
  const [was, is] = [before.properties ?? {}, after.properties ?? {}]
  const [needed, needs] = [new Set(before.required), new Set(after.required)]
  const place = (name: string) => (at === '' ? `\`${name}\`` : `${at.slice(0, -1)}.${name}\``)
  const found: Difference[] = []
  for (const [name, schema] of Object.entries(was)) {
    const now = is[name]
    if (now) found.push(...compareSchemas(schema, now, direction, place(name)))
    else if (direction === 'response') found.push(breaking(`${place(name)} is gone`))
    else if (after.additionalProperties === false)
      found.push(breaking(`${place(name)} is no longer accepted`))
    if (now && direction === 'response' && needed.has(name) && !needs.has(name))
      found.push(breaking(`${place(name)} may be missing`))
  }
  for (const name of Object.keys(is)) {
    const isNew = !(name in was)
    if (direction === 'request' && needs.has(name) && !needed.has(name))
      found.push(breaking(`${place(name)} is required`))
    else if (isNew) found.push(addition(`${place(name)} is new`))
  }
  return found
}

/** Items of lists, values and names of maps. */
function compareInner(before: Read, after: Read, direction: Direction, at: string): Difference[] {
  const found: Difference[] = []
  const inside = `${at.slice(0, -1)}[]\``
  if (before.items && after.items)
    found.push(...compareSchemas(before.items, after.items, direction, inside))
  const [was, is] = [before.additionalProperties ?? {}, after.additionalProperties ?? {}]
  if (typeof was === 'object' && typeof is === 'object')
    found.push(...compareSchemas(was, is, direction, inside))
  else if (direction === 'request' && is === false && was !== false)
    found.push(breaking(`${at} accepts no other fields`))
  if (direction === 'request' && after.propertyNames)
    found.push(
      ...compareSchemas(before.propertyNames ?? {}, after.propertyNames, direction, inside),
    )
  return found
}

function compareDefaults(
  before: Schema,
  after: Schema,
  direction: Direction,
  at: string,
): Difference[] {
  if (direction === 'response' || isDeepStrictEqual(before.default, after.default)) return []
  const said = (value: unknown) => (value === undefined ? 'none' : `\`${JSON.stringify(value)}\``)
  return [
    breaking(`${at} has the default ${said(after.default)} instead of ${said(before.default)}`),
  ]
}
