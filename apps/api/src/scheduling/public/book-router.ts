import {
  CreateBooking,
  CreatedBooking,
  CreatedTenantBooking,
  CreateTenantBooking,
} from '@atrium/core/scheduling/bookings'
import { memberOrOperator, publicProcedure } from '../../rpc/guards.ts'
import { router } from '../../rpc/trpc.ts'
import { tenantBookErrors, visitorBookErrors } from '../bookings/errors.ts'
import { bookAsVisitor, bookForTenant } from './book.ts'

export const bookRouter = router({
  create: publicProcedure
    .meta({
      openapi: {
        method: 'POST',
        path: '/api/v1/bookings',
        tags: ['booking'],
        protect: false,
        summary: 'Book a time',
      },
      audit: 'booking.confirmed',
      secretResponse: true,
      repeatable: true,
      visitors: 'bookings',
      errors: visitorBookErrors,
    })
    .input(CreateBooking)
    .output(CreatedBooking)
    .mutation(({ ctx, input }) => bookAsVisitor(ctx, input)),
  forTenant: memberOrOperator
    .meta({
      scope: 'scheduling:write',
      delegable: ['scheduling'],
      openapi: {
        method: 'POST',
        path: '/api/v1/tenants/{slug}/bookings',
        tags: ['bookings'],
        summary: 'Book a time for a visitor',
      },
      audit: 'booking.confirmed',
      secretResponse: true,
      repeatable: true,
      creates: true,
      errors: tenantBookErrors,
    })
    .input(CreateTenantBooking)
    .output(CreatedTenantBooking)
    .mutation(({ ctx, input }) => bookForTenant(ctx, ctx.access, input)),
})
