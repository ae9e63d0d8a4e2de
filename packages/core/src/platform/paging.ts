import { z } from 'zod'
import { says } from './issue-text.ts'

/**
 * `limit` of a list: 1 to 200, 50 when absent (docs/reference/contract.md, conventions). Arrives as
 * text in a query.
 */
export const pageLimit = z.coerce.number().int().min(1).max(200).default(50)

/**
 * An opaque cursor from the `nextCursor` of the page before. Ours are UUIDs: the id of the last row
 * shown.
 */
export const cursor = z.uuid(says('cursor'))

/** A page: its rows, and the cursor of the next one or null at the end. */
export function page<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), nextCursor: z.string().nullable() })
}

/** Cuts the one row too many that a query fetched to learn whether there is a next page. */
export function cutPage<Row extends { id: string }>(
  rows: readonly Row[],
  limit: number,
): { items: Row[]; nextCursor: string | null } {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, nextCursor: rows.length > limit && last ? last.id : null }
}
