import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import { attributeName, type Filter } from '@atrium/core/scim/filter'
import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely'
import { escapeLike } from '../platform/text-search.ts'

/** An attribute that a filter can compare, and the value it has in a row. */
export type FilterAttribute =
  | {
      kind: 'text'
      value: Expression<string | null>
      /** Compared with case; without, both sides are lower-cased. */
      exact?: boolean
      /** For `eq`, where an index finds the value. */
      equals?: (value: string) => Expression<SqlBool>
    }
  | { kind: 'boolean'; value: Expression<SqlBool> }
  | { kind: 'time'; value: Expression<Date> }
  | {
      kind: 'reference'
      present: Expression<SqlBool>
      equals: (id: string) => Expression<SqlBool>
    }
  /** Resources of this type have no such attribute. */
  | { kind: 'absent' }

type Attributes = Readonly<Record<string, FilterAttribute>>

/**
 * What filters can name, in lower case: attributes with their path, and attributes with several
 * values as the parts of each value.
 */
export interface FilterAttributes {
  single: Attributes
  multiple: Readonly<Record<string, readonly Attributes[]>>
  /** Rejected by default. A search of several types takes them for attributes without a value. */
  others?: 'absent'
}

/** A part of the resources of one type. */
export interface Selection extends Pick<FilterAttributes, 'others'> {
  filter: Filter | undefined
  offset: number
  limit: number
}

/** Only such a text can be compared with an id. */
export const isUuid = (value: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)

const eb = expressionBuilder()
type Comparison = Extract<Filter, { compValue: unknown }>

/**
 * The condition that a filter is (RFC 7644, section 3.4.2.2). An attribute with several values
 * matches when one of them does. Throws AppError `invalid_input` for an attribute that cannot be
 * compared, or not with this value.
 */
export function whereFilter(filter: Filter, attributes: FilterAttributes): Expression<SqlBool> {
  switch (filter.op) {
    case 'and':
      return eb.and(filter.filters.map((one) => whereFilter(one, attributes)))
    case 'or':
      return eb.or(filter.filters.map((one) => whereFilter(one, attributes)))
    case 'not':
      return notTrue(whereFilter(filter.filter, attributes))
    case '[]': {
      const values = valuesOf(attributes, attributeName(filter.attrPath))
      if (!values) {
        if (attributes.others === 'absent') return sql<SqlBool>`false`
        throw unknownAttribute(filter.attrPath)
      }
      return eb.or(values.map((single) => whereFilter(filter.valFilter, { single, multiple: {} })))
    }
    default:
      return eb.or(
        named(attributes, filter.attrPath).map((attribute) =>
          filter.op === 'pr' ? isPresent(attribute) : compare(attribute, filter),
        ),
      )
  }
}

/** An absent value makes a comparison null, which `not` has to make true. */
const notTrue = (condition: Expression<SqlBool>) =>
  eb.not(eb.fn.coalesce(condition, sql<SqlBool>`false`))

const valuesOf = ({ multiple }: FilterAttributes, name: string) =>
  Object.hasOwn(multiple, name) ? multiple[name] : undefined

function named(attributes: FilterAttributes, path: string): FilterAttribute[] {
  const name = attributeName(path)
  const { single } = attributes
  const attribute = Object.hasOwn(single, name) ? single[name] : undefined
  if (attribute) return [attribute]
  const [whole = '', part = 'value'] = name.split('.')
  const values = valuesOf(attributes, whole)?.map((one) =>
    Object.hasOwn(one, part) ? one[part] : undefined,
  )
  const found = values?.filter((one) => one !== undefined)
  if (found && found.length > 0) return found
  if (attributes.others === 'absent') return [{ kind: 'absent' }]
  throw unknownAttribute(path)
}

function unknownAttribute(attribute: string): AppError {
  return new AppError('invalid_input', undefined, {
    issues: [{ path: 'filter', message: errorText('scimFilterAttribute', { attribute }) }],
  })
}

function isPresent(attribute: FilterAttribute): Expression<SqlBool> {
  if (attribute.kind === 'absent') return sql<SqlBool>`false`
  if (attribute.kind === 'reference') return attribute.present
  return attribute.kind === 'text'
    ? sql<SqlBool>`(${attribute.value} <> '')`
    : eb(attribute.value, 'is not', null)
}

function compare(attribute: FilterAttribute, comparison: Comparison): Expression<SqlBool> {
  const { op, compValue } = comparison
  if (compValue === null) {
    if (op === 'ne') return isPresent(attribute)
    if (op === 'eq') return notTrue(isPresent(attribute))
    throw unfit(comparison)
  }
  if (attribute.kind === 'absent') return op === 'ne' ? sql<SqlBool>`true` : sql<SqlBool>`false`
  if (attribute.kind === 'boolean') return compareBoolean(attribute.value, comparison)
  if (typeof compValue !== 'string') throw unfit(comparison)
  if (attribute.kind === 'reference') {
    if (op !== 'eq' && op !== 'ne') throw unfit(comparison)
    const same = attribute.equals(compValue)
    return op === 'eq' ? same : eb.not(same)
  }
  if (attribute.kind === 'time') return compareTime(attribute.value, comparison, compValue)
  if (op === 'eq' && attribute.equals) return attribute.equals(compValue)
  const value = attribute.exact ? attribute.value : eb.fn<string>('lower', [attribute.value])
  return compareText(value, op, attribute.exact ? compValue : compValue.toLowerCase())
}

function unfit({ attrPath }: Comparison): AppError {
  return new AppError('invalid_input', undefined, {
    issues: [{ path: 'filter', message: errorText('scimFilterValue', { attribute: attrPath }) }],
  })
}

function compareText(
  value: Expression<string | null>,
  op: Comparison['op'],
  text: string,
): Expression<SqlBool> {
  switch (op) {
    case 'eq':
      return eb(value, '=', text)
    case 'ne':
      return eb(value, 'is distinct from', text)
    case 'co':
      return eb(value, 'like', `%${escapeLike(text)}%`)
    case 'sw':
      return eb(value, 'like', `${escapeLike(text)}%`)
    case 'ew':
      return eb(value, 'like', `%${escapeLike(text)}`)
    default:
      return eb(value, ordering[op], text)
  }
}

const ordering = { gt: '>', ge: '>=', lt: '<', le: '<=' } as const

function compareBoolean(value: Expression<SqlBool>, comparison: Comparison): Expression<SqlBool> {
  const { op, compValue } = comparison
  // Some clients write "true" and "True".
  const word = typeof compValue === 'string' ? compValue.toLowerCase() : String(compValue)
  if ((op !== 'eq' && op !== 'ne') || (word !== 'true' && word !== 'false')) throw unfit(comparison)
  return (word === 'true') === (op === 'eq') ? value : eb.not(value)
}

function compareTime(
  value: Expression<Date>,
  comparison: Comparison,
  text: string,
): Expression<SqlBool> {
  const { op } = comparison
  const time = new Date(text)
  if (Number.isNaN(time.getTime()) || op === 'co' || op === 'sw' || op === 'ew')
    throw unfit(comparison)
  // Responses have milliseconds, and the rows microseconds.
  const shown = sql<Date>`date_trunc('milliseconds', ${value})`
  if (op === 'eq') return eb(shown, '=', time)
  return op === 'ne' ? eb(shown, '<>', time) : eb(shown, ordering[op], time)
}
