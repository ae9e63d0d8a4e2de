import { mfaStates } from '@atrium/core/platform/choices'
import type { ReadMfaStatus } from '@atrium/core/upstream-cache/mfa'
import { currentCursor } from '@atrium/ui/paging'
import { cursors, oneOf, searchReader } from '@atrium/ui/search-params'

/** What the address of the page about second factors carries. */
export const readMfaSearch = searchReader({ state: oneOf(mfaStates), cursors })
export type MfaSearch = ReturnType<typeof readMfaSearch>

export function mfaQuery(slug: string, { state, cursors }: MfaSearch): ReadMfaStatus {
  return { slug, state, cursor: currentCursor(cursors), limit: 50 }
}
