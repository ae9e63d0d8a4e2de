import { mfaStates } from '@atrium/core/platform/choices'
import type { ReadMfaStatus } from '@atrium/core/upstream-cache/mfa'
import { currentCursor } from '@atrium/ui/paging'
import { oneOf, searchReader, trail } from '@atrium/ui/search-params'

/** What the address of the page about second factors carries. */
export const readMfaSearch = searchReader({ state: oneOf(mfaStates), trail })
export type MfaSearch = ReturnType<typeof readMfaSearch>

export function mfaQuery(slug: string, { state, trail }: MfaSearch): ReadMfaStatus {
  return { slug, state, cursor: currentCursor(trail), limit: 50 }
}
