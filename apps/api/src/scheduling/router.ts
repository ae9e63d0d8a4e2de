import { router } from '../rpc/trpc.ts'
import { bookingsRouter } from './bookings/router.ts'
import { eventTypesRouter } from './event-types/router.ts'
import { hostsRouter } from './hosts/router.ts'
import { bookRouter } from './public/book-router.ts'
import { manageRouter } from './public/manage-router.ts'
import { pagesRouter } from './public/pages-router.ts'
import { schedulesRouter } from './schedules/router.ts'
import { locksRouter } from './slots/locks-router.ts'
import { slotsRouter } from './slots/router.ts'

/** Hosts, what they offer, and what visitors book. Everything has its REST path under /api/v1. */
export const schedulingRouter = router({
  pages: pagesRouter,
  slots: slotsRouter,
  locks: locksRouter,
  book: bookRouter,
  manage: manageRouter,
  hosts: hostsRouter,
  schedules: schedulesRouter,
  eventTypes: eventTypesRouter,
  bookings: bookingsRouter,
})
