import { z } from 'zod'

/** Reads a query as plain text values. The router's own reading turns `q=42` into a number and would quote it on the way back. */
export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search))
}

/** Writes a query without absent and empty values; `?` leads when something is left. */
export function stringifySearch(search: Record<string, unknown>): string {
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries(search)) {
    if (value !== undefined && value !== null && value !== '') query.set(key, String(value))
  }
  const text = query.toString()
  return text ? `?${text}` : ''
}

/** A field of an address: what does not fit is dropped, so that a mistyped link still opens its page. */
export function lenient<Value extends z.ZodType>(value: Value) {
  return value.optional().catch(undefined)
}

/** Text a person searched for. */
export const words = lenient(z.string().trim().min(1).max(200))

/** A slug to filter by; any text of its length, so that an unknown one gives an empty list and not an ignored filter. */
export const slugWord = lenient(z.string().trim().min(1).max(63))

/** See paging.ts. */
export const trail = lenient(z.string().min(1).max(4_000))

/** How many of the fields narrow the list: what the "Clear filters" button and the empty state go by. */
export function countFilters(search: Readonly<Record<string, unknown>>): number {
  return Object.entries(search).filter(([key, value]) => key !== 'trail' && key !== 'tab' && value !== undefined).length
}
