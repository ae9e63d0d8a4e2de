import { recordId, searchReader } from '@atrium/ui/search-params'

/**
 * What the addresses of availability and event types carry: whose they show, and which schedule is
 * open.
 */
export const readOffersSearch = searchReader({
  host: recordId,
  schedule: recordId,
})
export type OffersSearch = ReturnType<typeof readOffersSearch>
