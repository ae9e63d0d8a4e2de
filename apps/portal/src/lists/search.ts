import type { ListLists } from '@atrium/core/lists'
import { currentCursor } from '@atrium/ui/paging'
import { trail, words } from '@atrium/ui/search-params'
import { z } from 'zod'

/** What the address of the distribution lists page carries. */
export const ListsSearch = z.object({ q: words, trail })
export type ListsSearch = z.infer<typeof ListsSearch>

export function listsQuery(slug: string, { q, trail: way }: ListsSearch): ListLists {
  return { slug, q, cursor: currentCursor(way), limit: 50 }
}
