import { bookingPeriods } from '@atrium/core/platform/choices'
import type { ListBookings } from '@atrium/core/scheduling/bookings'
import { currentCursor } from '@atrium/ui/paging'
import { cursors, oneOf, recordId, searchReader, words } from '@atrium/ui/search-params'

/**
 * What the address of the bookings page carries: the tab, filters, the way through the pages, and
 * which booking is open.
 */
export const readBookingsSearch = searchReader({
  when: oneOf(bookingPeriods),
  host: recordId,
  q: words,
  cursors,
  booking: recordId,
})
export type BookingsSearch = ReturnType<typeof readBookingsSearch>

export function bookingsQuery(
  slug: string,
  { when = 'upcoming', host, q, cursors: cursorHistory }: BookingsSearch,
): ListBookings {
  return { slug, when, hostId: host, q, cursor: currentCursor(cursorHistory), limit: 50 }
}
