import type { ListAliases } from '@atrium/core/mail/aliases'
import { currentCursor } from '@atrium/ui/paging'
import { searchReader, textUpTo, trail, words } from '@atrium/ui/search-params'

/** What the address of the aliases page carries. */
export const readAliasesSearch = searchReader({ q: words, domain: textUpTo(255), trail })
export type AliasesSearch = ReturnType<typeof readAliasesSearch>

export function aliasesQuery(slug: string, { q, domain, trail: way }: AliasesSearch): ListAliases {
  return { slug, q, domain, cursor: currentCursor(way), limit: 50 }
}
