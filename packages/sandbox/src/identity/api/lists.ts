import { ApiError, invalid } from './errors.ts'
import { type ApiReply, ok } from './router.ts'

const defaultSize = 20
const largestSize = 100

/**
 * One page of rows. `page` and `page_size` as asked for, cut at 100; neighbours are page numbers, 0
 * when there is none; a page that does not exist is 404. `show` is called for the rows of the page
 * only.
 */
export function paginate<Row>(
  query: URLSearchParams,
  rows: readonly Row[],
  show: (row: Row) => unknown,
): ApiReply {
  const size = Math.min(positive(query.get('page_size')) ?? defaultSize, largestSize)
  const pages = Math.max(1, Math.ceil(rows.length / size))
  const current = query.has('page') ? (positive(query.get('page')) ?? 0) : 1
  if (current < 1 || current > pages) throw new ApiError(404, { detail: 'Invalid page.' })
  const start = (current - 1) * size
  const shown = rows.slice(start, start + size)
  return ok({
    pagination: {
      next: current < pages ? current + 1 : 0,
      previous: current > 1 ? current - 1 : 0,
      count: rows.length,
      current,
      total_pages: pages,
      start_index: rows.length === 0 ? 0 : start + 1,
      end_index: start + shown.length,
    },
    results: shown.map(show),
    autocomplete: {},
  })
}

function positive(text: string | null): number | undefined {
  return text !== null && /^\d+$/.test(text) && Number(text) > 0 ? Number(text) : undefined
}

/**
 * Sorts by `ordering` (`-` reverses) when it names one of the fields; any other value is ignored.
 */
export function order<Row>(
  query: URLSearchParams,
  rows: readonly Row[],
  fields: Record<string, (row: Row) => string | number>,
): Row[] {
  const requested = query.get('ordering') ?? ''
  const read = fields[requested.replace(/^-/, '')]
  if (!read) return [...rows]
  const sign = requested.startsWith('-') ? -1 : 1
  return rows.toSorted((a, b) => sign * (read(a) < read(b) ? -1 : read(a) > read(b) ? 1 : 0))
}

/** Rows in which one of the texts contains `search`, without regard to case. */
export function search<Row>(
  query: URLSearchParams,
  rows: readonly Row[],
  texts: (row: Row) => readonly string[],
): Row[] {
  const requested = (query.get('search') ?? '').toLowerCase()
  return requested === ''
    ? [...rows]
    : rows.filter((row) => texts(row).some((text) => text.toLowerCase().includes(requested)))
}

/** Rows whose text equals the parameter exactly, case included. Absent or empty: all rows. */
export function exact<Row>(
  query: URLSearchParams,
  rows: readonly Row[],
  name: string,
  read: (row: Row) => string,
): Row[] {
  const requested = query.get(name)
  return requested ? rows.filter((row) => read(row) === requested) : [...rows]
}

/** `true` or `false` in any case; undefined for an absent parameter or any other text. */
export function boolean(query: URLSearchParams, name: string): boolean | undefined {
  const text = query.get(name)?.toLowerCase()
  return text === 'true' ? true : text === 'false' ? false : undefined
}

const uuid = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** A UUID parameter. Throws 400 on the parameter's name when it is not one. */
export function uuidFilter(query: URLSearchParams, name: string): string | undefined {
  const text = query.get(name)
  if (!text) return undefined
  if (!uuid.test(text)) throw invalid({ [name]: [`“${text}” is not a valid UUID.`] })
  return text.toLowerCase()
}

/**
 * An integer parameter that names a record. Throws 400 on its name when there is no such record.
 */
export function keyFilter(
  query: URLSearchParams,
  name: string,
  exists: (pk: number) => boolean,
): number | undefined {
  const text = query.get(name)
  if (!text) return undefined
  if (!/^\d+$/.test(text) || !exists(Number(text))) {
    throw invalid({
      [name]: ['Select a valid choice. That choice is not one of the available choices.'],
    })
  }
  return Number(text)
}

/** Repeatable choices. Throws 400 when one of them names nothing. */
export function choicesFilter(
  query: URLSearchParams,
  name: string,
  known: (value: string) => boolean,
): string[] {
  const values = query.getAll(name).filter((value) => value !== '')
  const unknown = values.find((value) => !known(value))
  if (unknown !== undefined)
    throw invalid({
      [name]: [`Select a valid choice. ${unknown} is not one of the available choices.`],
    })
  return values
}
