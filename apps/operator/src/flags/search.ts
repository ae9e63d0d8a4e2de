import { type FlagHistory, flagState, type ListFlags } from '@atrium/core/flags'
import { cursor } from '@atrium/core/paging'
import { currentCursor } from '@atrium/ui/paging'
import { lenient, slugWord, words } from '@atrium/ui/search-params'
import { z } from 'zod'
import { trailOf } from '../parts/trail.ts'

/** What the address of the flags list carries. */
export const FlagsSearch = z.object({ q: words, state: lenient(flagState), trail: trailOf(cursor) })
export type FlagsSearch = z.infer<typeof FlagsSearch>

const flagsPerPage = 25

/** The query of the page that an address names. */
export function flagsQuery({ trail, ...filters }: FlagsSearch): ListFlags {
  return { ...filters, cursor: currentCursor(trail), limit: flagsPerPage }
}

export const flagTabs = ['settings', 'explain', 'history'] as const

/** What the address of one flag carries: the tab, the tenant that is asked about, and the page of the history. */
export const FlagSearch = z.object({
  tab: lenient(z.enum(flagTabs)),
  tenantSlug: slugWord,
  trail: trailOf(cursor),
})
export type FlagSearch = z.infer<typeof FlagSearch>

export function historyQuery(key: string, { trail }: FlagSearch): FlagHistory {
  return { key, cursor: currentCursor(trail), limit: flagsPerPage }
}
