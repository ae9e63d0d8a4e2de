import { readCursorHistory } from './paging.ts'

/**
 * Reads one field of an address. Returns undefined for what does not fit, so that a mistyped link
 * still opens its page. Written without a schema, because routes read their addresses before any
 * page is loaded, and zod is larger than the page.
 */
export type Param<Value> = (text: unknown) => Value | undefined

/** What an address carries, by field. */
type Search<Params extends Readonly<Record<string, Param<unknown>>>> = {
  [Field in keyof Params]?: ReturnType<Params[Field]>
}

/**
 * Creates the `validateSearch` of a route. Fields that are unknown, absent or invalid are left out.
 */
export function searchReader<Params extends Readonly<Record<string, Param<unknown>>>>(
  params: Params,
) {
  return (search: Record<string, unknown>): Search<Params> =>
    Object.fromEntries(
      Object.entries(params).flatMap(([field, read]) => {
        const value = read(search[field])
        return value === undefined ? [] : [[field, value]]
      }),
    ) as Search<Params>
}

/** Text of at most `most` characters, without the blanks around it. */
export function textUpTo(most: number): Param<string> {
  return (text) => {
    const trimmed = typeof text === 'string' ? text.trim() : ''
    return trimmed !== '' && trimmed.length <= most ? trimmed : undefined
  }
}

/** One of a few words. */
export function oneOf<const Choice extends string>(choices: readonly Choice[]): Param<Choice> {
  return (text) => choices.find((choice) => choice === text)
}

/** Text of a shape. */
export function shaped(pattern: RegExp): Param<string> {
  return (text) => (typeof text === 'string' && pattern.test(text) ? text : undefined)
}

/** Text a person searched for. */
export const words = textUpTo(200)

/**
 * A slug to filter by; any text of its length, so that an unknown one gives an empty list and not
 * an ignored filter.
 */
export const slugText = textUpTo(63)

/** The id of a record. */
export const recordId = shaped(
  /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i,
)

/** A currency in three letters, in small ones. */
export const currencyWord: Param<string> = (text) => {
  const currency = typeof text === 'string' ? text.trim().toLowerCase() : ''
  return /^[a-z]{3}$/.test(currency) ? currency : undefined
}

const time =
  /^(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z|[+-](?:0\d|1[0-5]):[0-5]\d)$/

/**
 * An ISO 8601 time with an offset, of a day that exists, from the year 1 on (the API's
 * `instant`).
 */
export const timeWord: Param<string> = (text) => {
  const day = typeof text === 'string' ? time.exec(text)?.[1] : undefined
  if (day === undefined || day.startsWith('0000')) return undefined
  const known = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(known.getTime()) && known.toISOString().startsWith(day)
    ? String(text)
    : undefined
}

/** The cursor of an audit log: a time, or the time and the id of the last entry shown. */
export const auditCursor: Param<string> = (text) => {
  const [at, id, ...rest] = typeof text === 'string' ? text.split('_') : []
  if (rest.length > 0 || timeWord(at) === undefined) return undefined
  return id === undefined || recordId(id) !== undefined ? String(text) : undefined
}

/** An action of the audit log, or the first part of one: `tenant.created`, `tenant`, `tenant.*`. */
export const auditAction: Param<string> = (text) => {
  const action = textUpTo(100)(text)
  return action !== undefined && /^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*(\.|\.\*)?$/.test(action)
    ? action
    : undefined
}

/**
 * The way through a paged list (paging.ts). With one cursor that the API would reject, the list
 * opens on its first page.
 */
export function cursorHistoryOf(cursor: Param<unknown>): Param<string> {
  return (text) => {
    const fits = typeof text === 'string' && text !== '' && text.length <= 4_000
    return fits && readCursorHistory(text).every((part) => cursor(part) !== undefined)
      ? text
      : undefined
  }
}

/** The same for a list whose cursors may be anything. */
export const cursors = cursorHistoryOf(String)

/**
 * How many of the fields narrow the list: what the "Clear filters" button and the empty state go
 * by.
 */
export function countFilters(search: Readonly<Record<string, unknown>>): number {
  return Object.entries(search).filter(
    ([key, value]) => key !== 'cursors' && key !== 'tab' && value !== undefined,
  ).length
}

/** Changes filters in an address. A narrower list opens on its first page. */
export function narrowedBy<Change extends object>(change: Change) {
  return <Search extends object>(before: Search) => ({ ...before, ...change, cursors: undefined })
}
