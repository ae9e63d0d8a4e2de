import { booleanArgument, integerArgument } from './arguments.ts'
import { MethodError } from './errors.ts'
import { compareIds, decodeId } from './ids.ts'
import { isObject, type Json, type JsonObject, membersOf, own, textOf } from './json.ts'
import { maxQueryResults } from './limits.ts'
import type { MethodCall } from './method.ts'
import type { RegistryType } from './registry-type.ts'

type Row = readonly [id: string, record: JsonObject]
type Condition = (row: Row) => boolean

const comparisons: Readonly<Record<string, (order: number) => boolean>> = {
  IsGreaterThanOrEqual: (order) => order >= 0,
  IsGreaterThan: (order) => order > 0,
  IsLessThanOrEqual: (order) => order <= 0,
  IsLessThan: (order) => order < 0,
}

/**
 * `x:<Object>/query`. Filters are flat and joined by AND; anything that the object has no index for
 * is rejected.
 */
export function registryQuery(type: RegistryType): (call: MethodCall) => JsonObject {
  return ({ world, accountId, args }) => {
    const conditions = conditionsOf(type, own(args, 'filter') ?? null)
    const matching = world.store
      .list(type.name)
      .filter((row) => conditions.every((condition) => condition(row)))
    return queryResponse(accountId, args, type.sorts, matching)
  }
}

function conditionsOf(type: RegistryType, filter: Json): readonly Condition[] {
  if (filter === null) return []
  if (!isObject(filter))
    throw new MethodError(
      'invalidArguments',
      'Invalid value for argument "filter", expected an object',
    )
  if (Object.hasOwn(filter, 'operator')) {
    if (filter.operator !== 'AND')
      throw new MethodError('unsupportedFilter', 'Only AND is supported in filters')
    const inner = own(filter, 'conditions')
    return Array.isArray(inner) ? inner.flatMap((one: Json) => conditionsOf(type, one)) : []
  }
  return Object.entries(filter).map(([name, value]) => condition(type, name, value))
}

function condition(type: RegistryType, name: string, value: Json): Condition {
  const suffix = Object.keys(comparisons).find(
    (ending) => name.endsWith(ending) && name.length > ending.length,
  )
  const property = suffix ? name.slice(0, -suffix.length) : name
  const reject = (): never => {
    throw new MethodError(
      'unsupportedFilter',
      `Filter on property ${property} is not supported or invalid`,
    )
  }
  if (typeof value !== 'string') return reject()
  if (property === 'text' && type.words) return textCondition(type.words, value)
  const kind = Object.hasOwn(type.filters, property) ? type.filters[property] : undefined
  if (!kind) return reject()
  const isId = kind === 'id' || (kind === 'members' && property.endsWith('Ids'))
  if (isId && decodeId(value) === undefined) return reject()
  if (kind === 'type' && value !== 'User' && value !== 'Group') return reject()
  const holds = (suffix && comparisons[suffix]) || ((order: number) => order === 0)
  const order = (one: string) =>
    isId ? compareIds(one, value) : one < value ? -1 : one > value ? 1 : 0
  if (kind === 'members')
    return ([, record]) => membersOf(record[property]).some((member) => holds(order(member)))
  return ([, record]) => textOf(record, property) !== '' && holds(order(textOf(record, property)))
}

/** Whole words of more than one character, in lower case; every one of them has to occur. */
function textCondition(words: (record: JsonObject) => readonly string[], value: string): Condition {
  const requested = wordsIn([value])
  return ([, record]) => {
    const present = new Set(wordsIn(words(record)))
    return requested.every((word) => present.has(word))
  }
}

function wordsIn(texts: readonly string[]): readonly string[] {
  return texts.flatMap((one) => one.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [])
}

/** Sorts and pages the rows, which come in ascending order of their ids. */
export function queryResponse(
  accountId: string,
  args: JsonObject,
  sorts: readonly string[],
  rows: readonly Row[],
): JsonObject {
  const { property, ascending } = comparator(args)
  if (property !== 'id' && !sorts.includes(property)) {
    throw new MethodError('unsupportedSort', `Property ${property} is not supported for sorting`)
  }
  const limit = integerArgument(args, 'limit')
  const position = integerArgument(args, 'position') ?? 0
  const anchor = own(args, 'anchor')
  const calculateTotal = booleanArgument(args, 'calculateTotal')
  if (limit !== undefined && limit < 0)
    throw new MethodError(
      'invalidArguments',
      'Invalid value for argument "limit", expected a non-negative integer',
    )

  const sorted =
    property === 'id'
      ? [...rows]
      : [...rows].sort(([, one], [, other]) =>
          compareTexts(sortKey(one, property), sortKey(other, property)),
        )
  let page: readonly string[]
  let start = position < 0 ? Math.max(0, rows.length + position) : position
  const cap = Math.min(limit ?? maxQueryResults, maxQueryResults)
  if (
    property === 'id' &&
    limit !== undefined &&
    !calculateTotal &&
    typeof anchor !== 'string' &&
    position >= 0
  ) {
    // The store cuts the page in its own, ascending order; only then is it turned round.
    const cut = sorted.slice(start, start + cap).map(([id]) => id)
    page = ascending ? cut : cut.reverse()
  } else {
    const ordered = (ascending ? sorted : sorted.reverse()).map(([id]) => id)
    if (typeof anchor === 'string') {
      const at = ordered.indexOf(anchor)
      if (at === -1) throw new MethodError('anchorNotFound')
      start = Math.max(0, at + (integerArgument(args, 'anchorOffset') ?? 0))
    }
    page = ordered.slice(start, start + cap)
  }
  return {
    accountId,
    queryState: 'n',
    canCalculateChanges: true,
    position: start,
    ids: page,
    ...(calculateTotal && { total: rows.length }),
    ...((limit === undefined || limit > maxQueryResults) &&
      rows.length > maxQueryResults && { limit: maxQueryResults }),
  }
}

/** Only the first comparator counts. Without one the order is descending by id. */
function comparator(args: JsonObject): { property: string; ascending: boolean } {
  const sort = own(args, 'sort') ?? null
  if (sort === null) return { property: 'id', ascending: false }
  if (!Array.isArray(sort))
    throw new MethodError('invalidArguments', 'Invalid value for argument "sort", expected a list')
  const first: Json | undefined = sort[0]
  if (first === undefined) return { property: 'id', ascending: false }
  if (!isObject(first) || typeof first.property !== 'string')
    throw new MethodError('invalidArguments', 'Invalid value for argument "sort"')
  return { property: first.property, ascending: first.isAscending !== false }
}

function sortKey(record: JsonObject, property: string): string {
  return property === 'aliases' ? (membersOf(record.aliases)[0] ?? '') : textOf(record, property)
}

function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
