import type { ListAliases } from '@atrium/core/aliases'
import { currentCursor } from '@atrium/ui/paging'
import { lenient, trail, words } from '@atrium/ui/search-params'
import { z } from 'zod'

/** What the address of the aliases page carries. */
export const AliasesSearch = z.object({ q: words, domain: lenient(z.string().min(1).max(255)), trail })
export type AliasesSearch = z.infer<typeof AliasesSearch>

export function aliasesQuery(slug: string, { q, domain, trail: way }: AliasesSearch): ListAliases {
  return { slug, q, domain, cursor: currentCursor(way), limit: 50 }
}
