import { mfaState, type ReadMfaStatus } from '@atrium/core/mfa'
import { currentCursor } from '@atrium/ui/paging'
import { lenient, trail } from '@atrium/ui/search-params'
import { z } from 'zod'

/** What the address of the page about second factors carries. */
export const MfaSearch = z.object({ state: lenient(mfaState), trail })
export type MfaSearch = z.infer<typeof MfaSearch>

export function mfaQuery(slug: string, { state, trail }: MfaSearch): ReadMfaStatus {
  return { slug, state, cursor: currentCursor(trail), limit: 50 }
}
