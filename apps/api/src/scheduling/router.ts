import { router } from '../trpc.ts'
import { bookRouter } from './book-router.ts'
import { bookingsRouter } from './bookings-router.ts'
import { eventTypesRouter } from './event-types-router.ts'
import { hostsRouter } from './hosts-router.ts'
import { locksRouter } from './locks-router.ts'
import { manageRouter } from './manage-router.ts'
import { pagesRouter } from './pages-router.ts'
import { schedulesRouter } from './schedules-router.ts'
import { slotsRouter } from './slots-router.ts'

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
