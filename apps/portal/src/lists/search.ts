import type { ListLists } from '@atrium/core/mail/lists'
import { currentCursor } from '@atrium/ui/paging'
import { searchReader, trail, words } from '@atrium/ui/search-params'

/** What the address of the distribution lists page carries. */
export const readListsSearch = searchReader({ q: words, trail })
export type ListsSearch = ReturnType<typeof readListsSearch>

export function listsQuery(slug: string, { q, trail: way }: ListsSearch): ListLists {
  return { slug, q, cursor: currentCursor(way), limit: 50 }
}
