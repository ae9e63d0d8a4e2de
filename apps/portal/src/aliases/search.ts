import type { ListAliases } from '@atrium/core/mail/aliases'
import { currentCursor } from '@atrium/ui/paging'
import { cursors, searchReader, textUpTo, words } from '@atrium/ui/search-params'

/** What the address of the aliases page carries. */
export const readAliasesSearch = searchReader({ q: words, domain: textUpTo(255), cursors })
export type AliasesSearch = ReturnType<typeof readAliasesSearch>

export function aliasesQuery(
  slug: string,
  { q, domain, cursors: cursorHistory }: AliasesSearch,
): ListAliases {
  return { slug, q, domain, cursor: currentCursor(cursorHistory), limit: 50 }
}
