import type { FlagHistory, ListFlags } from '@atrium/core/flags/flags'
import { flagStates } from '@atrium/core/platform/choices'
import { currentCursor } from '@atrium/ui/paging'
import {
  cursorHistoryOf,
  oneOf,
  recordId,
  searchReader,
  slugText,
  words,
} from '@atrium/ui/search-params'

/** The search parameters of the list of flags. */
export const readFlagsSearch = searchReader({
  q: words,
  state: oneOf(flagStates),
  cursors: cursorHistoryOf(recordId),
})
export type FlagsSearch = ReturnType<typeof readFlagsSearch>

const flagsPerPage = 25

/** The query of the page in the address. */
export function flagsQuery({ cursors, ...filters }: FlagsSearch): ListFlags {
  return { ...filters, cursor: currentCursor(cursors), limit: flagsPerPage }
}

const flagTabs = ['settings', 'explain', 'history'] as const

/** The search parameters of a flag: the tab, the tenant to explain, and the page of the history. */
export const readFlagSearch = searchReader({
  tab: oneOf(flagTabs),
  tenantSlug: slugText,
  cursors: cursorHistoryOf(recordId),
})
export type FlagSearch = ReturnType<typeof readFlagSearch>

export function historyQuery(key: string, { cursors }: FlagSearch): FlagHistory {
  return { key, cursor: currentCursor(cursors), limit: flagsPerPage }
}
