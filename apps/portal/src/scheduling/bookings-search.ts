import { bookingPeriods } from '@atrium/core/platform/choices'
import type { ListBookings } from '@atrium/core/scheduling/bookings'
import { currentCursor } from '@atrium/ui/paging'
import { oneOf, recordId, searchReader, trail, words } from '@atrium/ui/search-params'

/**
 * What the address of the bookings page carries: the tab, filters, the way through the pages, and
 * which booking is open.
 */
export const readBookingsSearch = searchReader({
  when: oneOf(bookingPeriods),
  host: recordId,
  q: words,
  trail,
  booking: recordId,
})
export type BookingsSearch = ReturnType<typeof readBookingsSearch>

export function bookingsQuery(
  slug: string,
  { when = 'upcoming', host, q, trail: way }: BookingsSearch,
): ListBookings {
  return { slug, when, hostId: host, q, cursor: currentCursor(way), limit: 50 }
}
