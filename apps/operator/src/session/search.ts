import { searchReader, textUpTo } from '@atrium/ui/search-params'

/** The search parameters of the signed-out page. `error`: why a sign-in failed. */
export const readSignedOutSearch = searchReader({ error: textUpTo(500) })
export type SignedOutSearch = ReturnType<typeof readSignedOutSearch>
