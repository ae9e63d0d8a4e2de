import type { ListLists } from '@atrium/core/mail/lists'
import { currentCursor } from '@atrium/ui/paging'
import { cursors, searchReader, words } from '@atrium/ui/search-params'

/** What the address of the distribution lists page carries. */
export const readListsSearch = searchReader({ q: words, cursors })
export type ListsSearch = ReturnType<typeof readListsSearch>

export function listsQuery(slug: string, search: ListsSearch): ListLists {
  return { slug, q: search.q, cursor: currentCursor(search.cursors), limit: 50 }
}
