import { searchReader, textUpTo } from '@atrium/ui/search-params'

/**
 * What the address of the page after signing out carries: the reason, when it was no choice of the
 * person's.
 */
export const readSignedOutSearch = searchReader({ error: textUpTo(500) })
export type SignedOutSearch = ReturnType<typeof readSignedOutSearch>
