import { bookingPeriods, type ListBookings } from '@atrium/core/bookings'
import { currentCursor } from '@atrium/ui/paging'
import { lenient, trail, words } from '@atrium/ui/search-params'
import { z } from 'zod'

/** What the address of the bookings page carries: the tab, filters, the way through the pages, and which booking is open. */
export const BookingsSearch = z.object({
  when: lenient(z.enum(bookingPeriods)),
  host: lenient(z.uuid()),
  q: words,
  trail,
  booking: lenient(z.uuid()),
})
export type BookingsSearch = z.infer<typeof BookingsSearch>

export function bookingsQuery(slug: string, { when = 'upcoming', host, q, trail: way }: BookingsSearch): ListBookings {
  return { slug, when, hostId: host, q, cursor: currentCursor(way), limit: 50 }
}
